#include "emit/narrow_float.h"

#include <bit>
#include <cmath>

#include "core/base/check.h"
#include "core/numeric/float_format.h"

namespace kir::emit {
namespace {

using Builder = llvm::IRBuilder<>;

constexpr int kDoubleBias = 1023;
constexpr int kDoubleMantissa = 52;

llvm::Value* i64(Builder& b, std::uint64_t v) { return b.getInt64(v); }
llvm::Value* f64(Builder& b, double v) { return llvm::ConstantFP::get(b.getDoubleTy(), v); }

}  // namespace

bool is_narrow_float(DType t) { return is_float(t) && t != DType::f32 && t != DType::f64; }

llvm::Value* narrow_to_double(Builder& b, DType from, llvm::Value* x) {
  KIR_CHECK(is_narrow_float(from), "not a narrow float");
  if (from == DType::tf32 || from == DType::bf16) return b.CreateFPExt(narrow_to_float(b, from, x), b.getDoubleTy());
  const FloatFormat& f = float_format(from);
  llvm::Value* bits = b.CreateZExt(x, b.getInt64Ty());
  llvm::Value* sign = b.CreateShl(b.CreateAnd(bits, i64(b, f.sign_bit())), 63 - (f.exponent_bits + f.mantissa_bits));
  llvm::Value* magnitude = b.CreateAnd(bits, i64(b, f.sign_bit() - 1));
  // Normal numbers: shift the fields up and rebias. Subnormal ones: fraction times the smallest number, exactly.
  llvm::Value* normal = b.CreateAdd(b.CreateShl(magnitude, kDoubleMantissa - f.mantissa_bits),
                                    i64(b, static_cast<std::uint64_t>(kDoubleBias - f.bias()) << kDoubleMantissa));
  llvm::Value* subnormal = b.CreateBitCast(
      b.CreateFMul(b.CreateUIToFP(magnitude, b.getDoubleTy()), f64(b, std::ldexp(1.0, f.min_exponent() - f.mantissa_bits))),
      b.getInt64Ty());
  llvm::Value* value =
      b.CreateSelect(b.CreateICmpULT(magnitude, i64(b, std::uint64_t{1} << f.mantissa_bits)), subnormal, normal);
  const std::uint64_t infinity = std::bit_cast<std::uint64_t>(HUGE_VAL);
  if (f.infinities) {
    llvm::Value* special =
        b.CreateSelect(b.CreateICmpEQ(magnitude, i64(b, f.infinity())), i64(b, infinity), i64(b, 0x7ff8000000000000ull));
    value = b.CreateSelect(b.CreateICmpUGE(magnitude, i64(b, f.infinity())), special, value);
  } else {
    value = b.CreateSelect(b.CreateICmpUGT(magnitude, i64(b, f.max_finite())), i64(b, 0x7ff8000000000000ull), value);
  }
  return b.CreateBitCast(b.CreateOr(value, sign), b.getDoubleTy());
}

llvm::Value* narrow_to_float(Builder& b, DType from, llvm::Value* x) {
  if (from == DType::tf32) return x;
  if (from == DType::bf16) return b.CreateBitCast(b.CreateShl(b.CreateZExt(x, b.getInt32Ty()), 16), b.getFloatTy());
  return b.CreateFPTrunc(narrow_to_double(b, from, x), b.getFloatTy());
}

llvm::Value* double_to_narrow(Builder& b, llvm::Value* x, DType to, bool saturate) {
  KIR_CHECK(is_narrow_float(to), "not a narrow float");
  const FloatFormat& f = float_format(to);
  llvm::Value* bits = b.CreateBitCast(x, b.getInt64Ty());
  llvm::Value* magnitude = b.CreateAnd(bits, i64(b, ~(std::uint64_t{1} << 63)));
  // Fields in the narrow format before its `shift`. Normal range: rebias and round the mantissa to nearest even by an integer
  // addition; a carry runs into the exponent. Below: an addition of a double whose last bit is the smallest subnormal rounds
  // there, and its low bits are the fraction.
  const int drop = kDoubleMantissa - f.mantissa_bits;
  llvm::Value* rebiased = b.CreateSub(magnitude, i64(b, static_cast<std::uint64_t>(kDoubleBias - f.bias()) << kDoubleMantissa));
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(rebiased, drop), i64(b, 1));
  llvm::Value* rounded =
      b.CreateLShr(b.CreateAdd(b.CreateAdd(rebiased, odd), i64(b, (std::uint64_t{1} << (drop - 1)) - 1)), drop);
  const double magic = std::ldexp(1.0, kDoubleMantissa + f.min_exponent() - f.mantissa_bits);
  llvm::Value* absolute = b.CreateBitCast(magnitude, b.getDoubleTy());
  llvm::Value* subnormal = b.CreateSub(b.CreateBitCast(b.CreateFAdd(absolute, f64(b, magic)), b.getInt64Ty()),
                                       i64(b, std::bit_cast<std::uint64_t>(magic)));
  llvm::Value* is_small = b.CreateICmpULT(magnitude, i64(b, std::bit_cast<std::uint64_t>(std::ldexp(1.0, f.min_exponent()))));
  llvm::Value* fields = b.CreateSelect(is_small, subnormal, rounded);

