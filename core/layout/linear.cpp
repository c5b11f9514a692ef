#include "core/layout/linear.h"

#include <bit>

namespace kir::layout {
namespace {

// The multiples of one stride by the bits of its digit; false: not linear together with the bits in `used`.
bool add_columns(const Iter& i, std::uint64_t& used, std::vector<std::uint64_t>& columns) {
  const auto extent = static_cast<std::uint64_t>(*i.extent.constant());
  if (extent == 1) return true;
  if (i.axis != Axis::memory() || !std::has_single_bit(extent) || *i.stride.constant() < 0) return false;
  for (std::uint64_t bit = 1; bit < extent; bit *= 2) {
    const std::uint64_t column = bit * static_cast<std::uint64_t>(*i.stride.constant());
    if (used & column) return false;
    used |= column;
    columns.push_back(column);
  }
  return true;
}

}  // namespace

std::optional<LinearView> linear_view(const Layout& l) {
  if (!l.tile.is_constant()) return std::nullopt;
  for (const Offset& o : l.tile.offset())
    if (o.axis != Axis::memory() || *o.value.constant() < 0) return std::nullopt;
  auto origin = static_cast<std::uint64_t>(*l.tile.offset_on(Axis::memory()).constant());
  std::uint64_t used = origin;
  std::vector<std::uint64_t> columns[2];
  const std::vector<Iter>* iters[] = {&l.tile.shard(), &l.tile.replica()};
  for (int part = 0; part < 2; ++part)
    for (std::size_t k = iters[part]->size(); k-- > 0;)
      if (!add_columns((*iters[part])[k], used, columns[part])) return std::nullopt;
  if (l.swizzle) {
    const auto swizzled = [&](std::uint64_t a) {
      return static_cast<std::uint64_t>((*l.swizzle)(static_cast<std::int64_t>(a)));
    };
    origin = swizzled(origin);
    for (auto& part : columns)
      for (std::uint64_t& c : part) c = swizzled(c);
  }
  return LinearView{F2Map(std::move(columns[0])), F2Map(std::move(columns[1])), origin};
}

F2Map swizzle_map(const Swizzle& s, int bits) {
  std::vector<std::uint64_t> columns;
  for (int b = 0; b < bits; ++b) columns.push_back(static_cast<std::uint64_t>(s(std::int64_t{1} << b)));
  return F2Map(std::move(columns));
}

}  // namespace kir::layout
