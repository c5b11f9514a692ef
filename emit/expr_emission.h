// The one emission of the integer expression language.
//
// Integer nodes are computed in a fixed width (32 or 64 bits) with wrapping arithmetic and without poison-making flags, so
// the emitted code is total: an operand that the evaluator of core/index would skip (the branch of an ite not taken, the
// right side of a decided connective) is computed too and ignored. Where the exact evaluator gives a value and every
// intermediate fits the width, the emitted code gives the same value; floordiv, mod and ceildiv round as documented there.
// Division guards its divisor: a zero divisor or minimum / -1, both excluded by proof, give an arbitrary value and not
// undefined behaviour. Constant powers of two become shifts and masks.
//
// O(distinct nodes) instructions; all of them in the builder's current block.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

#include "core/index/expr.h"

namespace kir::emit {

// `leaf` gives a symbol, value, position or variable as an integer of any width (sign-extended or truncated to `width`
// here), or an i1 for leaves of boolean sort. The result is iN of the width, or i1 for an expression of boolean sort.
llvm::Value* emit_expr(llvm::IRBuilder<>& builder, Expr e, unsigned width, const std::function<llvm::Value*(Expr)>& leaf);

// Signed quotient toward minus infinity and remainder with the divisor's sign; total (see above).
llvm::Value* emit_floordiv(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b);
llvm::Value* emit_mod(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b);
llvm::Value* emit_ceildiv(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b);
// A divisor by which sdiv/srem of `a` are defined, equal to b wherever a / b is.
llvm::Value* safe_divisor(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b);
// The same for udiv/urem.
llvm::Value* nonzero_divisor(llvm::IRBuilder<>& builder, llvm::Value* b);

}  // namespace kir::emit
