// What an element is: its storage, and elements taken apart and put together (algebra.h).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/layout/algebra.h"
#include "core/layout/rewrite.h"

namespace kir::layout {

namespace {

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
  const std::vector<Iter>& written = l.tile.shard();  // so that a symbolic extent of 1 makes no difference
  const auto innermost = std::find_if(written.rbegin(), written.rend(), [](const Iter& i) { return i.axis.is_memory(); });
  const Axis axis = innermost == written.rend() ? Axis::memory() : innermost->axis;
  const Layout c = canonicalize(l);
  const auto apart = rewrite(c.tile, [&](Axis a, Size& value) {
    if (a == axis) value = value * num;
    return std::string();
  });
  if (!apart) return Error(apart.error());
  std::vector<Iter> shard = apart->shard();
  shard.push_back({num, 1, axis});
  return with(c.swizzle, log2(num), TileLayout::make(std::move(shard), apart->replica(), apart->offset()));
}

Result<Layout> pack(const Layout& l, std::int64_t num) {
  if (const auto done = checked(l, num); !done) return Error(done.error());
  Layout c = canonicalize(l);
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
  const auto firsts = TileLayout::make(std::move(shard), c.tile.replica(), c.tile.offset());
  if (!firsts) return Error(firsts.error());
  return with(c.swizzle, -log2(num), rewrite(*firsts, [&](Axis a, Size& value) {
                const auto each = a == innermost.axis ? divide(value, num) : value;
                if (!each) return fmt::format("{} on axis {} is not a multiple of {}", value.text(), a.name(), num);
                value = *each;
                return std::string();
              }));
}

Result<TileLayout> broadcast(const TileLayout& l, const Size& num, std::int64_t position, Axis axis) {
  const auto count = static_cast<std::int64_t>(l.shard().size());
  if (position < -1 || position > count) return Error(fmt::format("position {} is not in [-1, {}]", position, count));
  std::vector<Iter> shard = l.shard();
  shard.insert(shard.begin() + static_cast<std::ptrdiff_t>(position < 0 ? count : position), {num, 0, axis});
  return TileLayout::make(std::move(shard), l.replica(), l.offset());
}

}  // namespace kir::layout
