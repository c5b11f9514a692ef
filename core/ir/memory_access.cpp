#include "core/ir/memory_access.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/fold.h"

namespace kir {
namespace {

bool is_one_of(DType t, std::initializer_list<DType> list) { return std::find(list.begin(), list.end(), t) != list.end(); }

AtomicOp atomic_of(OpKind k) {
  switch (k) {
    case OpKind::add: return AtomicOp::add;
    case OpKind::min_s: return AtomicOp::min_s;
    case OpKind::max_s: return AtomicOp::max_s;
    case OpKind::min_u: return AtomicOp::min_u;
    case OpKind::max_u: return AtomicOp::max_u;
    case OpKind::min_num: return AtomicOp::min_num;
    case OpKind::max_num: return AtomicOp::max_num;
    case OpKind::bit_and: return AtomicOp::bit_and;
    case OpKind::bit_or: return AtomicOp::bit_or;
    case OpKind::bit_xor: return AtomicOp::bit_xor;
    default: return AtomicOp::exchange;  // no operation of an update
  }
}

}  // namespace

bool has_atomic(OpKind kind, const AtomicOp* operation, DType t) {
  const bool whole = is_one_of(t, {DType::i32, DType::i64, DType::u64}), real = is_one_of(t, {DType::f32, DType::f64});
  if (kind != OpKind::atomic_rmw) return whole || real || is_one_of(t, {DType::i16, DType::f16, DType::bf16});
  switch (*operation) {
    case AtomicOp::add: return whole || real || is_one_of(t, {DType::f16, DType::bf16});
    case AtomicOp::exchange: return whole || real;
    case AtomicOp::min_num:
    case AtomicOp::max_num: return real;
    case AtomicOp::min_s:
    case AtomicOp::max_s:
    case AtomicOp::min_u:
    case AtomicOp::max_u:
    case AtomicOp::bit_and:
    case AtomicOp::bit_or:
    case AtomicOp::bit_xor: return whole;
  }
  return false;
}

std::optional<AtomicOp> atomic_update(const Body& body, const Op& op) {
  const DType t = body.type(op.operands[0]).dtype;
  AtomicOp operation = AtomicOp::add;
  if (op.kind == OpKind::scatter) {
    if (op.regions.size() < 2 || op.operands.size() != 1 || op.attrs.get<Order>(AttrKey::order) != Order::any)
      return std::nullopt;
    const std::optional<OpKind> single = single_operation(body, op.regions[1]);
    operation = single ? atomic_of(*single) : AtomicOp::exchange;
    if (operation == AtomicOp::exchange) return std::nullopt;
  }
  if (!has_atomic(OpKind::atomic_rmw, &operation, t)) return std::nullopt;
  return operation;
}

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

bool is_ordered(const Op& op) {
  if (!is_atomic(op.kind)) return false;
  if (op.attrs.get<MemoryOrder>(AttrKey::memory_order) != MemoryOrder::relaxed) return true;
  const MemoryOrder* failed = op.attrs.find<MemoryOrder>(AttrKey::failure_order);
  return failed && *failed != MemoryOrder::relaxed;
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
