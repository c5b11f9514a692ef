// The one definition of every pointwise operation on scalars (docs/kir.md, op_table.h), used by both interpreters and by
// constant reasoning. Emission has its own: differential tests compare the two.
// Correct rounding: basic operations by the hardware's IEEE arithmetic in the type (narrow floats through an exact wider
// computation rounded once), transcendentals by MPFR, rounded once to nearest even. Denormals are kept. A NaN result is the
// canonical quiet NaN of its type (sign 0), except for neg, abs, select, convert bits, and loads and stores, which keep bits.
#pragma once

#include <optional>
#include <span>

#include "core/ir/op_kind.h"
#include "core/numeric/scalar.h"

namespace kir {

enum class ScalarError : std::uint8_t { none, division_by_zero, division_overflow, conversion_out_of_range };

struct ScalarResult {
  Scalar value;
  ScalarError error = ScalarError::none;
  bool ok() const { return error == ScalarError::none; }
};

// The form for inner loops: operands and result as bits of `t` (select: the condition's bit first). `error` is set on an
// erroneous execution, else left alone. Null where the operation does not take elements of type t.
using PointwiseFunction = std::uint64_t (*)(const std::uint64_t* operands, ScalarError& error);
PointwiseFunction pointwise_function(OpKind kind, DType t);

// Operations with only value operands: everything pointwise but constant, index, cmp, convert.
ScalarResult evaluate_pointwise(OpKind kind, std::span<const Scalar> operands);
bool evaluate_cmp(CmpPredicate predicate, const Scalar& a, const Scalar& b);
ScalarResult evaluate_convert(ConvertMode mode, const Scalar& a, DType to);
// An exact integer (an index value) to a data type: sint to floats (one rounding), wrap to integers, to_bool.
ScalarResult evaluate_convert_integer(ConvertMode mode, __int128 a, DType to);

// Whether every value of `from` is one of `to`: floats among floats, integers into integers of at least the width. widen()
// gives it then; i1 and u64 are unsigned, the other integers signed.
bool holds_every(DType to, DType from);
Scalar widen(const Scalar& a, DType to);
// The conversion that it is.
ConvertMode widening(DType from, DType to);

Scalar canonical_nan(DType t);

// Is `e` neutral for folds with this operation: op(a, e) == a and op(e, a) == a for every accumulator a that can be reached?
// `init_bits` are those of the fold's initial value when it has one. The closed table of docs/kir.md ("Neutral elements").
bool is_neutral(OpKind op, const Scalar& e, const std::optional<Scalar>& init);

// Does the operation's law hold exactly (for every bit pattern, NaN payloads aside)?
bool is_associative(OpKind op, DType t);
bool is_commutative(OpKind op, DType t);
bool is_idempotent(OpKind op, DType t);

}  // namespace kir
