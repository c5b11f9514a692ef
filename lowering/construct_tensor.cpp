// Tensor values: an element is computed where it is read (fuse.h has checked that the loads still see the same memory).
//
//   tensor   its region with its arguments replaced by the coordinates
//   gather   the same, then a read of the source at the coordinates that the region yields
//   concat   a branch for each operand: only the one that holds the element is read
//   iota     the coordinate, converted
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

void Translator::elem(OpId id) {
  const Op& op = b_.op(id);
  const Read read = element_of(id, op.operands[0], coordinates(std::span(op.operands).subspan(1)));
  const ValueId result = op.results[0];
  if (!read.yielded) return bind(result, read.value);
  map_[result] = read.value;
  const Type& t = b_.type(result);
  if (t.is(TypeKind::index)) claims_.bind_spec(result, claims_.spec(read.yielded));
  if (t.is_scalar(DType::i1)) claims_.bind_spec(result, claims_.spec(read.yielded, Sort::boolean));
}

void Translator::enter_element(RegionId kir, const Coordinates& at, OpId id) {
  const Region& region = b_.region(kir);
  for (std::size_t k = 0; k < region.args.size(); ++k) {
    map_[region.args[k]] = materialise(at.physical[k], id);
    claims_.bind_spec(region.args[k], at.spec[k]);
  }
  ops(region);
}

Translator::Read Translator::element_of(OpId id, ValueId tensor, Coordinates at) {
  Place place =
      resolve(kernel_, tensor, std::move(at.physical), pool_, [&](Expr l) { return pool_.value(value(l.value()), l.sort()); });
  Place meant =
      resolve(kernel_, tensor, std::move(at.spec), claims_.pool(), [&](Expr l) { return claims_.spec(l.value(), l.sort()); });
  at = {std::move(place.coordinates), std::move(meant.coordinates)};
  const OpId made = b_.value(place.base).op;
  const Op& op = b_.op(made);
  KIR_CHECK(makes_tensor(op.kind), "an element of no tensor");
  if (op.kind == OpKind::concat) return concat(made, std::move(at), 0, op.operands.size());
  if (op.kind == OpKind::iota) {
    const ValueId coordinate =
        materialise(at.physical[static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis))], id);
    const DType to = b_.type(op.results[0]).dtype;
    if (to == DType::i64) return {coordinate, {}};
    const Attrs mode{{AttrKey::mode, is_float(to) ? ConvertMode::sint : ConvertMode::wrap}};
    return {builder_.emit1(OpKind::convert, {coordinate}, mode, Type::scalar(to), op.range, made), {}};
  }
  enter_element(op.regions[0], at, id);
  const auto yields = b_.yields(op.regions[0]);
  if (op.kind == OpKind::tensor) return {value(yields[0]), yields[0]};
  return element_of_source(made, op.operands[0], coordinates(yields));
}

Translator::Read Translator::element_of_source(OpId id, ValueId source, Coordinates at) {
  if (!b_.type(source).is(TypeKind::view)) return element_of(id, source, std::move(at));
  Element e = element(id, source, std::move(at), false);
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  const ValueId v =
      builder_.emit1(OpKind::load, std::move(operands), {}, Type::scalar(b_.type(source).dtype), b_.op(id).range, id);
  claims_.access(id, "load", e.name, e.spec, e.coordinates, {}, {});
  return {v, {}};
}

// In halves, so that many operands nest little.
Translator::Read Translator::concat(OpId id, Coordinates at, std::size_t first, std::size_t last) {
  const Op& op = b_.op(id);
  if (first + 1 == last) return element_of_source(id, op.operands[first], std::move(at));
  const auto axis = static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis));
  const std::size_t middle = first + (last - first) / 2;
  Expr before, meant;
  for (std::size_t k = first; k < middle; ++k) {
    const Expr extent = b_.type(op.operands[k]).shape[axis];
    before = before ? before + expr(extent) : expr(extent);
    meant = meant ? meant + claims_.spec(extent) : claims_.spec(extent);
  }
  at.physical[axis] = pool_.value(materialise(at.physical[axis], id));
  const ValueId inside = materialise(less(at.physical[axis], before), id);
  Coordinates behind = at;
  behind.physical[axis] = behind.physical[axis] - before;
  behind.spec[axis] = behind.spec[axis] - meant;
  std::vector<RegionId> arms;
  for (int arm = 0; arm < 2; ++arm) {
    const RegionId region = builder_.new_region();
    enter(region);
    const Read read = arm == 0 ? concat(id, at, first, middle) : concat(id, behind, middle, last);
    builder_.emit(OpKind::yield, {read.value}, {}, {}, op.range, id);
    leave();
    arms.push_back(region);
  }
  const Type type = Type::scalar(b_.type(op.results[0]).dtype);
  return {builder_.result(builder_.emit_with_regions(OpKind::if_else, {inside}, {}, std::move(arms), {type}, op.range, id)),
          {}};
}

}  // namespace kir::lowering
