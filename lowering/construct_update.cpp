// scatter and histogram: each member is a store for each view, one atomic, or loads, the combine and stores in the order of the
// members. Which axes are instance axes, the workset has said.
#include "core/ir/memory_access.h"
#include "lowering/translate.h"

namespace kir::lowering {

void Translator::update(OpId id) {
  members(id, [&] { member(id); });
}

void Translator::member(OpId id) {
  const Op& op = b_.op(id);
  ops(b_.region(op.regions[0]));
  const auto yields = b_.yields(op.regions[0]);
  const std::size_t rank = b_.type(op.operands[0]).rank(), count = op.operands.size();
  const ValueId kir_where = yields.size() > rank + count ? yields[rank + count] : ValueId{};
  ValueId where = kir_where ? value(kir_where) : ValueId{};
  Coordinates place = coordinates(yields.first(rank));
  if (op.kind == OpKind::histogram) {
    const Expr key = place.physical[0], extent = b_.type(op.operands[0]).shape[0], bins = expr(extent);
    switch (op.attrs.get<OutOfRange>(AttrKey::out_of_range)) {
      case OutOfRange::drop: {
        Expr inside = both(less_equal(pool_.constant(0), key), less(key, bins));
        where = materialise(where ? both(pool_.value(where, Sort::boolean), inside) : inside, id);
        break;
      }
      case OutOfRange::clamp: {
        auto clamped = [](Expr k, Expr b) { return min(max(k, b.pool().constant(0)), b - 1); };
        place = {{clamped(key, bins)}, {clamped(place.spec[0], claims_.spec(extent))}};
        break;
      }
      case OutOfRange::error: break;
    }
  }
  std::vector<Element> elements;
  for (ValueId v : op.operands) elements.push_back(element(id, v, place, static_cast<bool>(where)));
  auto access = [&](std::size_t k) {
    std::vector<ValueId> operands = {elements[k].view};
    operands.insert(operands.end(), elements[k].coordinates.begin(), elements[k].coordinates.end());
    return operands;
  };
  if (const std::optional<AtomicOp> atomic = atomic_update(b_, op)) {
    std::vector<ValueId> operands = access(0);
    operands.push_back(value(yields[rank]));
    if (where) operands.push_back(where);
    Attrs attrs{{AttrKey::atomic_op, *atomic},
                {AttrKey::memory_order, MemoryOrder::relaxed},
                {AttrKey::sharing, Sharing::invocation},
                {AttrKey::atomic_scope, scope_of(Sharing::invocation)}};
    builder_.emit(OpKind::atomic_rmw, std::move(operands), std::move(attrs), {Type::scalar(b_.type(op.operands[0]).dtype)},
                  op.range, id);
    return;
  }
  std::vector<ValueId> stored = values(yields.subspan(rank, count));
  const bool merges = op.kind == OpKind::histogram || op.regions.size() > 1;
  auto run = [&] {
    std::vector<ValueId> old;
    for (std::size_t k = 0; merges && k < count; ++k)
      old.push_back(builder_.emit1(OpKind::load, access(k), {}, Type::scalar(b_.type(op.operands[k]).dtype), op.range, id));
    if (op.regions.size() > 1) {
      const Region& combine = b_.region(op.regions[1]);
      for (std::size_t k = 0; k < count; ++k) {
        bind(combine.args[k], old[k]);
        bind(combine.args[count + k], stored[k]);
      }
      ops(combine);
      stored = values(b_.yields(op.regions[1]));
    } else if (merges) {
      stored[0] =
          builder_.emit1(OpKind::add, {old[0], stored[0]}, {}, Type::scalar(b_.type(op.operands[0]).dtype), op.range, id);
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<ValueId> operands = access(k);
      operands.push_back(stored[k]);
      if (!merges && where) operands.push_back(where);
      builder_.emit(OpKind::store, std::move(operands), {}, {}, op.range, id);
    }
  };
  if (!merges || !where) return run();
  std::vector<RegionId> arms;
  for (bool active : {true, false}) {
    arms.push_back(builder_.new_region());
    enter(arms.back());
    if (active) run();
    builder_.emit(OpKind::yield, {}, {}, {}, op.range, id);
    leave();
  }
  builder_.emit_with_regions(OpKind::if_else, {where}, {}, std::move(arms), {}, op.range, id);
}

}  // namespace kir::lowering
