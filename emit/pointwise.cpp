// Pointwise operations, on scalars and lane by lane on fragments. Floats carry no fast-math flag: nothing is contracted or
// reassociated. NaN results of arithmetic are whatever NaN the hardware makes (payloads are no part of a result's value);
// min and max give the canonical NaN.
#include "emit/emitter.h"

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"
#include "emit/expr_emission.h"
#include "emit/narrow_float.h"

namespace kir::emit {

llvm::Value* Emitter::literal(const Scalar& s) {
  llvm::Type* type = value_type(s.type);
  llvm::APInt bits(static_cast<unsigned>(s.type == DType::tf32 ? 32 : bit_width(s.type)), s.bits);
  if (!type->isFloatingPointTy()) return llvm::ConstantInt::get(type, bits);
  const auto& semantics = type->isFloatTy() ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
  return llvm::ConstantFP::get(type, llvm::APFloat(semantics, bits));
}

llvm::Value* Emitter::nan(DType t) { return literal(canonical_nan(t)); }

llvm::Value* Emitter::to_compute(DType t, llvm::Value* x) {
  if (t == DType::tf32) return b_.CreateFPExt(x, b_.getDoubleTy());
  if (!is_narrow_float(t)) return x;
  if (llvm::Value* native = provider_.widen(b_, t, x)) return native;
  return narrow_to_float(b_, t, x);
}

llvm::Value* Emitter::from_compute(DType t, llvm::Value* x) {
  if (!is_narrow_float(t)) return x;
  if (t != DType::tf32)
    if (llvm::Value* native = provider_.round(b_, x, t)) return native;
  return double_to_narrow(b_, b_.CreateFPExt(x, b_.getDoubleTy()), t, false);
}

llvm::Value* Emitter::widened(DType t, llvm::Value* x) {
  if (t == DType::f64) return x;
  return t == DType::f32 ? b_.CreateFPExt(x, b_.getDoubleTy()) : narrow_to_double(b_, t, x);
}

llvm::Value* Emitter::fused(DType t, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  if (is_narrow_float(t))
    return double_to_narrow(b_, fma_round_to_odd(b_, widened(t, a), widened(t, b), widened(t, c)), t, false);
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* Emitter::min_max(OpKind kind, DType t, llvm::Value* a, llvm::Value* b) {
  const bool maximum = kind == OpKind::max_nan || kind == OpKind::max_num;
  const bool propagate = kind == OpKind::max_nan || kind == OpKind::min_nan;
  llvm::Value *x = to_compute(t, a), *y = to_compute(t, b);
  // On numbers: equal operands are the same or zeros of either sign, which `and` (max) or `or` (min) of the bits resolves.
  auto numbers = [&]() -> llvm::Value* {
    if (!is_narrow_float(t))
      if (llvm::Value* native = provider_.min_max_nan(b_, maximum, a, b)) return native;
    llvm::Value* larger = maximum ? b_.CreateFCmpOGT(x, y) : b_.CreateFCmpOLT(x, y);
    llvm::Type* type = a->getType();
    llvm::Type* word = b_.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
    llvm::Value *p = b_.CreateBitCast(a, word), *q = b_.CreateBitCast(b, word);
    llvm::Value* zero = b_.CreateBitCast(maximum ? b_.CreateAnd(p, q) : b_.CreateOr(p, q), type);
    return b_.CreateSelect(b_.CreateFCmpOEQ(x, y), zero, b_.CreateSelect(larger, a, b));
  };
  llvm::Value* result = numbers();
  if (propagate) return b_.CreateSelect(b_.CreateFCmpUNO(x, y), nan(t), result);
  llvm::Value *a_nan = b_.CreateFCmpUNO(x, x), *b_nan = b_.CreateFCmpUNO(y, y);
  llvm::Value* other = b_.CreateSelect(b_nan, b_.CreateSelect(a_nan, nan(t), a), result);
  return b_.CreateSelect(b_.CreateAnd(a_nan, b_.CreateNot(b_nan)), b, other);
}

llvm::Value* Emitter::compare(CmpPredicate predicate, DType t, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  auto of = [&]() -> P {
    switch (predicate) {
      case CmpPredicate::eq: return P::ICMP_EQ;
      case CmpPredicate::ne: return P::ICMP_NE;
      case CmpPredicate::slt: return P::ICMP_SLT;
      case CmpPredicate::sle: return P::ICMP_SLE;
      case CmpPredicate::sgt: return P::ICMP_SGT;
      case CmpPredicate::sge: return P::ICMP_SGE;
      case CmpPredicate::ult: return P::ICMP_ULT;
      case CmpPredicate::ule: return P::ICMP_ULE;
      case CmpPredicate::ugt: return P::ICMP_UGT;
      case CmpPredicate::uge: return P::ICMP_UGE;
      case CmpPredicate::oeq: return P::FCMP_OEQ;
      case CmpPredicate::one: return P::FCMP_ONE;
      case CmpPredicate::olt: return P::FCMP_OLT;
      case CmpPredicate::ole: return P::FCMP_OLE;
      case CmpPredicate::ogt: return P::FCMP_OGT;
      case CmpPredicate::oge: return P::FCMP_OGE;
      case CmpPredicate::ord: return P::FCMP_ORD;
      case CmpPredicate::ueq: return P::FCMP_UEQ;
      case CmpPredicate::une: return P::FCMP_UNE;
      case CmpPredicate::fult: return P::FCMP_ULT;
      case CmpPredicate::fule: return P::FCMP_ULE;
      case CmpPredicate::fugt: return P::FCMP_UGT;
      case CmpPredicate::fuge: return P::FCMP_UGE;
      case CmpPredicate::uno: return P::FCMP_UNO;
    }
    KIR_UNREACHABLE("comparison predicate");
  };
  if (is_float_predicate(predicate)) return b_.CreateFCmp(of(), to_compute(t, a), to_compute(t, b));
  return b_.CreateICmp(of(), a, b);
}

void Emitter::emit_pointwise(const Op& op) {
  const Type& type = body_.type(op.results[0]);
  const Shape* shape = type.is(TypeKind::fragment) ? shape_of(type, op.range) : nullptr;
  if (type.is(TypeKind::fragment) && !shape) return;
  define(op.results[0], map_lanes(type, op.range, [&](const Lane& lane) -> llvm::Value* {
           const Lane* at = shape ? &lane : nullptr;
           if (op.kind == OpKind::index) {
             // Comparisons are made in 64 bits, in which every i32 operand is exact.
             const unsigned width = type.dtype == DType::i1 ? 64 : static_cast<unsigned>(bit_width(type.dtype));
             return expression(op.attrs.get<Expr>(AttrKey::expr), width, at, shape);
           }
           std::vector<llvm::Value*> x;
           for (ValueId v : op.operands) x.push_back(lane_value(v, at));
           llvm::Value* result = pointwise(op, x);
           return result ? result : llvm::Constant::getNullValue(value_type(type.dtype));
         }));
}

llvm::Value* Emitter::pointwise(const Op& op, std::span<llvm::Value* const> x) {
  const DType t = op.operands.empty() ? body_.type(op.results[0]).dtype : body_.type(op.operands.back()).dtype;
  const bool real = is_float(t);
  auto wide = [&](std::size_t i) { return to_compute(t, x[i]); };
  auto done = [&](llvm::Value* v) { return from_compute(t, v); };
  auto unary = [&](llvm::Intrinsic::ID id) { return done(b_.CreateUnaryIntrinsic(id, wide(0))); };
  auto binary = [&](llvm::Intrinsic::ID id) { return b_.CreateBinaryIntrinsic(id, x[0], x[1]); };
  auto integer = [&](std::uint64_t v) { return llvm::ConstantInt::get(x[0]->getType(), v); };
  auto in_width = [&] { return b_.CreateICmpULT(x[1], integer(static_cast<std::uint64_t>(bit_width(t)))); };
  // The sign bit of a float's bits cleared or flipped, NaN included (fneg and fabs promise as much).
  auto on_sign = [&](bool flip) -> llvm::Value* {
    if (x[0]->getType()->isFloatingPointTy())
      return flip ? b_.CreateFNeg(x[0]) : b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
    const std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
    return flip ? b_.CreateXor(x[0], integer(sign)) : b_.CreateAnd(x[0], integer(sign - 1));
  };
  switch (op.kind) {
    case OpKind::constant: return literal(op.attrs.get<Scalar>(AttrKey::literal));
    case OpKind::index: KIR_UNREACHABLE("handled by emit_pointwise");
    case OpKind::add: return real ? done(b_.CreateFAdd(wide(0), wide(1))) : b_.CreateAdd(x[0], x[1]);
    case OpKind::sub: return real ? done(b_.CreateFSub(wide(0), wide(1))) : b_.CreateSub(x[0], x[1]);
    case OpKind::mul: return real ? done(b_.CreateFMul(wide(0), wide(1))) : b_.CreateMul(x[0], x[1]);
    case OpKind::neg: return real ? on_sign(true) : b_.CreateNeg(x[0]);
    case OpKind::abs:
      if (real) return on_sign(false);
      return b_.CreateSelect(b_.CreateICmpSLT(x[0], integer(0)), b_.CreateNeg(x[0]), x[0]);
    case OpKind::div: return done(b_.CreateFDiv(wide(0), wide(1)));
    case OpKind::fma: return fused(t, x[0], x[1], x[2]);
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num: return min_max(op.kind, t, x[0], x[1]);
    case OpKind::sqrt: return unary(llvm::Intrinsic::sqrt);
    case OpKind::floor: return unary(llvm::Intrinsic::floor);
    case OpKind::ceil: return unary(llvm::Intrinsic::ceil);
    case OpKind::trunc: return unary(llvm::Intrinsic::trunc);
    case OpKind::round_even: return unary(llvm::Intrinsic::roundeven);
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf: {
      std::string why;
      llvm::Value* y = provider_.math(b_, op.kind, wide(0), &why);
      if (y) return done(y);
      if (!failed_) error("E-03", op.range, fmt::format("`{}` needs {}", row(op.kind).name, why));
      return nullptr;
    }
    case OpKind::divt: return b_.CreateSDiv(x[0], safe_divisor(b_, x[0], x[1]));
    case OpKind::remt: return b_.CreateSRem(x[0], safe_divisor(b_, x[0], x[1]));
    case OpKind::divf: return emit_floordiv(b_, x[0], x[1]);
    case OpKind::remf: return emit_mod(b_, x[0], x[1]);
    case OpKind::divu: return b_.CreateUDiv(x[0], nonzero_divisor(b_, x[1]));
    case OpKind::remu: return b_.CreateURem(x[0], nonzero_divisor(b_, x[1]));
    case OpKind::min_s: return binary(llvm::Intrinsic::smin);
    case OpKind::max_s: return binary(llvm::Intrinsic::smax);
    case OpKind::min_u: return binary(llvm::Intrinsic::umin);
    case OpKind::max_u: return binary(llvm::Intrinsic::umax);
    case OpKind::bit_and: return b_.CreateAnd(x[0], x[1]);
    case OpKind::bit_or: return b_.CreateOr(x[0], x[1]);
    case OpKind::bit_xor: return b_.CreateXor(x[0], x[1]);
    case OpKind::bit_not: return b_.CreateNot(x[0]);
    case OpKind::shl: return b_.CreateSelect(in_width(), b_.CreateShl(x[0], x[1]), integer(0));
    case OpKind::shrl: return b_.CreateSelect(in_width(), b_.CreateLShr(x[0], x[1]), integer(0));
    case OpKind::shra: {
      llvm::Value* most = integer(static_cast<std::uint64_t>(bit_width(t) - 1));
      return b_.CreateAShr(x[0], b_.CreateSelect(in_width(), x[1], most));
    }
    case OpKind::cmp: return compare(op.attrs.get<CmpPredicate>(AttrKey::predicate), t, x[0], x[1]);
    case OpKind::select: return b_.CreateSelect(x[0], x[1], x[2]);
    case OpKind::convert: return convert(op.attrs.get<ConvertMode>(AttrKey::mode), t, body_.type(op.results[0]).dtype, x[0]);
    case OpKind::load:
    case OpKind::store:
    case OpKind::tensor:
    case OpKind::elem:
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::parallel:
    case OpKind::for_loop:
    case OpKind::while_loop:
    case OpKind::if_else:
    case OpKind::yield:
    case OpKind::next:
    case OpKind::assume:
    case OpKind::reduce:
    case OpKind::splat:
    case OpKind::philox4x32_10:
    case OpKind::buffer:
    case OpKind::scatter:
    case OpKind::histogram:
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas:
    case OpKind::assume_in_bounds:
    case OpKind::reshape:
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::gather:
    case OpKind::part:
    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::arg_reduce:
    case OpKind::scan:
    case OpKind::region_fold:
    case OpKind::region_scan:
    case OpKind::contract:
    case OpKind::tile_reduce: KIR_UNREACHABLE("`{}` is not pointwise", row(op.kind).name);
  }
  KIR_UNREACHABLE("operation kind");
}

}  // namespace kir::emit