  const std::uint64_t max_finite = f.max_finite() >> f.shift;
  const std::uint64_t nan = f.quiet_nan() >> f.shift;
  const std::uint64_t overflow = saturate ? max_finite : f.infinities ? f.infinity() >> f.shift : nan;
  fields = b.CreateSelect(b.CreateICmpUGT(fields, i64(b, max_finite)), i64(b, overflow), fields);
  const int sign_position = f.exponent_bits + f.mantissa_bits;
  llvm::Value* sign = b.CreateShl(b.CreateLShr(bits, 63), sign_position);
  llvm::Value* result = b.CreateOr(fields, sign);
  llvm::Value* is_nan = b.CreateICmpUGT(magnitude, i64(b, std::bit_cast<std::uint64_t>(HUGE_VAL)));
  result = b.CreateSelect(is_nan, i64(b, nan), result);
  if (to == DType::tf32) {
    llvm::Value* word = b.CreateTrunc(b.CreateShl(result, f.shift), b.getInt32Ty());
    return b.CreateBitCast(word, b.getFloatTy());
  }
  return b.CreateTrunc(result, b.getIntNTy(static_cast<unsigned>(bit_width(to))));
}

llvm::Value* integer_to_double_for_narrow(Builder& b, llvm::Value* x, bool is_signed) {
  auto convert = [&](llvm::Value* v) {
    return is_signed ? b.CreateSIToFP(v, b.getDoubleTy()) : b.CreateUIToFP(v, b.getDoubleTy());
  };
  if (x->getType()->getIntegerBitWidth() <= 32) return convert(x);
  // At or above 2^53 the value is cut to a multiple of 2^12 with a sticky bit at 2^11: still a double, on the same side of
  // every narrow midpoint.
  llvm::Value* low = b.CreateAnd(x, i64(b, 0xfff));
  llvm::Value* sticky = b.CreateSelect(b.CreateICmpNE(low, i64(b, 0)), i64(b, 0x800), i64(b, 0));
  llvm::Value* folded = b.CreateOr(b.CreateAnd(x, i64(b, ~std::uint64_t{0xfff})), sticky);
  llvm::Value* limit = i64(b, std::uint64_t{1} << 53);
  llvm::Value* magnitude = is_signed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, b.CreateNeg(x)) : x;
  return convert(b.CreateSelect(b.CreateICmpUGE(magnitude, limit), folded, x));
}

llvm::Value* fma_round_to_odd(Builder& b, llvm::Value* a0, llvm::Value* b0, llvm::Value* c) {
  llvm::Value* p = b.CreateFMul(a0, b0);
  llvm::Value* s = b.CreateFAdd(p, c);
  // Knuth's two-sum: s + error == p + c exactly, for finite values.
  llvm::Value* t = b.CreateFSub(s, p);
  llvm::Value* error = b.CreateFAdd(b.CreateFSub(p, b.CreateFSub(s, t)), b.CreateFSub(c, t));
  llvm::Value* bits = b.CreateBitCast(s, b.getInt64Ty());
  llvm::Value* inexact = b.CreateFCmpONE(error, f64(b, 0.0));  // false when s is not finite: the error is NaN then
  llvm::Value* even = b.CreateICmpEQ(b.CreateAnd(bits, i64(b, 1)), i64(b, 0));
  // An even last bit moves to the odd neighbour on the side of the error.
  llvm::Value* same_sign = b.CreateICmpSGE(b.CreateXor(b.CreateBitCast(error, b.getInt64Ty()), bits), i64(b, 0));
  llvm::Value* moved = b.CreateSelect(same_sign, b.CreateAdd(bits, i64(b, 1)), b.CreateSub(bits, i64(b, 1)));
  return b.CreateBitCast(b.CreateSelect(b.CreateAnd(inexact, even), moved, bits), b.getDoubleTy());
}

}  // namespace kir::emit
