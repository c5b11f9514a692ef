// Whether an operation on concrete floats was exact: nothing was rounded, so that a difference between two ways to compute is
// none of rounding.
#pragma once

#include <vector>

#include "core/ir/op_kind.h"
#include "core/numeric/scalar.h"

namespace kir::proof {

// False where it rounded, overflowed, or is of a kind that is not looked into. Operations on integers are exact.
bool is_exact(OpKind op, const std::vector<Scalar>& operands, const Scalar& result);

// Finite, and the same number: zeros of both signs are one.
bool same_number(const Scalar& a, const Scalar& b);

}  // namespace kir::proof
