// Loads and stores: the access relation is composed into plain coordinates of an ABI view, predicate and fill stay.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

Translator::Element Translator::element(OpId id, ValueId view, std::span<const ValueId> coordinates) {
  std::vector<Expr> physical, spec;
  for (ValueId c : coordinates) {
    physical.push_back(pool_.value(value(c)));
    spec.push_back(claims_.spec(c));
  }
  Place place =
      resolve(kernel_, view, std::move(physical), pool_, [&](Expr l) { return pool_.value(value(l.value()), l.sort()); });
  Place meant =
      resolve(kernel_, view, std::move(spec), claims_.pool(), [&](Expr l) { return claims_.spec(l.value(), l.sort()); });
  Element e{value(place.base), facts_.name(place.base), {}, std::move(meant.coordinates)};
  for (Expr c : place.coordinates) e.coordinates.push_back(materialise(c, id));
  return e;
}

void Translator::load(OpId id) {
  const Op& op = b_.op(id);
  LoadView l = as_load(b_, op);
  Element e = element(id, l.view, l.coordinates);
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  ValueId where = l.where ? value(l.where) : ValueId{};
  if (where) operands.push_back(where);
  if (l.fill) operands.push_back(value(l.fill));
  OpId made = builder_.emit(OpKind::load, std::move(operands), attributes(op), {type(b_.type(op.results[0]))}, op.range, id,
                            {fresh_name(b_.value(op.results[0]).name)});
  bind_results(id, made);
  claims_.access(id, "load", e.name, e.spec, e.coordinates, l.where, where);
}

void Translator::assume_in_bounds(OpId id) {
  const Op& op = b_.op(id);
  Element e = element(id, op.operands[0], std::span(op.operands).subspan(1));
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  builder_.emit(OpKind::assume_in_bounds, std::move(operands), {}, {}, op.range, id);
}

void Translator::store(OpId id) {
  const Op& op = b_.op(id);
  StoreView s = as_store(b_, op);
  Element e = element(id, s.view, s.coordinates);
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  operands.push_back(value(s.value));
  ValueId where = s.where ? value(s.where) : ValueId{};
  if (where) operands.push_back(where);
  builder_.emit(OpKind::store, std::move(operands), attributes(op), {}, op.range, id);
  claims_.access(id, "store", e.name, e.spec, e.coordinates, s.where, where);
}

}  // namespace kir::lowering
