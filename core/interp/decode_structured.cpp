// Domains, loops and reductions of fragments.
#include "core/interp/decoder.h"
#include "core/ir/loop_exit.h"

namespace kir {

MovePlan Decoder::moves(std::span<const ValueId> from, std::span<const ValueId> to) {
  MovePlan plan;
  std::set<Slot> written;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    MovePlan::Move m{slot(from[i]), slot(to[i]), body_.type(to[i]).kind};
    if (m.kind == TypeKind::tensor && is_relation(from[i])) m.access = access_of(from[i]);
    plan.buffered = plan.buffered || written.contains(m.from);
    written.insert(m.to);
    if (m.from != m.to || m.access != kNoSlot) plan.moves.push_back(m);
  }
  return plan;
}

DomainPlan Decoder::domain(const Op& op, RegionId r) {
  DomainPlan d;
  const Region& region = body_.region(r);
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  for (std::size_t k = 0; k < region.args.size() && 2 * k + 1 < ranges.size(); ++k) {
    const IndexCode::Limits limits = limits_for(body_.type(region.args[k]));
    d.low.push_back(expression(ranges[2 * k], limits));
    d.high.push_back(expression(ranges[2 * k + 1], limits));
    d.arguments.push_back(slot(region.args[k]));
    for (Expr e : {ranges[2 * k], ranges[2 * k + 1]})
      for (ValueId v : value_leaves(e)) d.dependent = d.dependent || body_.value(v).region == r;
  }
  return d;
}

Instr Decoder::for_loop(const Op& op, Instr i) {
  i.kind = InstrKind::for_loop;
  const Region& r = body_.region(op.regions[0]);
  const IndexCode::Limits limits = limits_for(body_.type(r.args[0]));
  ForPlan plan;
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  plan.low = expression(ranges[0], limits);
  plan.high = expression(ranges[1], limits);
  if (const Expr* step = op.attrs.find<Expr>(AttrKey::step)) plan.step = expression(*step, limits);
  plan.variable = slot(r.args[0]);
  plan.region = op.regions[0];
  const std::span<const ValueId> carries = std::span(r.args).subspan(1);
  region(op.regions[0]);
  plan.start = moves(op.operands, carries);
  plan.next = moves(yields(op.regions[0]), carries);
  plan.finish = moves(carries, op.results);
  plan.carries = slots(carries);
  for (std::size_t k = carries.size(); k < op.results.size(); ++k)
    plan.collected.push_back({slot(yields(op.regions[0])[k]), slot(op.results[k])});
  plan.exits = left_.contains(body_.region(op.regions[0]).parent);
  plan.stored_views = stored_views(op.regions[0]);
  i.plan = keep(code_.fors, std::move(plan));
  return i;
}

Instr Decoder::while_loop(const Op& op, Instr i) {
  i.kind = InstrKind::while_loop;
  WhilePlan plan;
  plan.condition = op.regions[0];
  plan.region = op.regions[1];
  region(plan.condition);
  region(plan.region);
  const auto &tested = body_.region(plan.condition).args, &carried = body_.region(plan.region).args;
  plan.test = slot(yields(plan.condition)[0]);
  plan.start = moves(op.operands, tested);
  plan.enter = moves(tested, carried);
  plan.next = moves(yields(plan.region), tested);
  plan.finish = moves(tested, op.results);
  i.plan = keep(code_.whiles, std::move(plan));
  return i;
}

Instr Decoder::if_else(const Op& op, Instr i) {
  i.kind = InstrKind::if_else;
  i.a = slot(op.operands[0]);
  IfPlan plan;
  for (std::size_t k = 0; k < op.regions.size() && k < 2; ++k) {
    region(op.regions[k]);
    plan.regions[k] = op.regions[k];
    if (!leaves_loop(body_, op.regions[k])) {
      plan.yields[k] = moves(yields(op.regions[k]), op.results);
      continue;
    }
    const Op& exit = body_.terminator(op.regions[k]);
    const OpId left = loop_of_exit(body_, exit);
    const Op& loop = body_.op(left);
    // A while is asked with, and ends in, the arguments of its condition.
    std::span<const ValueId> state(body_.region(loop.regions[0]).args);
    if (loop.kind == OpKind::for_loop) state = state.subspan(1);
    plan.yields[k] = moves(exit.operands, state);
    plan.exits[k] = exit.kind == OpKind::break_loop ? LoopExit::out : LoopExit::next;
    left_.insert(left);
  }
  i.plan = keep(code_.ifs, std::move(plan));
  return i;
}

Instr Decoder::tile_reduce(const Op& op, Instr i) {
  i.kind = InstrKind::tile_reduce;
  TileReducePlan plan;
  plan.source = slot(op.operands[0]);
  if (op.operands.size() > 1) plan.init = slot(op.operands[1]);
  plan.combine = op.regions[0];
  region(plan.combine);
  const auto& arguments = body_.region(plan.combine).args;
  plan.left = slot(arguments[0]);
  plan.right = slot(arguments[1]);
  plan.yield = slot(yields(plan.combine)[0]);
  plan.scalar_result = !body_.type(op.results[0]).is(TypeKind::fragment);
  const std::vector<std::int64_t>& shape = code_.tile_shapes[plan.source];
  const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
  std::vector<std::size_t> stride(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) stride[k - 1] = stride[k] * static_cast<std::size_t>(shape[k]);
  plan.origins = plan.offsets = {0};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    auto& list = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(k)) != axes.end() ? plan.offsets : plan.origins;
    std::vector<std::size_t> longer;
    for (std::size_t at : list)
      for (std::size_t c = 0; c < static_cast<std::size_t>(shape[k]); ++c) longer.push_back(at + c * stride[k]);
    list = std::move(longer);
  }
  i.plan = keep(code_.tile_reductions, std::move(plan));
  return i;
}

}  // namespace kir
