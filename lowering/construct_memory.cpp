// Loads, stores and atomics: the access relation is composed into plain coordinates of an ABI view or buffer, predicate and
// fill stay.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include "core/base/check.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"

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
  Element e{value(place.base), facts_.name(place.base), {}, std::move(meant.coordinates)};
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

void Translator::assume_in_bounds(OpId id) {
  const Op& op = b_.op(id);
  Element e = element(id, op.operands[0], coordinates(std::span(op.operands).subspan(1)), false);
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  builder_.emit(OpKind::assume_in_bounds, std::move(operands), {}, {}, op.range, id);
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

// The instances of one group may run on any block of the GPU; one instance is alone with what no other group touches.
AtomicScope Translator::scope_of(Sharing sharing) const {
  if (sharing == Sharing::system) return AtomicScope::system;
  return one_instance_ ? AtomicScope::cta : AtomicScope::gpu;
}

void Translator::atomic(OpId id) {
  const Op& op = b_.op(id);
  const MemoryAccess a = as_access(b_, op);
  Element e = element(id, a.view, coordinates(a.coordinates), static_cast<bool>(a.where));
  std::vector<ValueId> operands = {e.view};
  operands.insert(operands.end(), e.coordinates.begin(), e.coordinates.end());
  for (ValueId v : a.values) operands.push_back(value(v));
  const ValueId where = a.where ? value(a.where) : ValueId{};
  if (where) operands.push_back(where);
  if (a.fill) operands.push_back(value(a.fill));
  std::vector<Type> types;
  std::vector<std::string> names;
  for (ValueId r : op.results) {
    types.push_back(type(b_.type(r)));
    names.push_back(fresh_name(b_.value(r).name));
  }
  Attrs attrs = attributes(op);
  attrs.set(AttrKey::atomic_scope, scope_of(op.attrs.get<Sharing>(AttrKey::sharing)));
  bind_results(id,
               builder_.emit(op.kind, std::move(operands), std::move(attrs), std::move(types), op.range, id, std::move(names)));
  claims_.access(id, row(op.kind).name, e.name, e.spec, e.coordinates, a.where, where);
}

}  // namespace kir::lowering
