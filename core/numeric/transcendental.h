// exp, exp2, log, log2, rsqrt, sin, cos, tanh, erf: correctly rounded into every float type.
#pragma once

#include <cstdint>

#include "core/ir/op_kind.h"
#include "core/numeric/dtype.h"

namespace kir {

// `kind` is one of the nine. NaN results are canonical. About 20 ns for narrow types, microseconds for f64.
std::uint64_t transcendental(OpKind kind, DType t, std::uint64_t x);

// The same by MPFR alone.
std::uint64_t transcendental_by_mpfr(OpKind kind, DType t, std::uint64_t x);

}  // namespace kir
