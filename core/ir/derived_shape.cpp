#include "core/ir/derived_shape.h"

namespace kir {

Expr range_extent(ExprPool& pool, Expr lo, Expr hi) {
  if (lo.is_constant(0)) return hi;
  std::int64_t difference;
  if (lo.is(ExprKind::constant) && hi.is(ExprKind::constant) && !__builtin_sub_overflow(hi.number(), lo.number(), &difference))
    return pool.constant(difference);
  return pool.make(ExprKind::sub, {hi, lo});
}

bool is_range_extent(Expr e, Expr lo, Expr hi) {
  if (lo.is_constant(0)) return e == hi;
  std::int64_t difference;
  if (lo.is(ExprKind::constant) && hi.is(ExprKind::constant) && !__builtin_sub_overflow(hi.number(), lo.number(), &difference))
    return e.is_constant(difference);
  return e.is(ExprKind::sub) && e.kid(0) == hi && e.kid(1) == lo;
}

static std::optional<std::int64_t> constant_sum(std::span<const Expr> extents) {
  std::int64_t sum = 0;
  for (Expr e : extents)
    if (!e.is(ExprKind::constant) || __builtin_add_overflow(sum, e.number(), &sum)) return std::nullopt;
  return sum;
}

Expr concat_extent(ExprPool& pool, std::span<const Expr> extents) {
  if (std::optional<std::int64_t> sum = constant_sum(extents)) return pool.constant(*sum);
  Expr out = extents[0];
  for (Expr e : extents.subspan(1)) out = pool.make(ExprKind::add, {out, e});
  return out;
}

bool is_concat_extent(Expr e, std::span<const Expr> extents) {
  if (std::optional<std::int64_t> sum = constant_sum(extents)) return e.is_constant(*sum);
  for (std::size_t k = extents.size(); k-- > 1; e = e.kid(0))
    if (!e.is(ExprKind::add) || e.kid(1) != extents[k]) return false;
  return e == extents[0];
}

std::optional<Type> transposed(const Type& source, const IntList& perm) {
  if (perm.size() != source.rank()) return std::nullopt;
  std::vector<bool> seen(perm.size());
  Type out = source;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= static_cast<std::int64_t>(perm.size())) return std::nullopt;
    std::size_t axis = static_cast<std::size_t>(perm[i]);
    if (seen[axis]) return std::nullopt;
    seen[axis] = true;
    out.shape[i] = source.shape[axis];
  }
  return out;
}

std::optional<Type> sliced(ExprPool& pool, const Type& source, const ExprList& ranges) {
  if (ranges.size() != 2 * source.rank()) return std::nullopt;
  Type out = source;
  for (std::size_t i = 0; i < source.rank(); ++i) out.shape[i] = range_extent(pool, ranges[2 * i], ranges[2 * i + 1]);
  return out;
}

}  // namespace kir
