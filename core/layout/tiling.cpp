// Tilings are direct sums whose outer part is scaled by the inner's span (algebra.h).
#include <fmt/format.h>

#include "core/layout/algebra.h"
#include "core/layout/rewrite.h"

namespace kir::layout {

namespace {

// The layout in normal form with each stride and offset that moves made into what `change` says; else the error names the axis.
template <class Change>  // (axis, value) to the new value or none
Result<TileLayout> rescaled(const TileLayout& l, Change change) {
  return rewrite(canonicalize(l), [&](Axis axis, Size& value) {
    const std::optional<Size> next = value.is(0) ? Size(0) : change(axis, value);
    if (!next) return fmt::format("it is not shown that the inner layout's span is at least 1 on axis {}", axis.name());
    value = *next;
    return std::string();
  });
}

Result<TileLayout> scaled(const TileLayout& outer, const TileLayout& inner) {
  return rescaled(outer, [&](Axis a, const Size& value) {
    const Size span = inner.span(a);
    return at_least(span, 1) ? std::optional(value * span) : std::nullopt;
  });
}

// A lone swizzle stands for that of all addresses.
Layout over(const Layout& l, const Shape& shape) {
  if (!l.swizzle || canonicalize(l.tile) != canonicalize(*TileLayout::make({{l.swizzle->period(), 1}}))) return l;
  Size size = 1;
  for (const Size& s : shape) size = size * s;
  const auto tile = divide(size, l.swizzle->period()) ? TileLayout::make({{size, 1}}) : Error("");
  return tile ? Layout{*tile, l.swizzle} : l;
}

// shape / part, dimension by dimension.
Result<Shape> quotient(const Shape& shape, const Shape& part) {
  if (shape.size() != part.size())
    return Error(fmt::format("shapes of {} and {} dimensions; both must have the same", shape.size(), part.size()));
  Shape out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto times = divide(shape[d], part[d]);
    if (!times || !at_least(*times, 1))
      return Error(fmt::format("dimension {}: {} is not divisible by {}", d, shape[d].text(), part[d].text()));
    out.push_back(*times);
  }
  return out;
}

Shape interleaved(const Shape& left, const Shape& right) {
  Shape out;
  for (std::size_t d = 0; d < left.size(); ++d) out.insert(out.end(), {left[d], right[d]});
  return out;
}

}  // namespace

Result<Layout> tile(const TileLayout& outer, const Shape& outer_shape, const Layout& inner, const Shape& inner_shape) {
  const Layout repeated = over(inner, inner_shape);
  const Result<TileLayout> moved = scaled(outer, repeated.tile);
  if (!moved) return Error(moved.error());
  const Result<TileLayout> sum = direct_sum(*moved, outer_shape, repeated.tile, inner_shape);
  if (!sum) return Error(sum.error());
  return compose(canonicalize(repeated).swizzle, *sum);
}

Result<Layout> tile_to(const Layout& l, const Shape& shape, const Shape& to_shape) {
  const Result<Shape> outer = quotient(to_shape, shape);
  if (!outer) return Error(outer.error());
  std::vector<Iter> row_major;
  Size stride = 1;
  for (auto extent = outer->rbegin(); extent != outer->rend(); ++extent) {
    row_major.insert(row_major.begin(), {*extent, stride});
    stride = stride * *extent;
  }
  const Result<TileLayout> made = TileLayout::make(std::move(row_major));
  if (!made) return Error(made.error());
  return tile(*made, *outer, l, shape);
}

Result<std::optional<TileLayout>> is_tile_inner(const Layout& l, const Layout& tiled, const Shape& tiled_shape,
                                                const Shape& inner_shape) {
  const Result<Shape> outer_shape = quotient(tiled_shape, inner_shape);
  if (!outer_shape) return Error(outer_shape.error());
  const Layout inner = canonicalize(over(l, inner_shape)), whole = canonicalize(over(tiled, tiled_shape));
  auto outer = is_direct_sum_right(inner.tile, whole.tile, interleaved(*outer_shape, inner_shape), inner_shape);
  if (!outer || !*outer || inner.swizzle != whole.swizzle) return outer ? std::nullopt : std::move(outer);
  const auto unscaled = rescaled(**outer, [&](Axis a, const Size& value) {
    const Size span = inner.tile.span(a);
    return at_least(span, 1) ? divide(value, span) : std::nullopt;
  });
  if (!unscaled) return std::nullopt;
  return canonicalize(*unscaled);
}

// The span of a tiling is the product of both spans on each axis: so the known outer's scale is a quotient.
Result<std::optional<Layout>> is_tile_outer(const TileLayout& l, const Layout& tiled, const Shape& tiled_shape,
                                            const Shape& outer_shape) {
  const Result<Shape> inner_shape = quotient(tiled_shape, outer_shape);
  if (!inner_shape) return Error(inner_shape.error());
  const Layout whole = canonicalize(over(tiled, tiled_shape));
  for (const Axis a : l.axes())
    if (!at_least(l.span(a), 1))
      return Error(fmt::format("it is not shown that the outer layout's span is at least 1 on axis {}", a.name()));
  const auto moved = rescaled(l, [&](Axis a, const Size& value) -> std::optional<Size> {
    const auto scale = divide(whole.tile.span(a), l.span(a));
    return scale && at_least(*scale, 1) ? std::optional(value * *scale) : std::nullopt;
  });
  if (!admits(l, outer_shape)) return Error(group(l, outer_shape).error());
  if (!moved) return std::nullopt;
  const auto inner = is_direct_sum_left(*moved, whole.tile, interleaved(outer_shape, *inner_shape), outer_shape);
  if (!inner) return Error(inner.error());
  if (!*inner) return std::nullopt;
  const auto again = scaled(l, **inner);
  if (!again || canonicalize(*again) != canonicalize(*moved)) return std::nullopt;
  const Result<Layout> out = compose(whole.swizzle, **inner);
  return out ? std::optional(*out) : std::nullopt;
}

}  // namespace kir::layout
