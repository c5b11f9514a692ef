// The forward map of tile layouts (tile_layout.h).
#include <algorithm>

#include "core/base/check.h"
#include "core/layout/tile_layout.h"

namespace kir::layout {

bool admits(const TileLayout& l, const Shape& shape) {
  Size size = 1;
  for (const Size& s : shape) {
    if (!at_least(s, 1)) return false;
    size = size * s;
  }
  return size == l.size();
}

Result<std::int64_t> flatten(const std::vector<std::int64_t>& coordinate, const std::vector<std::int64_t>& shape) {
  if (coordinate.size() != shape.size())
    return Error(fmt::format("a coordinate of {} dimensions in a shape of {}", coordinate.size(), shape.size()));
  std::int64_t size = 1, flat = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 1) return Error(fmt::format("dimension {} of the shape is {}, which is not at least 1", d, shape[d]));
    if (coordinate[d] < 0 || coordinate[d] >= shape[d])
      return Error(fmt::format("coordinate {} is {}, outside of [0, {})", d, coordinate[d], shape[d]));
    if (__builtin_mul_overflow(size, shape[d], &size)) return Error("the size of the shape does not fit 63 bits");
    flat = flat * shape[d] + coordinate[d];
  }
  return flat;
}

std::vector<std::int64_t> split(const TileLayout& l, std::int64_t flat) {
  const std::vector<Iter>& shard = l.shard();
  std::vector<std::int64_t> digits(shard.size());
  for (std::size_t k = shard.size(); k-- > 0;) {
    const std::optional<std::int64_t> extent = shard[k].extent.constant();
    KIR_CHECK(extent, "the forward map of a layout with symbols");
    digits[k] = flat % *extent;
    flat /= *extent;
    if (digits[k] < 0) digits[k] += *extent, --flat;
  }
  return digits;
}

Place base_place(const TileLayout& l, std::int64_t flat) {
  KIR_CHECK(l.is_constant(), "the forward map of a layout with symbols");
  const std::vector<std::int64_t> digits = split(l, flat);
  Place out;
  for (std::size_t k = 0; k < digits.size(); ++k) out.add(l.shard()[k].axis, digits[k] * *l.shard()[k].stride.constant());
  for (const Offset& o : l.offset()) out.add(o.axis, *o.value.constant());
  return out;
}

std::vector<Place> places(const TileLayout& l, std::int64_t flat) {
  KIR_CHECK(at_least(kMaxCopies, l.copies()), "{} copies of an element are not enumerated", l.copies().text());
  std::vector<Place> out{base_place(l, flat)};
  for (const Iter& r : l.replica()) {
    const std::size_t count = out.size();
    for (std::int64_t c = 1; c < *r.extent.constant(); ++c)
      for (std::size_t i = 0; i < count; ++i) {
        out.push_back(out[i]);
        out.back().add(r.axis, c * *r.stride.constant());
      }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

Result<std::vector<Place>> apply(const TileLayout& l, const std::vector<std::int64_t>& coordinate,
                                 const std::vector<std::int64_t>& shape) {
  if (!l.is_constant()) return Error(fmt::format("{} has no value", l.symbols().front()));
  const Result<std::int64_t> flat = flatten(coordinate, shape);
  if (!flat) return Error(flat.error());
  if (!admits(l, Shape(shape.begin(), shape.end())))
    return Error(
        fmt::format("the layout has {} elements and does not admit the shape ({})", l.size().text(), fmt::join(shape, ", ")));
  if (!at_least(kMaxCopies, l.copies()))
    return Error(fmt::format("{} copies of an element are too many to list", l.copies().text()));
  return places(l, *flat);
}

}  // namespace kir::layout
