#include "core/index/reshape.h"

#include "core/index/simplify.h"

namespace kir {
namespace {

struct Axis {
  std::size_t number;
  Expr extent;
  Expr through;  // the product of the extents up to this one, simplified
};

// Axes of the constant extent 1 hold nothing: their coordinate is 0.
std::vector<Axis> axes_of(std::span<const Expr> shape) {
  std::vector<Axis> out;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k].is_constant(1)) continue;
    out.push_back({k, shape[k], simplify(out.empty() ? shape[k] : out.back().through * shape[k])});
  }
  return out;
}

Expr product(std::span<const Axis> axes, ExprPool& pool) {
  Expr out;
  for (const Axis& a : axes) out = out ? out * a.extent : a.extent;
  return out ? out : pool.constant(1);
}

Expr flattened(std::span<const Axis> to, std::span<const Expr> at, ExprPool& pool) {
  Expr out;
  for (std::size_t k = 0; k < to.size(); ++k) {
    Expr c = at[to[k].number];
    if (k + 1 < to.size()) c = c * product(to.subspan(k + 1), pool);
    out = out ? out + c : c;
  }
  return out ? out : pool.constant(0);
}

}  // namespace

std::vector<Expr> reshaped(std::span<const Expr> from, std::span<const Expr> to, std::span<const Expr> at, ExprPool& pool,
                           bool masked) {
  std::vector<Expr> out(from.size(), pool.constant(0));
  const std::vector<Axis> source = axes_of(from), result = axes_of(to);
  auto divisor = [&](Expr e) { return masked && !e.is(ExprKind::constant) ? max(pool.constant(1), e) : e; };
  auto convert = [&](std::span<const Axis> s, std::span<const Axis> r) {
    const Expr number = flattened(r, at, pool);
    for (std::size_t k = 0; k < s.size(); ++k) {
      Expr c = number;
      if (k + 1 < s.size()) c = floordiv(c, divisor(product(s.subspan(k + 1), pool)));
      if (k > 0) c = mod(c, divisor(s[k].extent));
      out[s[k].number] = c;
    }
  };
  std::size_t s = 0, r = 0;
  for (std::size_t i = 0; i < source.size(); ++i)
    for (std::size_t j = r; j < result.size(); ++j) {
      const bool whole = i + 1 == source.size() && j + 1 == result.size();
      if (!whole && source[i].through != result[j].through) continue;
      convert(std::span(source).subspan(s, i + 1 - s), std::span(result).subspan(r, j + 1 - r));
      s = i + 1;
      r = j + 1;
      break;
    }
  if (s < source.size()) convert(std::span(source).subspan(s), std::span(result).subspan(r));
  return out;
}

}  // namespace kir
