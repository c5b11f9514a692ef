// Result types of the coordinate relations, shared by the parser (which may leave a type out), the verifier and passes.
// The shapes are exact trees: a declared type must be the derived one.
#pragma once

#include <optional>

#include "core/ir/body.h"

namespace kir {

// hi - lo as a tree: hi where lo is 0, the difference where both are constants and it fits, else hi - lo.
Expr range_extent(ExprPool& pool, Expr lo, Expr hi);

// Whether e is that tree; makes no node.
bool is_range_extent(Expr e, Expr lo, Expr hi);

// Empty when perm is no permutation of the axes / the ranges do not fit the rank.
std::optional<Type> transposed(const Type& source, const IntList& perm);
std::optional<Type> sliced(ExprPool& pool, const Type& source, const ExprList& ranges);

}  // namespace kir
