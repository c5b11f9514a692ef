// Floats that LLVM's basic arithmetic does not cover: f8e4m3, f8e5m2, f16, bf16 (SSA form: their bits, i8 or i16) and tf32
// (SSA form: a float whose low 13 bits are zero). Written in integer and double arithmetic alone, so that every provider
// and processor gives the same bits and no conversion library is called.
//
// Every format here is a subset of double. Arithmetic is done in a wider type and rounded once more, which equals one
// rounding when the wider precision is at least 2p + 2 (Figueroa, for + - * / and sqrt): float has 24 bits, and p is 11, 8,
// 4, 3 for f16, bf16 and f8. bf16 shares float's exponent range, where float's own subnormal rounding (multiples of 2^-149)
// comes first; it does no harm, since products of two bf16 that reach half of 2^-133 are exact there, sums are multiples of
// 2^-133, and a quotient of 8-bit significands keeps more than 2^-143 away from every midpoint it does not equal. tf32
// (p = 11, float's exponents) has no such argument for products, so it is computed in double. fma is not covered by the
// theorem: it is done in double with rounding to odd.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/numeric/dtype.h"

namespace kir::emit {

bool is_narrow_float(DType t);  // not f32, not f64

// Exact. A NaN stays a NaN.
llvm::Value* narrow_to_double(llvm::IRBuilder<>& builder, DType from, llvm::Value* x);
// Exact as well: float holds every narrow value.
llvm::Value* narrow_to_float(llvm::IRBuilder<>& builder, DType from, llvm::Value* x);

// Rounded once to nearest even, subnormals kept; NaN gives the canonical NaN. On overflow infinity (f8e4m3: NaN), or with
// `saturate` the largest finite value of the sign, for infinite x too.
llvm::Value* double_to_narrow(llvm::IRBuilder<>& builder, llvm::Value* x, DType to, bool saturate);

// An integer as a double such that rounding it to a narrow float once more gives the nearest one: exact below 2^53, else
// with the dropped bits folded into the last kept one.
llvm::Value* integer_to_double_for_narrow(llvm::IRBuilder<>& builder, llvm::Value* x, bool is_signed);

// a * b + c in double, rounded to odd: rounding that to a narrow format gives the fma there. The product of two narrow
// values is exact in double.
llvm::Value* fma_round_to_odd(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, llvm::Value* c);

}  // namespace kir::emit
