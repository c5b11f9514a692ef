#include "core/layout/swizzle.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace kir::layout {

Result<Swizzle> Swizzle::make(std::int64_t per_element, std::int64_t swizzle_len, std::int64_t atom_len, bool inner) {
  constexpr std::int64_t most = 62;
  for (const auto& [name, value] :
       {std::pair("per_element", per_element), {"swizzle_len", swizzle_len}, {"atom_len", atom_len}})
    if (value < 0 || value > most) return Error(fmt::format("{} is {}; it must be in [0, {}]", name, value, most));
  if (atom_len < swizzle_len)
    return Error(
        fmt::format("atom_len {} is less than swizzle_len {}: the bits would be XORed into themselves", atom_len, swizzle_len));
  if (per_element + swizzle_len + atom_len > most)
    return Error(fmt::format("the period 2^{} does not fit 63 bits", per_element + swizzle_len + atom_len));
  Swizzle out;
  out.per_element_ = static_cast<int>(per_element);
  out.swizzle_len_ = static_cast<int>(swizzle_len);
  out.atom_len_ = static_cast<int>(atom_len);
  out.inner_ = inner;
  return out;
}

std::int64_t Swizzle::operator()(std::int64_t m) const {
  KIR_CHECK(m >= 0, "a swizzle of the negative address {}", m);
  const std::int64_t group = ((std::int64_t{1} << swizzle_len_) - 1) << per_element_;
  return inner_ ? m ^ ((m >> atom_len_) & group) : m ^ ((m & group) << atom_len_);
}

Result<Swizzle> swizzle_of(int dtype_bits, int mode_bytes) {
  if (dtype_bits < 4 || dtype_bits > 128 || !std::has_single_bit(static_cast<unsigned>(dtype_bits)))
    return Error(fmt::format("elements of {} bits have no swizzle: 4, 8, 16, 32, 64 or 128", dtype_bits));
  if (mode_bytes != 32 && mode_bytes != 64 && mode_bytes != 128)
    return Error(fmt::format("the swizzle modes are 32, 64 and 128 bytes, not {}", mode_bytes));
  return Swizzle::make(std::bit_width(128u / static_cast<unsigned>(dtype_bits)) - 1,
                       std::bit_width(static_cast<unsigned>(mode_bytes) / 32u), 3);
}

Result<Layout> compose(const std::optional<Swizzle>& swizzle, const TileLayout& tile) {
  if (!swizzle) return Layout{tile, std::nullopt};
  const Axis m = Axis::memory();
  for (const Axis a : tile.axes())
    if (a != m) return Error(fmt::format("a swizzle permutes addresses on axis m alone; the layout also has {}", a.name()));
  // The lowest place is the offset plus all that negative strides reach.
  Size low = tile.offset_on(m);
  for (const auto* iters : {&tile.shard(), &tile.replica()})
    for (const Iter& i : *iters)
      if (!at_least(i.stride, 0)) low = low + (i.extent - 1) * i.stride;
  if (!at_least(low, 0)) {
    if (low.is_constant()) return Error(fmt::format("the address {} is negative; a swizzle has none", low.text()));
    return Error("it is not shown that no address is negative, which a swizzle needs");
  }
  return Layout{tile, swizzle};
}

Place base_place(const Layout& l, std::int64_t flat) {
  Place place = base_place(l.tile, flat);
  if (!l.swizzle) return place;
  Place out;
  out.add(Axis::memory(), (*l.swizzle)(place[Axis::memory()]));
  return out;
}

std::vector<Place> places(const Layout& l, std::int64_t flat) {
  std::vector<Place> out = places(l.tile, flat);
  if (!l.swizzle) return out;
  for (Place& p : out) {
    Place moved;
    moved.add(Axis::memory(), (*l.swizzle)(p[Axis::memory()]));
    p = std::move(moved);
  }
  std::ranges::sort(out);
  return out;
}

Result<std::vector<Place>> apply(const Layout& l, const std::vector<std::int64_t>& coordinate,
                                 const std::vector<std::int64_t>& shape) {
  if (!l.swizzle) return apply(l.tile, coordinate, shape);
  if (const auto unswizzled = apply(l.tile, coordinate, shape); !unswizzled) return unswizzled;
  return places(l, *flatten(coordinate, shape));
}

BankPlace bank_of(std::int64_t address, int dtype_bits) {
  std::int64_t bit;
  KIR_CHECK(address >= 0 && !__builtin_mul_overflow(address, dtype_bits, &bit), "no bank of the address {}", address);
  const std::int64_t word = bit / 32;
  return {address, word, word % 32, word / 32};
}

}  // namespace kir::layout
