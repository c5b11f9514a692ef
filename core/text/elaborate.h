// Small facts shared by the files that turn trees into meaning.
#pragma once

#include "core/base/check.h"
#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {

inline ExprKind expr_kind(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return ExprKind::add;
    case BinaryOp::sub: return ExprKind::sub;
    case BinaryOp::mul: return ExprKind::mul;
    case BinaryOp::div: KIR_UNREACHABLE("integer expressions have no '/'");
    case BinaryOp::floordiv: return ExprKind::floordiv;
    case BinaryOp::mod: return ExprKind::mod;
    case BinaryOp::logical_and: return ExprKind::logical_and;
    case BinaryOp::logical_or: return ExprKind::logical_or;
    case BinaryOp::implies: return ExprKind::implies;
    case BinaryOp::eq: return ExprKind::eq;
    case BinaryOp::ne: return ExprKind::ne;
    case BinaryOp::lt: return ExprKind::lt;
    case BinaryOp::le: return ExprKind::le;
    case BinaryOp::gt: return ExprKind::gt;
    case BinaryOp::ge: return ExprKind::ge;
  }
  KIR_UNREACHABLE("binary operator");
}

inline bool is_logical(BinaryOp op) {
  return op == BinaryOp::logical_and || op == BinaryOp::logical_or || op == BinaryOp::implies;
}

inline bool is_data(const Type& t) { return t.is(TypeKind::scalar) || t.is(TypeKind::fragment); }
inline const Type kI1 = Type::scalar(DType::i1);

// Levels of one expression, with the helpers that it calls.
inline constexpr int kMaxLevels = 1100;

inline constexpr const char* kPartHint = "write j in r, or size(r)";
inline constexpr const char* kMixHint = "data and index do not mix: convert first, as in to_index(k) or to_f32(i)";

}  // namespace kir::text
