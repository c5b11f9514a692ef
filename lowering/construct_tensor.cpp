// Tensor values: an element is computed where it is read, by the tensor's region with its arguments replaced by the
// coordinates, when the loads still see the same memory (fuse.h); else it is loaded from where it is kept. The tensor has one
// value for each element, so what a licence leaves open is fixed where it is computed at several places: folds become strict.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

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
            {}};
  }
  const Op& op = b_.op(made);
  KIR_CHECK(op.kind == OpKind::tensor, "an element of no tensor");
  const Region& region = b_.region(op.regions[0]);
  for (std::size_t k = 0; k < region.args.size(); ++k) {
    map_[region.args[k]] = materialise(place.coordinates[k], origin);
    claims_.bind_spec(region.args[k], meant.coordinates[k]);
  }
  const bool again = facts_.is_read_again(made);
  alike_ += again;
  ops(region);
  alike_ -= again;
  const ValueId yielded = b_.yields(op.regions[0])[0];
  return {value(yielded), yielded};
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
  if (b_.type(result).is(TypeKind::index)) claims_.bind_spec(result, claims_.spec(e.computed));
  if (b_.type(result).is_scalar(DType::i1)) claims_.bind_spec(result, claims_.spec(e.computed, Sort::boolean));
}

}  // namespace kir::lowering
