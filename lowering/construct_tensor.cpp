// Tensor values: an element is computed where it is read when the loads still see the same memory (fuse.h); else it is loaded
// from where it is kept.
//
//   tensor    its region with its arguments replaced by the coordinates
//   gather    the same, then a read of the source at the coordinates that the region yields
//   concat    a branch for each operand: only the one that holds the element is read
//   iota      the coordinate, converted
//   contract  a contraction of its own
//
// An element that is at hand is not computed again. A tensor has one value for each element, so what a licence leaves open is
// fixed where it is computed at several places: folds become strict, without an error of their own.
#include "core/base/check.h"
#include "core/ir/fold.h"
#include "lowering/relation.h"
#include "lowering/translate.h"

namespace kir::lowering {
namespace {

Attrs without(const Attrs& attrs, AttrKey key) {
  Attrs out;
  for (const auto& [k, value] : attrs.all())
    if (k != key) out.set(k, value);
  return out;
}

}  // namespace

Translator::TensorElement Translator::element_of(ValueId tensor, Coordinates at, OpId origin, const std::string& name) {
  Place place =
      resolve(kernel_, tensor, std::move(at.physical), pool_, [&](Expr l) { return pool_.value(value(l.value()), l.sort()); });
  Place meant =
      resolve(kernel_, tensor, std::move(at.spec), claims_.pool(), [&](Expr l) { return claims_.spec(l.value(), l.sort()); });
  const OpId made = b_.value(place.base).op;
  if (facts_.keeps(made)) {
    std::vector<ValueId> operands = {value(place.base)};
    for (Expr c : place.coordinates) operands.push_back(materialise(c, origin));
    return {builder_.emit1(OpKind::load, std::move(operands), {}, Type::scalar(b_.type(tensor).dtype), b_.op(origin).range,
                           origin, fresh_name(name)),
            false,
            {}};
  }
  std::pair<ValueId, std::vector<Expr>> key(place.base, place.coordinates);
  key.second.insert(key.second.end(), meant.coordinates.begin(), meant.coordinates.end());
  for (const auto& known : elements_)
    if (auto it = known.find(key); it != known.end()) return it->second;
  const bool again = facts_.is_read_again(made);
  alike_ += again;
  const TensorElement read = compute(made, {std::move(place.coordinates), std::move(meant.coordinates)}, origin);
  alike_ -= again;
  elements_.back().emplace(std::move(key), read);
  return read;
}

Translator::TensorElement Translator::compute(OpId made, Coordinates at, OpId origin) {
  const Op& op = b_.op(made);
  KIR_CHECK(is_read_in_place(op.kind), "an element of no tensor");
  if (op.kind == OpKind::contract) return read_contract(op, origin, at);
  if (op.kind == OpKind::concat) return read_concat(made, std::move(at), 0, op.operands.size());
  if (op.kind == OpKind::iota) return read_iota(made, at, origin);
  enter_element(op.regions[0], at, origin);
  const auto yields = b_.yields(op.regions[0]);
  if (op.kind == OpKind::gather) return element_of_source(op.operands[0], coordinates(yields), made);
  const ValueId yielded = yields[0];
  return {value(yielded), true, b_.type(yielded).is_scalar(DType::i1) ? claims_.spec(yielded, Sort::boolean) : Expr()};
}

void Translator::elem(OpId id) {
  const Op& op = b_.op(id);
  const ValueId result = op.results[0];
  const TensorElement e = element_of(op.operands[0], coordinates(std::span(op.operands).subspan(1)), id, b_.value(result).name);
  if (!e.computed) return bind(result, e.value);
  map_[result] = e.value;
  if (b_.type(result).is_scalar(DType::i1)) claims_.bind_spec(result, e.meaning);
}

void Translator::enter_element(RegionId kir, const Coordinates& at, OpId id) {
  const Region& region = b_.region(kir);
  for (std::size_t k = 0; k < region.args.size(); ++k) {
    map_[region.args[k]] = materialise(at.physical[k], id);
    claims_.bind_spec(region.args[k], at.spec[k]);
  }
  ops(region);
}

Translator::TensorElement Translator::element_of_source(ValueId source, Coordinates at, OpId origin) {
  if (!b_.type(source).is(TypeKind::view)) return element_of(source, std::move(at), origin, b_.value(source).name);
  Element e = element(origin, source, std::move(at), false);
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  const ValueId v =
      builder_.emit1(OpKind::load, std::move(operands), {}, Type::scalar(b_.type(source).dtype), b_.op(origin).range, origin);
  claims_.access(origin, "load", e.name, e.spec, e.coordinates, {}, {});
  return {v, false, {}};
}

Translator::TensorElement Translator::read_iota(OpId iota, const Coordinates& at, OpId origin) {
  const Op& op = b_.op(iota);
  const ValueId coordinate =
      materialise(at.physical[static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis))], origin);
  const DType to = b_.type(op.results[0]).dtype;
  if (to == DType::i64) return {coordinate, false, {}};
  const Attrs mode{{AttrKey::mode, is_float(to) ? ConvertMode::sint : ConvertMode::wrap}};
  return {builder_.emit1(OpKind::convert, {coordinate}, mode, Type::scalar(to), op.range, iota), false, {}};
}

