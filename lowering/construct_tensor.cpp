// Tensor values: an element is computed where it is read, a tensor's by its region with the arguments replaced by the
// coordinates, a contraction's as a contraction of its own, when the loads still see the same memory (fuse.h); else it is
// loaded from where it is kept. An element that is at hand is not computed again. A tensor has one value for each element, so
// what a licence leaves open is fixed where it is computed at several places: folds become strict, without an error of their
// own.
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

Expr Translator::spec_expr(Expr kir) {
  return claims_.pool().import(kir, [&](Expr l) { return l.is(ExprKind::value) ? claims_.spec(l.value(), l.sort()) : Expr(); });
}

Translator::TensorElement Translator::element_of(ValueId tensor, std::vector<Expr> physical, std::vector<Expr> spec,
                                                 OpId origin, const std::string& name) {
  Place place =
      resolve(kernel_, tensor, std::move(physical), pool_, [&](Expr l) { return pool_.value(value(l.value()), l.sort()); });
  Place meant =
      resolve(kernel_, tensor, std::move(spec), claims_.pool(), [&](Expr l) { return claims_.spec(l.value(), l.sort()); });
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
  const Op& op = b_.op(made);
  const bool again = facts_.is_read_again(made);
  alike_ += again;
  const TensorElement read = op.kind == OpKind::contract ? read_contract(op, origin, place.coordinates, meant.coordinates)
                                                         : read_tensor(op, origin, place.coordinates, meant.coordinates);
  alike_ -= again;
  elements_.back().emplace(std::move(key), read);
  return read;
}

void Translator::elem(OpId id) {
  const Op& op = b_.op(id);
  std::vector<Expr> physical, spec;
  for (ValueId c : std::span(op.operands).subspan(1)) {
    physical.push_back(pool_.value(value(c)));
    spec.push_back(claims_.spec(c));
  }
  const ValueId result = op.results[0];
  const TensorElement e = element_of(op.operands[0], std::move(physical), std::move(spec), id, b_.value(result).name);
  if (!e.computed) return bind(result, e.value);
  map_[result] = e.value;
  if (b_.type(result).is_scalar(DType::i1)) claims_.bind_spec(result, e.meaning);
}

Translator::TensorElement Translator::read_tensor(const Op& tensor, OpId id, std::span<const Expr> at,
                                                  std::span<const Expr> spec_at) {
  KIR_CHECK(tensor.kind == OpKind::tensor, "an element of no tensor");
  const Region& region = b_.region(tensor.regions[0]);
  for (std::size_t k = 0; k < region.args.size(); ++k) {
    map_[region.args[k]] = materialise(at[k], id);
    claims_.bind_spec(region.args[k], spec_at[k]);
  }
  ops(region);
  const ValueId yielded = b_.yields(tensor.regions[0])[0];
  return {value(yielded), true, b_.type(yielded).is_scalar(DType::i1) ? claims_.spec(yielded, Sort::boolean) : Expr()};
}

// The batch and free axes are the element's coordinates, counted from their lower bounds; the paired ones stay.
Translator::TensorElement Translator::read_contract(const Op& contract, OpId id, std::span<const Expr> at,
                                                    std::span<const Expr> spec_at) {
  const ContractAxes axes = *contract_axes(contract);
  const ExprList& ranges = contract.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<ValueId> fixed;
  std::vector<Expr> meant;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Expr lo = ranges[2 * k];
    const bool zero = lo.is_constant(0);
    fixed.push_back(materialise(zero ? at[k] : expr(lo) + at[k], id));
    meant.push_back(zero ? spec_at[k] : spec_expr(lo) + spec_at[k]);
  }
  std::vector<ValueId> init = values(contract.operands);
  Attrs attrs = attributes(contract);
  attrs.set(AttrKey::axes, IntList{0, 0, 0, static_cast<std::int64_t>(axes.paired)});
  ExprList paired;
  for (std::size_t k = 2 * at.size(); k < ranges.size(); ++k) paired.push_back(expr(ranges[k]));
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
