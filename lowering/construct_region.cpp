// Folds and scans over segments keep their regions. What a segment emits is stored to its place among the results.
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

void Translator::region_fold(OpId id) {
  const Op& op = b_.op(id);
  Attrs attrs = attributes(op);
  std::vector<RegionId> regions;
  for (RegionId r : op.regions) regions.push_back(mirror(r));
  finish(id, {}, std::move(attrs), std::move(regions), 0, op.results.size());
}

void Translator::region_scan(OpId id) {
  const Op& op = b_.op(id);
  const std::span<const ValueId> emitted = b_.yields(op.regions[3]);
  const std::size_t slices = emitted.size(), states = op.results.size() - slices;
  for (std::size_t k = 0; k < slices; ++k)
    if (facts_.is_used(op.results[k])) allocate(op.results[k], id, {});
  std::vector<ValueId> initial = values(std::span(op.operands).last(states));
  Attrs attrs = attributes(op);
  const Expr begin = attrs.get<ExprList>(AttrKey::ranges)[0];
  std::vector<RegionId> regions;
  for (std::size_t k = 0; k < 3; ++k) regions.push_back(mirror(op.regions[k]));
  const Region& emit = b_.region(op.regions[3]);
  regions.push_back(open_mirror(op.regions[3]));
  auto collected_here = [&](ValueId slice) {
    const OpId made = b_.value(slice).op;
    const bool stores = b_.op(made).kind == OpKind::for_loop || b_.op(made).kind == OpKind::scan;
    return stores && b_.op(made).parent == op.regions[3] && facts_.uses(slice) == 1;
  };
  for (std::size_t k = 0; k < slices; ++k)
    if (facts_.is_used(op.results[k]) && collected_here(emitted[k]))
      places_[emitted[k]] = {op.results[k], pool_.value(value(emit.args[0])), begin};
  ops(emit);
  for (std::size_t k = 0; k < slices; ++k)
    if (facts_.is_used(op.results[k]) && !places_.contains(emitted[k]))
      copy_slice(op.results[k], emitted[k], value(emit.args[0]), begin, id);
  builder_.emit(OpKind::yield, {}, {}, {}, b_.op(emit.ops.back()).range, emit.ops.back());
  close_mirror(op.regions[3]);
  finish(id, std::move(initial), std::move(attrs), std::move(regions), slices, states);
}

// Loops over the elements of the slice whose first axis begins at `lo`, where that axis of the result begins at `begin`.
void Translator::copy_slice(ValueId result, ValueId slice, ValueId lo, Expr begin, OpId origin) {
  const Type& t = b_.type(slice);
  struct Loop {
    RegionId region;
    ExprList range;
  };
  std::vector<Loop> loops;
  Coordinates at;
  for (Expr extent : t.shape) {
    RegionId body = builder_.new_region();
    ExprList range = {pool_.constant(0), expr(extent)};
    enter(body);
    ++repeats_;
    ValueId c = builder_.add_argument(body, Type::scalar(DType::i64), fresh_name("c"));
    at.physical.push_back(pool_.value(c));
    at.spec.push_back(claims_.phys(c));
    loops.push_back({body, std::move(range)});
  }
  const ValueId element = element_of(slice, at, origin, "").value;
  std::vector<ValueId> operands = {map_.at(result)};
  for (std::size_t axis = 0; axis < at.physical.size(); ++axis) {
    Expr place = at.physical[axis];
    if (axis == 0) place = begin.is_constant(0) ? place + pool_.value(lo) : place + pool_.value(lo) - begin;
    operands.push_back(materialise(place, origin));
  }
  operands.push_back(element);
  builder_.emit(OpKind::store, std::move(operands), {}, {}, b_.op(origin).range, origin);
  while (!loops.empty()) {
    builder_.emit(OpKind::next, {}, {}, {}, b_.op(origin).range, origin);
    leave();
    --repeats_;
    Attrs attrs;
    attrs.set(AttrKey::ranges, std::move(loops.back().range));
    builder_.emit_with_regions(OpKind::for_loop, {}, std::move(attrs), {loops.back().region}, {}, b_.op(origin).range, origin);
    loops.pop_back();
  }
}

}  // namespace kir::lowering
