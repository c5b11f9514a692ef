// What an element is: its storage, and elements taken apart and put together (algebra.h).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/layout/algebra.h"

namespace kir::layout {

namespace {

// Strides and offsets on one axis times or over num; none: one does not divide.
std::optional<Size> times(const Size& s, std::int64_t num) { return s * num; }
std::optional<Size> over(const Size& s, std::int64_t num) { return divide(s, num); }

using Change = std::optional<Size> (*)(const Size&, std::int64_t);
Result<TileLayout> rescaled(std::vector<Iter> shard, const TileLayout& l, Axis axis, std::int64_t num, Change change) {
  std::vector<Iter> replica = l.replica();
  std::vector<Offset> offset = l.offset();
  std::vector<Size*> values;
  for (auto* iters : {&shard, &replica})
    for (Iter& i : *iters)
      if (i.axis == axis) values.push_back(&i.stride);
  for (Offset& o : offset)
    if (o.axis == axis) values.push_back(&o.value);
  for (Size* value : values) {
    const auto next = change(*value, num);
    if (!next) return Error(fmt::format("{} on axis {} is not a multiple of {}", value->text(), axis.name(), num));
    *value = *next;
  }
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
}

// The swizzle for elements `factor` times as many (log2: shift) on each side.
Result<Layout> with(const std::optional<Swizzle>& swizzle, std::int64_t shift, const Result<TileLayout>& tile) {
  if (!tile) return Error(tile.error());
  if (!swizzle) return canonicalize(Layout{*tile, std::nullopt});
  const auto moved =
      Swizzle::make(swizzle->per_element() + shift, swizzle->swizzle_len(), swizzle->atom_len(), swizzle->inner());
  if (!moved) return Error(moved.error());
  return compose(*moved, canonicalize(*tile));
}

Result<void> checked(const Layout& l, std::int64_t num) {
  if (num < 1) return Error(fmt::format("{} is not a number of neighbours", num));
  if (l.swizzle && !std::has_single_bit(static_cast<std::uint64_t>(num)))
    return Error(fmt::format("{} neighbours of a swizzled layout: it must be a power of two", num));
  return {};
}

std::int64_t log2(std::int64_t num) { return std::bit_width(static_cast<std::uint64_t>(num)) - 1; }

}  // namespace

Layout storage(const Layout& l) {
  const auto elsewhere = [](const auto& part) { return !part.axis.is_memory(); };
  std::vector<Iter> shard = l.tile.shard(), replica = l.tile.replica();
  std::vector<Offset> offset = l.tile.offset();
  std::erase_if(shard, elsewhere), std::erase_if(replica, elsewhere), std::erase_if(offset, elsewhere);
  const auto tile = TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
  return canonicalize(Layout{tile.value_or(l.tile), l.swizzle});
}

Result<Layout> unpack(const Layout& l, std::int64_t num) {
  if (const auto done = checked(l, num); !done) return Error(done.error());
  const Layout c = canonicalize(l);
  std::vector<Iter> shard = c.tile.shard();
  const auto innermost = std::find_if(shard.rbegin(), shard.rend(), [](const Iter& i) { return i.axis.is_memory(); });
  const Axis axis = innermost == shard.rend() ? Axis::memory() : innermost->axis;
  auto scaled = rescaled(std::move(shard), c.tile, axis, num, times);
  if (!scaled) return Error(scaled.error());
  std::vector<Iter> longer = scaled->shard();
  longer.push_back({num, 1, axis});
  return with(c.swizzle, log2(num), TileLayout::make(std::move(longer), scaled->replica(), scaled->offset()));
}

Result<Layout> pack(const Layout& l, std::int64_t num) {
  if (const auto done = checked(l, num); !done) return Error(done.error());
  const Layout c = canonicalize(l);
  if (num == 1) return c;
  std::vector<Iter> shard = c.tile.shard();
  if (shard.empty()) return Error(fmt::format("one element is not {} neighbours", num));
  const Iter innermost = shard.back();
  if (!innermost.axis.is_memory())
    return Error(fmt::format("the innermost iter is on axis {}; neighbours lie on a memory axis", innermost.axis.name()));
  if (!innermost.stride.is(1))
    return Error(fmt::format("the innermost iter has stride {}; neighbours lie at stride 1", innermost.stride.text()));
  const auto fewer = divide(innermost.extent, num);
  if (!fewer) return Error(fmt::format("the innermost {} elements are not a multiple of {}", innermost.extent.text(), num));
  shard.back() = {*fewer, num, innermost.axis};
  return with(c.swizzle, -log2(num), rescaled(std::move(shard), c.tile, innermost.axis, num, over));
}

Result<TileLayout> broadcast(const TileLayout& l, const Size& num, std::int64_t position, Axis axis) {
  const auto count = static_cast<std::int64_t>(l.shard().size());
  if (position < -1 || position > count) return Error(fmt::format("position {} is not in [-1, {}]", position, count));
  std::vector<Iter> shard = l.shard();
  shard.insert(shard.begin() + static_cast<std::ptrdiff_t>(position < 0 ? count : position), {num, 0, axis});
  return TileLayout::make(std::move(shard), l.replica(), l.offset());
}

}  // namespace kir::layout
