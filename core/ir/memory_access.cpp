#include "core/ir/memory_access.h"

#include "core/base/check.h"

namespace kir {

bool is_atomic(OpKind k) {
  return k == OpKind::atomic_load || k == OpKind::atomic_store || k == OpKind::atomic_rmw || k == OpKind::atomic_cas;
}

bool is_memory_access(OpKind k) { return k == OpKind::load || k == OpKind::store || is_atomic(k); }

std::size_t value_count(OpKind k) {
  switch (k) {
    case OpKind::load:
    case OpKind::atomic_load: return 0;
    case OpKind::store:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw: return 1;
    case OpKind::atomic_cas: return 2;
    default: KIR_UNREACHABLE("no access of memory");
  }
}

bool writes_element(OpKind k) { return value_count(k) > 0; }
bool has_fill(OpKind k) { return k != OpKind::store && k != OpKind::atomic_store; }

MemoryAccess as_access(const Body& body, const Op& op) {
  const std::span<const ValueId> all(op.operands);
  const std::size_t rank = body.type(all[0]).rank(), values = value_count(op.kind), rest = 1 + rank + values;
  return {all[0], all.subspan(1, rank), all.subspan(1 + rank, values), all.size() > rest ? all[rest] : ValueId{},
          all.size() > rest + 1 ? all[rest + 1] : ValueId{}};
}

}  // namespace kir
