// Typed indices. An id is an index into the container that issued it; ids of different kinds do not mix.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace kir {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t i) : index(i) {}
  constexpr explicit operator bool() const { return index != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;
using RegionId = Id<struct RegionTag>;

}  // namespace kir

template <class Tag>
struct std::hash<kir::Id<Tag>> {
  std::size_t operator()(kir::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