// Of operands `first` to before `last`, in halves, so that many operands nest little.
Translator::TensorElement Translator::read_concat(OpId id, Coordinates at, std::size_t first, std::size_t last) {
  const Op& op = b_.op(id);
  if (first + 1 == last) return element_of_source(op.operands[first], std::move(at), id);
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
    const TensorElement read = arm == 0 ? read_concat(id, at, first, middle) : read_concat(id, behind, middle, last);
    builder_.emit(OpKind::yield, {read.value}, {}, {}, op.range, id);
    leave();
    arms.push_back(region);
  }
  const Type type = Type::scalar(b_.type(op.results[0]).dtype);
  return {builder_.result(builder_.emit_with_regions(OpKind::if_else, {inside}, {}, std::move(arms), {type}, op.range, id)),
          false,
          {}};
}

// The batch and free axes are the element's coordinates, counted from their lower bounds; the paired ones stay.
Translator::TensorElement Translator::read_contract(const Op& contract, OpId id, const Coordinates& at) {
  const ContractAxes axes = *contract_axes(contract);
  const ExprList& ranges = contract.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<ValueId> fixed;
  std::vector<Expr> meant;
  const std::size_t free = at.physical.size();
  for (std::size_t k = 0; k < free; ++k) {
    const Expr lo = ranges[2 * k];
    const bool zero = lo.is_constant(0);
    fixed.push_back(materialise(zero ? at.physical[k] : expr(lo) + at.physical[k], id));
    meant.push_back(zero ? at.spec[k] : claims_.spec(lo) + at.spec[k]);
  }
  std::vector<ValueId> init = values(contract.operands);
  Attrs attrs = attributes(contract);
  attrs.set(AttrKey::axes, IntList{0, 0, 0, static_cast<std::int64_t>(axes.paired)});
  ExprList paired;
  for (std::size_t k = 2 * free; k < ranges.size(); ++k) paired.push_back(expr(ranges[k]));
  attrs.set(AttrKey::ranges, std::move(paired));
  if (alike_ > 0) attrs = without(attrs, AttrKey::unit);
  std::vector<RegionId> regions;
  for (std::size_t r = 0; r < contract.regions.size(); ++r) {
    if (r > 1) {
      regions.push_back(mirror(contract.regions[r]));
      continue;
    }
    const Region& side = b_.region(contract.regions[r]);
    RegionId out = builder_.new_region();
    builder_.set_region_origin(out, contract.regions[r]);
    enter(out);
    const std::size_t own = r == 0 ? axes.left : axes.right;
    for (std::size_t i = 0; i < side.args.size(); ++i) {
      const ValueId a = side.args[i];
      if (i >= axes.batch + own) {
        bind(a, builder_.add_argument(out, type(b_.type(a)), fresh_name(b_.value(a).name), b_.value(a).range, a));
        continue;
      }
      const std::size_t axis = i < axes.batch || r == 0 ? i : i + axes.left;
      map_[a] = fixed[axis];
      claims_.bind_spec(a, meant[axis]);
    }
    for (OpId o : side.ops) op(o);
    leave();
    regions.push_back(out);
  }
  const ValueId tensor = contract.results[0];
  OpId made = builder_.emit_with_regions(OpKind::contract, std::move(init), std::move(attrs), std::move(regions),
                                         {Type::scalar(b_.type(tensor).dtype)}, contract.range, b_.value(tensor).op,
                                         {fresh_name(b_.value(tensor).name)});
  builder_.set_value_origin(builder_.result(made), tensor);
  TensorElement out{builder_.result(made), true, {}};
  if (b_.type(tensor).dtype == DType::i1) out.meaning = claims_.phys(out.value, Sort::boolean);
  return out;
}

}  // namespace kir::lowering
