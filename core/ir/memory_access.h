// The operands of load, store and the atomics by their roles:
//   view, coordinates..., values..., [where, [fill]]
// Values: store and atomic_store the one stored; atomic_rmw its operand; atomic_cas the expected and the desired one. Only
// what has a result has a fill.
#pragma once

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
std::size_t value_count(OpKind access);
// The access may write.
bool writes_element(OpKind access);
bool has_fill(OpKind access);

// Of an operation whose first operand is a view and that has coordinates for each axis and all values.
MemoryAccess as_access(const Body& body, const Op& op);

}  // namespace kir
