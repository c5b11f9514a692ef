// Accesses: effects, coordinates, predicates, fills.
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;
using lowering::OpEdit;

// What load, store and the atomics have in common.
void Mutator::access(OpId id, const Op& o) {
  const MemoryAccess a = as_access(b_, o);
  const std::size_t rank = a.coordinates.size(), values = a.values.size();
  coordinates(id, o, rank, writes_element(o.kind) ? kShared : kCoordinate);
  for (std::size_t i = 0; i < values; ++i) replace_operand(id, o, 1 + rank + i, kOperand);
  if (a.where) add(has_fill(o.kind) ? kFill : kUnguarded, id, [n = 1 + rank + values](OpEdit& e) { e.operands.resize(n); });
  if (a.fill) {
    add(kFill, id, [](OpEdit& e) { e.operands.pop_back(); });
    replace_operand(id, o, o.operands.size() - 1, kFill);
  }
  if (rank > 0) {
    add(kAccess, id, [](OpEdit& e) { e.operands.erase(e.operands.begin() + 1); });
    if (!a.where && !is_atomic(o.kind)) add(kAccess, id, [v = o.operands[1]](OpEdit& e) { e.operands.push_back(v); });
  }
}

// What writes and gives no value can be left out, or be there twice. Loops and parallels too: they write by what is in them.
void Mutator::effect(OpId id, const Op& o) {
  const OpRow& r = row(o.kind);
  const bool writes = (is_memory_access(o.kind) && writes_element(o.kind)) || is_update(o.kind) ||
                      (r.family == Family::control && !o.regions.empty());
  if (!writes || is_used(o)) return;
  add(o.kind == OpKind::store && is_buffer(o.operands[0]) ? kFirstWrite : kDropped, id, [](OpEdit& e) { e.times = 0; });
  if (o.results.empty()) add(kRepeated, id, [](OpEdit& e) { e.times = 2; });
  if (o.kind == OpKind::store) exchange_with_next(id);
}

void Mutator::load(OpId id, const Op& o) {
  access(id, o);
  // Another view of the same form.
  for (const ViewParam& v : abi_.views) {
    const Type &now = b_.type(o.operands[0]), &then = b_.type(v.value);
    if (v.value == o.operands[0] || then.dtype != now.dtype || then.shape.size() != now.shape.size()) continue;
    add(kCoordinate, id, [&](OpEdit& e) { e.operands[0] = v.value; });
    break;
  }
}

void Mutator::coordinates(OpId id, const Op& o, std::size_t rank, const Damage& d) {
  for (std::size_t k = 1; k <= rank; ++k) {
    if (k < rank) add(d, id, [k](OpEdit& e) { std::swap(e.operands[k], e.operands[k + 1]); });
    replace_operand(id, o, k, d);
    if (auto other = invisible_before(id, b_.type(o.operands[k])))
      add(kProvenance, id, [&](OpEdit& e) { e.operands[k] = *other; });
  }
}

// Two stores beside each other, the later one first: copies of each at the other's place.
void Mutator::exchange_with_next(OpId id) {
  const Region& r = b_.region(b_.op(id).parent);
  std::size_t n = 0;
  while (r.ops[n] != id) ++n;
  if (n + 1 >= r.ops.size() || b_.op(r.ops[n + 1]).kind != OpKind::store) return;
  const OpId next = r.ops[n + 1];
  keep(kOrderOfEffects, id, place(id), copy([&](OpId at, OpEdit& e) {
         const Op& other = b_.op(at == id ? next : id);
         if (at != id && at != next) return;
         e.operands = other.operands;
         e.attrs = other.attrs;
       }));
}

}  // namespace kir::mutants
