// Tensors made of other tensors, parts of axes, random numbers.
#include "core/interp/decoder.h"

namespace kir {

std::vector<std::uint32_t> Decoder::exact(const ExprList& list) {
  std::vector<std::uint32_t> out;
  for (Expr e : list) out.push_back(expression(e, IndexCode::Limits::exact()));
  return out;
}

Instr Decoder::reshape(const Op& op, Instr i) {
  i.kind = InstrKind::reshape;
  const ValueId v = op.results[0];
  const Type &to = body_.type(v), &from = body_.type(op.operands[0]);
  if (to.rank() > kMaxRank || from.rank() > kMaxRank) return {};
  ReshapePlan plan{0, hidden_slots(v, to.rank(), extents_), hidden_slots(v, from.rank(), sources_), to.rank(), from.rank()};
  ExtentsPlan extents = relation_extents(op);
  for (std::size_t k = 0; k < from.rank(); ++k)
    extents.items.push_back({expression(from.shape[k], IndexCode::Limits::exact()), kNoSlot, plan.from + static_cast<Slot>(k)});
  plan.extents = keep(code_.extents, std::move(extents));
  i.plan = keep(code_.reshapes, plan);
  return i;
}

Instr Decoder::concat(const Op& op, Instr i) {
  i.kind = InstrKind::concat;
  ConcatPlan plan;
  plan.axis = static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis));
  ExprList along;
  for (ValueId v : op.operands) {
    AccessPlan access;
    if (!follow(v, access)) return {};
    plan.sources.push_back(keep(code_.accesses, std::move(access)));
    along.push_back(body_.type(v).shape[plan.axis]);
  }
  plan.extents = exact(along);
  i.plan = keep(code_.concats, std::move(plan));
  return i;
}

Instr Decoder::iota(const Op& op, Instr i) {
  i.kind = InstrKind::iota;
  i.plan = keep(code_.iotas, {exact(op.attrs.get<ExprList>(AttrKey::extents)),
                              static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis))});
  return i;
}

Instr Decoder::gather(const Op& op, Instr i) {
  i.kind = InstrKind::gather;
  AccessPlan access;
  if (!follow(op.operands[0], access)) return {};
  const RegionId r = op.regions[0];
  region(r);
  GatherPlan plan{domain(op, r), r, keep(code_.accesses, std::move(access)), slots(yields(r)), body_.region(r).ops.back()};
  i.plan = keep(code_.gathers, std::move(plan));
  return i;
}

Instr Decoder::part(const Op& op, Instr i) {
  i.kind = InstrKind::part;
  const ExprList& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const std::int64_t axis = op.attrs.get<std::int64_t>(AttrKey::axis);
  const Expr extent = body_.type(op.operands[0]).shape[static_cast<std::size_t>(axis)];
  const std::vector<std::uint32_t> e = exact({range[0], range[1], extent});
  i.plan = keep(code_.parts, {e[0], e[1], e[2], slot(op.results[1]), slot(op.operands[0]), axis});
  return i;
}

Instr Decoder::philox(const Op& op, Instr i) {
  i.kind = InstrKind::philox;
  PhiloxPlan plan;
  std::copy_n(slots(op.operands).begin(), 6, plan.operands);
  std::copy_n(slots(op.results).begin(), 4, plan.results);
  i.plan = keep(code_.philoxes, plan);
  return i;
}

}  // namespace kir
