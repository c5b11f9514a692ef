// scatter and histogram: what their members do, told as accesses.
//
//   unique             a store for each view; members are unordered
//   one combine that is one atomic operation, in any order
//                      that atomic, relaxed, for each member; members are unordered and do not race with each other
//   else               loads of the old contents, the combine, stores; members come in row-major order, which every licence
//                      permits. But under order(strict) they race with what the region of another one reads.
#include <fmt/format.h>

#include "core/ir/memory_access.h"
#include "proof/denote_body.h"

namespace kir::proof {

void BodyDenoter::run_update(const Op& op) {
  if (in_value_region_) return run_unsupported(op, "an update inside a reduce or tensor region");
  for (ValueId v : op.operands)
    if (!values_[v.index].relation) return run_unsupported(op, "what its view is, no rule says");
  const std::optional<AtomicOp> atomic = atomic_update(body_, op);
  const bool merges = op.kind == OpKind::histogram || op.regions.size() > 1, unordered = !merges || atomic;
  const Order* licence = op.attrs.find<Order>(AttrKey::order);
  const bool strict = merges && licence && *licence == Order::strict;
  const std::vector<Interval> members = translate_ranges(op, op.regions[0]);
  const std::size_t depth = binders.size(), path_depth = path.size(), guard_depth = guards.size();
  for (const Interval& m : members) {
    binders.push_back({m, strict ? BinderKind::ordered : BinderKind::instance});
    path.push_back({0, m.var, !unordered});
  }
  path.push_back({0, {}, true});
  ++in_value_region_;
  const std::vector<ValueId> yielded = run_region(op.regions[0]);
  --in_value_region_;
  const std::size_t rank = type(op.operands[0]).rank(), count = op.operands.size();
  std::vector<Expr> place;
  for (std::size_t k = 0; k < rank; ++k) place.push_back(expr_of(yielded[k]));
  if (yielded.size() > rank + count) {
    const Expr active = expr_of(yielded[rank + count]);
    decides(active, op.range);
    guards.push_back(active);
  }
  if (op.kind == OpKind::histogram) {
    const Expr zero = pool_.constant(0), bins = values_[op.operands[0].index].relation->vars[0].hi;
    switch (op.attrs.get<OutOfRange>(AttrKey::out_of_range)) {
      case OutOfRange::drop: guards.push_back(both(less_equal(zero, place[0]), less(place[0], bins))); break;
      case OutOfRange::clamp: place[0] = min(max(place[0], zero), bins - 1); break;
      case OutOfRange::error: break;
    }
  }
  auto event = [&](const RelationValue& r, int step) {
    path.back().position = step;
    Event e = access(op, r, place);
    if (merges) e.merging = members.size();
    return e;
  };
  for (Expr c : place) decides(c, op.range);
  std::vector<Term> stored;
  for (std::size_t k = 0; k < count; ++k) stored.push_back(term_of(yielded[rank + k]));
  for (ValueId v : op.operands) claim_bounds(op, row(op.kind).name, *values_[v.index].relation, place, binders, guards, {});
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (values_[op.operands[a].index].relation->memory == values_[op.operands[b].index].relation->memory)
        run_unsupported(op, "two of its views are one memory");
  // What the licence permits beyond the order of the members, the combine owes as that of a fold.
  if (op.regions.size() > 1 && !strict) {
    auto licensed = std::make_shared<ReduceNode>();
    licensed->order = *licence;
    licensed->combine = combine(op.regions[1]);
    out_.folds.push_back({std::move(licensed), op.regions[1], op.range});
  }
  if (atomic) {
    Event e = event(*values_[op.operands[0].index].relation, 1);
    e.store = e.reads = true;
    e.atomic = fmt::format("{}.{} order({}) share({})", row(OpKind::atomic_rmw).name, name(*atomic), name(MemoryOrder::relaxed),
                           name(Sharing::invocation));
    e.value = stored[0];
    out_.events.push_back(std::move(e));
  } else {
    if (merges) {
      std::vector<Term> old;
      for (ValueId v : op.operands) {
        const RelationValue& r = *values_[v.index].relation;
        Event e = event(r, 1);
        e.value = contents(r, e.coordinates, e);
        old.push_back(e.value);
        out_.events.push_back(std::move(e));
      }
      if (op.regions.size() > 1) {
        const std::vector<ValueId>& arguments = body_.region(op.regions[1]).args;
        for (std::size_t k = 0; k < count; ++k) {
          define(arguments[k], old[k]);
          define(arguments[count + k], stored[k]);
        }
        path.back().position = 2;
        ++in_value_region_;
        const std::vector<ValueId> merged = run_region(op.regions[1]);
        --in_value_region_;
        for (std::size_t k = 0; k < count; ++k) stored[k] = term_of(merged[k]);
      } else {
        stored[0] = terms_.pointwise(OpKind::add, stored[0]->type, {old[0], stored[0]});
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      Event e = event(*values_[op.operands[k].index].relation, 3 + static_cast<int>(k));
      e.store = true;
      e.value = stored[k];
      out_.events.push_back(std::move(e));
    }
  }
  binders.resize(depth);
  path.resize(path_depth);
  guards.resize(guard_depth);
}

}  // namespace kir::proof
