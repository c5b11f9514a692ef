// Boxes and views of layouts (algebra.h).
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/fit.h"

namespace kir::layout {

namespace {

// y -> l(begin + step*y), dimension by dimension.
Result<std::optional<TileLayout>> part(const TileLayout& l, const Shape& shape, const std::vector<Progression>& box) {
  std::vector<Iter> shard;
  std::vector<Offset> offset = l.offset();
  const auto append = [&](const Fitted& f) {
    shard.insert(shard.end(), f.shard.begin(), f.shard.end());
    offset.insert(offset.end(), f.offset.begin(), f.offset.end());
  };
  if (const Result<Grouped> grouped = group(l, shape)) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto at = [&](std::size_t k) {
        return grouped->layout.shard().begin() + static_cast<std::ptrdiff_t>(grouped->separators[k]);
      };
      const auto found = along({at(d), at(d + 1)}, box[d]);
      if (!found) return Error(fmt::format("dimension {}: {}", d, found.error()));
      if (!*found) return std::nullopt;
      append(**found);
    }
  } else {
    // An iter lies across an edge of the shape: the box may still be even.
    std::vector<std::int64_t> begin, step, count, stride(shape.size(), 1);
    std::int64_t elements = 1;
    const bool constant = std::ranges::all_of(shape, &Size::is_constant) &&
                          std::ranges::all_of(l.shard(), [](const Iter& i) { return i.extent.is_constant(); });
    for (const Progression& p : box) {
      if (!constant || !p.begin.is_constant() || !p.step.is_constant() || !p.count.is_constant() || elements > kMaxFitted)
        return Error(grouped.error());
      begin.push_back(*p.begin.constant()), step.push_back(*p.step.constant()), count.push_back(*p.count.constant());
      if (__builtin_mul_overflow(elements, count.back(), &elements)) return Error(grouped.error());
    }
    if (elements > kMaxFitted) return Error(grouped.error());
    for (std::size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * *shape[d].constant();
    const std::optional<Fitted> found = fit(elements, [&](std::int64_t y) {
      std::int64_t x = 0;
      for (std::size_t d = shape.size(); d-- > 0; y /= count[d]) x += (begin[d] + step[d] * (y % count[d])) * stride[d];
      Vector place;
      const std::vector<std::int64_t> digits = split(l, x);
      for (std::size_t k = 0; k < digits.size(); ++k) add(place, l.shard()[k].axis, l.shard()[k].stride * digits[k]);
      return place;
    });
    if (!found) return std::nullopt;
    append(*found);
  }
  const Result<TileLayout> out = TileLayout::make(std::move(shard), l.replica(), std::move(offset));
  if (!out) return Error(out.error());
  return canonicalize(*out);
}

Result<Progression> checked(std::size_t d, const Size& extent, const Progression& p) {
  const Size last = p.begin + p.step * (p.count - 1);
  if (!at_least(p.begin, 0) || !at_least(p.count, 1) || !at_least(p.step, 1) || !greater(extent, last))
    return Error(fmt::format("dimension {}: {} elements from {} on in steps of {} are not shown to lie in [0, {})", d,
                             p.count.text(), p.begin.text(), p.step.text(), extent.text()));
  return p;
}

Result<void> admitted(const Layout& l, const Shape& shape, std::size_t given) {
  if (shape.size() != given) return Error(fmt::format("a region of {} dimensions in a shape of {}", given, shape.size()));
  if (admits(l.tile, shape)) return {};
  return Error(group(l.tile, shape).error());
}

}  // namespace

Result<std::optional<Layout>> slice(const Layout& l, const Shape& shape, std::span<const Range> region) {
  if (const auto done = admitted(l, shape, region.size()); !done) return Error(done.error());
  std::vector<Progression> box;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto p = checked(d, shape[d], {region[d].begin, 1, region[d].end - region[d].begin});
    if (!p) return Error(p.error());
    box.push_back(*p);
  }
  const auto found = part(l.tile, shape, box);
  if (!found) return Error(found.error());
  if (!*found) return std::nullopt;
  return compose(l.swizzle, **found).map([](const Layout& out) { return std::optional(out); });
}

Result<SubView> sub_view(const Layout& l, const Shape& shape, std::span<const Index> index) {
  if (const auto done = admitted(l, shape, index.size()); !done) return Error(done.error());
  SubView out;
  std::vector<Progression> box;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index& i = index[d];
    Progression p{i.begin, 1, 1};
    if (i.kind == Index::Kind::narrow) p.count = i.end - i.begin;
    if (i.kind == Index::Kind::stride) {
      // As many as there are: a last, shorter step counts.
      p.step = i.end;
      const auto last = at_least(i.end, 1) ? divide_with_remainder(shape[d] - 1 - i.begin, i.end) : std::nullopt;
      if (!last) return Error(fmt::format("dimension {}: it is not shown how many steps of {} there are", d, i.end.text()));
      p.count = last->quotient + 1;
    }
    const auto valid = checked(d, shape[d], p);
    if (!valid) return Error(valid.error());
    box.push_back(*valid);
    if (i.kind != Index::Kind::drop) out.shape.push_back(p.count);
  }
  const auto found = part(l.tile, shape, box);
  if (!found) return Error(found.error());
  if (!*found) return Error("no layout has the places of this view");
  const Axis m = Axis::memory();
  out.offset = (*found)->offset_on(m) - l.tile.offset_on(m);
  std::vector<Offset> offset = (*found)->offset();
  offset.push_back({m, -out.offset});
  const auto tile = TileLayout::make((*found)->shard(), (*found)->replica(), std::move(offset));
  const Result<Layout> layout = tile ? compose(l.swizzle, *tile) : Error(tile.error());
  if (!layout) return Error(layout.error());
  out.layout = *layout;
  out.offset_moves_out = !l.swizzle || divide(out.offset, l.swizzle->period()).has_value();
  return out;
}

}  // namespace kir::layout
