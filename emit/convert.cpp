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
  auto saturating = [&](llvm::Intrinsic::ID id) {
    llvm::Value* wide = to_compute(from, x);
    return b_.CreateIntrinsic(id, {type, wide->getType()}, {wide});
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
    // Out of range is erroneous: an arbitrary value then, but no undefined behaviour.
    case ConvertMode::to_sint: return b_.CreateFreeze(b_.CreateFPToSI(to_compute(from, x), type));
    case ConvertMode::to_uint: return b_.CreateFreeze(b_.CreateFPToUI(to_compute(from, x), type));
    case ConvertMode::sat_to_sint: return saturating(llvm::Intrinsic::fptosi_sat);
    case ConvertMode::sat_to_uint: return saturating(llvm::Intrinsic::fptoui_sat);
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
