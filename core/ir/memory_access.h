// The operands of load, store and the atomics by their roles:
//   view, coordinates..., values..., [where, [fill]]
// Values: store and atomic_store the one stored; atomic_rmw its operand; atomic_cas the expected and the desired one. Only
// what has a result has a fill.
#pragma once

#include <optional>

#include "core/ir/body.h"

namespace kir {

struct MemoryAccess {
  ValueId view;
  std::span<const ValueId> coordinates, values;
  ValueId where;  // none: unconditional
  ValueId fill;   // none: arbitrary where the predicate is false
};

bool is_memory_access(OpKind kind);
bool is_atomic(OpKind kind);
inline bool is_update(OpKind k) { return k == OpKind::scatter || k == OpKind::histogram; }
std::size_t value_count(OpKind access);
// The access may write.
bool writes_element(OpKind access);
bool has_fill(OpKind access);
// An atomic that orders other accesses too: it acquires or releases, when it succeeds or when it fails.
bool is_ordered(const Op& op);
// What hardware reads and writes in one piece, and which operations it has on it.
bool has_atomic(OpKind kind, const AtomicOp* operation, DType element);
// The read-modify-write that each member of a histogram or scatter is: its combine is one such operation, in any order. Nothing
// for other updates, whose members come one after the other.
std::optional<AtomicOp> atomic_update(const Body& body, const Op& op);

// Of an operation whose first operand is a view and that has coordinates for each axis and all values.
MemoryAccess as_access(const Body& body, const Op& op);

}  // namespace kir
