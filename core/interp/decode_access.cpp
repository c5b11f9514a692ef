// Views, tensors and the chains of relations over them.
#include "core/base/check.h"
#include "core/interp/decoder.h"
#include "core/ir/memory_access.h"

namespace kir {

bool Decoder::is_relation(ValueId v) const {
  const OpId def = body_.value(v).op;
  if (!def) return false;
  const OpKind k = body_.op(def).kind;
  return k == OpKind::view || k == OpKind::transpose || k == OpKind::slice || k == OpKind::broadcast || k == OpKind::reshape;
}

bool Decoder::follow(ValueId v, AccessPlan& plan) {
  plan.outer = slot(v);
  if (body_.type(v).rank() > kMaxRank) return false;
  while (is_relation(v)) {
    if (body_.type(body_.op(body_.value(v).op).operands[0]).rank() > kMaxRank) return false;
    const Op& op = body_.op(body_.value(v).op);
    plan.steps.push_back(step(op, v));
    v = op.operands[0];
  }
  const Type& t = body_.type(v);
  plan.base = slot(v);
  if (t.is(TypeKind::view)) {
    if (const OpId def = body_.value(v).op; buffer_views_.contains(v) || (def && body_.op(def).kind == OpKind::buffer)) {
      plan.view = buffer_view(v);
      return true;
    }
    for (std::size_t i = 0; i < in_.abi->views.size(); ++i)
      if (in_.abi->views[i].value == v) {
        plan.view = i;
        return true;
      }
    return false;
  }
  plan.on_memory = false;
  plan.tensor = slot(v);
  return t.is(TypeKind::tensor);
}

std::uint32_t Decoder::access_of(ValueId v) {
  AccessPlan plan;
  follow(v, plan);
  code_.accesses.push_back(std::move(plan));
  return static_cast<std::uint32_t>(code_.accesses.size() - 1);
}

RelationStep Decoder::step(const Op& op, ValueId v) {
  RelationStep s;
  s.value = slot(v);
  s.rank = body_.type(v).rank();
  s.extents = hidden_slots(v, s.rank, extents_);
  s.source_rank = body_.type(op.operands[0]).rank();
  switch (op.kind) {
    case OpKind::transpose:
      s.kind = RelationStep::Kind::transpose;
      s.axes = op.attrs.get<IntList>(AttrKey::axes);
      break;
    case OpKind::slice:
      s.kind = RelationStep::Kind::slice;
      s.lows = hidden_slots(v, s.rank, lows_);
      break;
    case OpKind::broadcast:
      s.kind = RelationStep::Kind::broadcast;
      s.axes = op.attrs.get<IntList>(AttrKey::axes);
      // Only an extent that is 1 by its type stretches, not one that happens to be 1 in a launch.
      for (Expr e : body_.type(op.operands[0]).shape) s.stretches.push_back(e.is_constant(1));
      break;
    case OpKind::reshape:
      s.kind = RelationStep::Kind::reshape;
      s.source = hidden_slots(v, s.source_rank, sources_);
      break;
    case OpKind::view:
      s.kind = RelationStep::Kind::region;
      s.region = op.regions[0];
      s.arguments = slots(body_.region(op.regions[0]).args);
      s.yields = slots(yields(op.regions[0]));
      break;
    default: KIR_UNREACHABLE("no relation");
  }
  return s;
}

Slot Decoder::hidden_slots(ValueId v, std::size_t count, std::map<ValueId, Slot>& known) {
  auto [it, fresh] = known.emplace(v, hidden_);
  if (fresh) hidden_ += static_cast<Slot>(count);
  return it->second;
}

std::uint32_t Decoder::relation(const Op& op) { return keep(code_.extents, relation_extents(op)); }

ExtentsPlan Decoder::relation_extents(const Op& op) {
  const ValueId v = op.results[0];
  const Type& t = body_.type(v);
  const IndexCode::Limits exact = IndexCode::Limits::exact();
  ExtentsPlan plan;
  const Slot extents = hidden_slots(v, t.rank(), extents_);
  for (std::size_t k = 0; k < t.rank(); ++k) {
    const Slot to = extents + static_cast<Slot>(k);
    if (op.kind == OpKind::slice) {
      const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
      const std::uint32_t low = expression(ranges[2 * k], exact);
      plan.items.push_back({expression(ranges[2 * k + 1], exact), low, to});
      plan.items.push_back({low, kNoSlot, hidden_slots(v, t.rank(), lows_) + static_cast<Slot>(k)});
    } else {
      const Expr e = op.kind == OpKind::transpose ? t.shape[k] : op.attrs.get<ExprList>(AttrKey::extents)[k];
      plan.items.push_back({expression(e, exact), kNoSlot, to});
    }
  }
  return plan;
}

void Decoder::stored_views(RegionId r, std::set<std::size_t>& out) {
  for (OpId id : body_.region(r).ops) {
    const Op& op = body_.op(id);
    const bool one = is_memory_access(op.kind) && writes_element(op.kind);
    const bool all = op.kind == OpKind::scatter || op.kind == OpKind::histogram;
    for (std::size_t k = 0; k < (one ? 1 : all ? op.operands.size() : 0); ++k) {
      AccessPlan plan;
      if (follow(op.operands[k], plan) && plan.on_memory) out.insert(plan.view);
    }
    for (RegionId inner : op.regions) stored_views(inner, out);
  }
}

std::vector<std::size_t> Decoder::stored_views(RegionId r) {
  std::set<std::size_t> out;
  stored_views(r, out);
  return {out.begin(), out.end()};
}

Instr Decoder::access(const Op& op, Instr i) {
  AccessPlan plan;
  std::span<const ValueId> coordinates;
  if (op.kind == OpKind::elem) {
    coordinates = std::span(op.operands).subspan(1);
  } else if (op.kind == OpKind::load) {
    const LoadView load = as_load(body_, op);
    coordinates = load.coordinates;
    plan.where = slot(load.where);
    plan.fill = slot(load.fill);
  } else {
    const StoreView store = as_store(body_, op);
    coordinates = store.coordinates;
    plan.where = slot(store.where);
    plan.value = slot(store.value);
  }
  plan.coordinates = slots(coordinates);
  bool tile = !op.results.empty() && body_.type(op.results[0]).is(TypeKind::fragment);
  for (ValueId v : op.operands) tile = tile || body_.type(v).is(TypeKind::fragment);
  const bool supported = follow(op.operands[0], plan) && (op.kind != OpKind::store || plan.on_memory);
  if (!supported) return i;
  if (op.kind == OpKind::store)
    i.kind = tile ? InstrKind::tile_store : InstrKind::store;
  else if (op.kind == OpKind::elem)
    i.kind = InstrKind::elem;
  else
    i.kind = tile ? InstrKind::tile_load : InstrKind::load;
  i.plan = keep(code_.accesses, std::move(plan));
  return i;
}

}  // namespace kir
