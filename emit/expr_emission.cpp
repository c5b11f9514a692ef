#include "emit/expr_emission.h"

#include <unordered_map>

#include "core/base/check.h"

namespace kir::emit {
namespace {

using Builder = llvm::IRBuilder<>;

const llvm::ConstantInt* power_of_two(llvm::Value* v) {
  auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  return c && c->getValue().isStrictlyPositive() && c->getValue().isPowerOf2() ? c : nullptr;
}

bool safe_constant(llvm::Value* v) {
  auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  return c && !c->isZero() && !c->isMinusOne();
}

struct QuotientRemainder {
  llvm::Value *quotient, *remainder, *divisor;
};

QuotientRemainder truncating(Builder& b, llvm::Value* x, llvm::Value* y) {
  llvm::Value* d = safe_divisor(b, x, y);
  llvm::Value* q = b.CreateSDiv(x, d);
  return {q, b.CreateSub(x, b.CreateMul(q, d)), d};
}

class Emission {
 public:
  Emission(Builder& builder, unsigned width, const std::function<llvm::Value*(Expr)>& leaf)
      : b_(builder), type_(builder.getIntNTy(width)), leaf_(leaf) {}

  llvm::Value* go(Expr e) {
    if (auto it = done_.find(e.node()); it != done_.end()) return it->second;
    llvm::Value* v = node(e);
    done_.emplace(e.node(), v);
    return v;
  }

 private:
  llvm::Value* node(Expr e) {
    auto kid = [&](std::size_t i) { return go(e.kid(i)); };
    switch (e.kind()) {
      case ExprKind::constant: return llvm::ConstantInt::getSigned(type_, e.number());
      case ExprKind::boolean: return b_.getInt1(e.number() != 0);
      case ExprKind::symbol:
      case ExprKind::value:
      case ExprKind::position:
      case ExprKind::variable: {
        llvm::Value* v = leaf_(e);
        KIR_CHECK(v, "an unbound leaf in an expression");
        return e.sort() == Sort::boolean ? v : b_.CreateSExtOrTrunc(v, type_);
      }
      case ExprKind::add: return b_.CreateAdd(kid(0), kid(1));
      case ExprKind::sub: return b_.CreateSub(kid(0), kid(1));
      case ExprKind::mul: return b_.CreateMul(kid(0), kid(1));
      case ExprKind::neg: return b_.CreateNeg(kid(0));
      case ExprKind::floordiv: return emit_floordiv(b_, kid(0), kid(1));
      case ExprKind::mod: return emit_mod(b_, kid(0), kid(1));
      case ExprKind::ceildiv: return emit_ceildiv(b_, kid(0), kid(1));
      case ExprKind::min: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, kid(0), kid(1));
      case ExprKind::max: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, kid(0), kid(1));
      case ExprKind::ite: return b_.CreateSelect(kid(0), kid(1), kid(2));
      case ExprKind::eq: return b_.CreateICmpEQ(kid(0), kid(1));
      case ExprKind::ne: return b_.CreateICmpNE(kid(0), kid(1));
      case ExprKind::lt: return b_.CreateICmpSLT(kid(0), kid(1));
      case ExprKind::le: return b_.CreateICmpSLE(kid(0), kid(1));
      case ExprKind::gt: return b_.CreateICmpSGT(kid(0), kid(1));
      case ExprKind::ge: return b_.CreateICmpSGE(kid(0), kid(1));
      case ExprKind::logical_not: return b_.CreateNot(kid(0));
      case ExprKind::logical_and: return b_.CreateAnd(kid(0), kid(1));
      case ExprKind::logical_or: return b_.CreateOr(kid(0), kid(1));
      case ExprKind::implies: return b_.CreateOr(b_.CreateNot(kid(0)), kid(1));
    }
    KIR_UNREACHABLE("expression kind");
  }

  Builder& b_;
  llvm::Type* type_;
  const std::function<llvm::Value*(Expr)>& leaf_;
  std::unordered_map<const ExprNode*, llvm::Value*> done_;
};

}  // namespace

llvm::Value* nonzero_divisor(Builder& b, llvm::Value* d) {
  llvm::Type* t = d->getType();
  return b.CreateSelect(b.CreateICmpEQ(d, llvm::ConstantInt::get(t, 0)), llvm::ConstantInt::get(t, 1), d);
}

llvm::Value* safe_divisor(Builder& b, llvm::Value* a, llvm::Value* d) {
  if (safe_constant(d)) return d;
  llvm::Type* t = a->getType();
  unsigned width = t->getIntegerBitWidth();
  llvm::Value* zero = b.CreateICmpEQ(d, llvm::ConstantInt::get(t, 0));
  llvm::Value* least = b.CreateICmpEQ(a, llvm::ConstantInt::get(t, llvm::APInt::getSignedMinValue(width)));
  llvm::Value* overflow = b.CreateAnd(least, b.CreateICmpEQ(d, llvm::ConstantInt::getAllOnesValue(t)));
  return b.CreateSelect(b.CreateOr(zero, overflow), llvm::ConstantInt::get(t, 1), d);
}

llvm::Value* emit_floordiv(Builder& b, llvm::Value* x, llvm::Value* y) {
  if (auto* c = power_of_two(y)) return b.CreateAShr(x, c->getValue().exactLogBase2());
  auto [q, r, d] = truncating(b, x, y);
  llvm::Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  llvm::Value* differ = b.CreateICmpSLT(b.CreateXor(r, d), zero);
  llvm::Value* down = b.CreateAnd(b.CreateICmpNE(r, zero), differ);
  return b.CreateSub(q, b.CreateZExt(down, x->getType()));
}

llvm::Value* emit_mod(Builder& b, llvm::Value* x, llvm::Value* y) {
  if (auto* c = power_of_two(y)) return b.CreateAnd(x, llvm::ConstantInt::get(x->getType(), c->getValue() - 1));
  auto [q, r, d] = truncating(b, x, y);
  llvm::Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  llvm::Value* differ = b.CreateICmpSLT(b.CreateXor(r, d), zero);
  llvm::Value* wrong = b.CreateAnd(b.CreateICmpNE(r, zero), differ);
  return b.CreateSelect(wrong, b.CreateAdd(r, d), r);
}

llvm::Value* emit_ceildiv(Builder& b, llvm::Value* x, llvm::Value* y) {
  llvm::Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  if (auto* c = power_of_two(y)) {
    llvm::Value* rest = b.CreateAnd(x, llvm::ConstantInt::get(x->getType(), c->getValue() - 1));
    llvm::Value* q = b.CreateAShr(x, c->getValue().exactLogBase2());
    return b.CreateAdd(q, b.CreateZExt(b.CreateICmpNE(rest, zero), x->getType()));
  }
  auto [q, r, d] = truncating(b, x, y);
  llvm::Value* same = b.CreateICmpSGE(b.CreateXor(r, d), zero);
  llvm::Value* up = b.CreateAnd(b.CreateICmpNE(r, zero), same);
  return b.CreateAdd(q, b.CreateZExt(up, x->getType()));
}

llvm::Value* emit_expr(Builder& builder, Expr e, unsigned width, const std::function<llvm::Value*(Expr)>& leaf) {
  return Emission(builder, width, leaf).go(e);
}

}  // namespace kir::emit
