// Loads and stores: the access relation is composed into plain coordinates of an ABI view, predicate and fill stay.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"

namespace kir::lowering {

Translator::Coordinates Translator::coordinates(std::span<const ValueId> kir) {
  Coordinates out;
  for (ValueId c : kir) {
    out.physical.push_back(pool_.value(value(c)));
    out.spec.push_back(claims_.spec(c));
  }
  return out;
}

Translator::Element Translator::element(OpId id, ValueId view, Coordinates at, bool masked) {
  Place place = resolve(
      kernel_, view, std::move(at.physical), pool_, [&](Expr l) { return pool_.value(value(l.value()), l.sort()); }, masked);
  Place meant = resolve(
      kernel_, view, std::move(at.spec), claims_.pool(), [&](Expr l) { return claims_.spec(l.value(), l.sort()); }, masked);
  const ViewParam* param = kernel_.abi.find_view(place.base);
  KIR_CHECK(param, "an access of {} names no ABI view", kernel_.id());
  Element e{value(place.base), param->name, {}, std::move(meant.coordinates)};
  for (Expr c : place.coordinates) e.coordinates.push_back(materialise(c, id));
  return e;
}

void Translator::load(OpId id) {
  const Op& op = b_.op(id);
  LoadView l = as_load(b_, op);
  Element e = element(id, l.view, coordinates(l.coordinates), static_cast<bool>(l.where));
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

void Translator::store(OpId id) {
  const Op& op = b_.op(id);
  StoreView s = as_store(b_, op);
  Element e = element(id, s.view, coordinates(s.coordinates), static_cast<bool>(s.where));
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  operands.push_back(value(s.value));
  ValueId where = s.where ? value(s.where) : ValueId{};
  if (where) operands.push_back(where);
  builder_.emit(OpKind::store, std::move(operands), attributes(op), {}, op.range, id);
  claims_.access(id, "store", e.name, e.spec, e.coordinates, s.where, where);
}

}  // namespace kir::lowering
