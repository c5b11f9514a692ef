// Conversions. Each mode rounds once; see narrow_float.h for the formats LLVM's instructions do not reach.
#include "core/base/check.h"
#include "emit/emitter.h"
#include "emit/narrow_float.h"

namespace kir::emit {

llvm::Value* Emitter::convert(ConvertMode mode, DType from, DType to, llvm::Value* x) {
  llvm::Type* type = value_type(to);
  auto from_integer = [&](bool is_signed) -> llvm::Value* {
    if (is_integer(to)) return is_signed ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type);
    if (is_narrow_float(to)) return double_to_narrow(b_, integer_to_double_for_narrow(b_, x, is_signed), to, false);
    return is_signed ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
  };
  // Through a word where the type is narrower: conversions to a single bit are wrong in LLVM 19's NVPTX back end. A value
  // out of range saturates or is erroneous, which gives an arbitrary value, but no undefined behaviour.
  auto to_integer = [&](bool is_signed, bool saturate) -> llvm::Value* {
    llvm::Value* value = to_compute(from, x);
    const unsigned bits = type->getIntegerBitWidth();
    llvm::Type* word = bits < 32 ? b_.getInt32Ty() : type;
    if (!saturate) {
      llvm::Value* whole = is_signed ? b_.CreateFPToSI(value, word) : b_.CreateFPToUI(value, word);
      return b_.CreateTrunc(b_.CreateFreeze(whole), type);
    }
    llvm::Value* whole = b_.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                            {word, value->getType()}, {value});
    if (word == type) return whole;
    auto limit = [&](const llvm::APInt& v) { return llvm::ConstantInt::get(word, is_signed ? v.sext(32) : v.zext(32)); };
    if (is_signed) {
      whole = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, whole, limit(llvm::APInt::getSignedMinValue(bits)));
      whole = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, whole, limit(llvm::APInt::getSignedMaxValue(bits)));
    } else {
      whole = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, whole, limit(llvm::APInt::getMaxValue(bits)));
    }
    return b_.CreateTrunc(whole, type);
  };
  switch (mode) {
    case ConvertMode::rn:
    case ConvertMode::sat_rn: {
      const bool saturate = mode == ConvertMode::sat_rn;
      if (from == to && !saturate) return x;
      if (is_narrow_float(to)) {
        if (!saturate && from == DType::f32)
          if (llvm::Value* native = provider_.round(b_, x, to)) return native;
        return double_to_narrow(b_, widened(from, x), to, saturate);
      }
      llvm::Value* y = to == DType::f64        ? widened(from, x)
                       : is_narrow_float(from) ? b_.CreateFPTrunc(to_compute(from, x), type)
                                               : b_.CreateFPTrunc(x, type);
      if (!saturate) return y;
      // From above: infinities, and finite values that round to one, become the largest finite value.
      llvm::Value* infinite =
          b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y), llvm::ConstantFP::getInfinity(type));
      llvm::Value* largest = llvm::ConstantFP::get(type, llvm::APFloat::getLargest(type->getFltSemantics()));
      return b_.CreateSelect(infinite, b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, largest, y), y);
    }
    case ConvertMode::sint: return from_integer(true);
    case ConvertMode::uint: return from_integer(false);
    case ConvertMode::wrap: return b_.CreateSExtOrTrunc(x, type);
    case ConvertMode::to_sint: return to_integer(true, false);
    case ConvertMode::to_uint: return to_integer(false, false);
    case ConvertMode::sat_to_sint: return to_integer(true, true);
    case ConvertMode::sat_to_uint: return to_integer(false, true);
    case ConvertMode::to_bool: {
      if (is_integer(from)) return b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
      llvm::Value* wide = to_compute(from, x);
      return b_.CreateFCmpUNE(wide, llvm::Constant::getNullValue(wide->getType()));
    }
    case ConvertMode::bits: return b_.CreateBitCast(x, type);
  }
  KIR_UNREACHABLE("conversion mode");
}

}  // namespace kir::emit
