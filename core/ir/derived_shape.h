// Result types of the coordinate relations, shared by the parser (which may leave a type out), the verifier and passes.
// The shapes are exact trees: a declared type must be the derived one.
#pragma once

#include <optional>
#include <span>

#include "core/ir/body.h"

namespace kir {

// hi - lo as a tree: hi where lo is 0, the difference where both are constants and it fits, else hi - lo.
Expr range_extent(ExprPool& pool, Expr lo, Expr hi);

// Whether e is that tree; makes no node.
bool is_range_extent(Expr e, Expr lo, Expr hi);

// The sum of the operands' extents along the axis of a concat: the number where all are constants and it fits, else
// ((a + b) + c). At least one operand.
Expr concat_extent(ExprPool& pool, std::span<const Expr> extents);
bool is_concat_extent(Expr e, std::span<const Expr> extents);
// Sums of sums share their parts, so few operations could give an extent that fills the memory when it is written out.
inline constexpr std::uint32_t kMaxConcatTerms = 1000;

// Empty when perm is no permutation of the axes / the ranges do not fit the rank.
std::optional<Type> transposed(const Type& source, const IntList& perm);
std::optional<Type> sliced(ExprPool& pool, const Type& source, const ExprList& ranges);

}  // namespace kir
