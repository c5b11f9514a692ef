// Tensor values: an element is computed where it is read, by the tensor's region with its arguments replaced by the
// coordinates, when the loads still see the same memory (fuse.h); else it is loaded from where it is kept.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

void Translator::elem(OpId id) {
  const Op& op = b_.op(id);
  std::vector<Expr> physical, spec;
  for (ValueId c : std::span(op.operands).subspan(1)) {
    physical.push_back(pool_.value(value(c)));
    spec.push_back(claims_.spec(c));
  }
  Place place = resolve(kernel_, op.operands[0], std::move(physical), pool_,
                        [&](Expr l) { return pool_.value(value(l.value()), l.sort()); });
  Place meant = resolve(kernel_, op.operands[0], std::move(spec), claims_.pool(),
                        [&](Expr l) { return claims_.spec(l.value(), l.sort()); });
  const OpId made = b_.value(place.base).op;
  if (facts_.keeps(made)) {
    std::vector<ValueId> operands = {value(place.base)};
    for (Expr c : place.coordinates) operands.push_back(materialise(c, id));
    bind_results(id, builder_.emit(OpKind::load, std::move(operands), {}, {type(b_.type(op.results[0]))}, op.range, id,
                                   {fresh_name(b_.value(op.results[0]).name)}));
    return;
  }
  const Op& tensor = b_.op(made);
  KIR_CHECK(tensor.kind == OpKind::tensor, "an element of no tensor");
  const Region& region = b_.region(tensor.regions[0]);
  for (std::size_t k = 0; k < region.args.size(); ++k) {
    map_[region.args[k]] = materialise(place.coordinates[k], id);
    claims_.bind_spec(region.args[k], meant.coordinates[k]);
  }
  ops(region);
  ValueId yielded = b_.yields(tensor.regions[0])[0];
  map_[op.results[0]] = value(yielded);
  const Type& t = b_.type(op.results[0]);
  if (t.is(TypeKind::index)) claims_.bind_spec(op.results[0], claims_.spec(yielded));
  if (t.is_scalar(DType::i1)) claims_.bind_spec(op.results[0], claims_.spec(yielded, Sort::boolean));
}

}  // namespace kir::lowering
