// The XOR swizzle of linear element addresses, and its use behind a tile layout. With x = m >> per_element, the bits
// [atom_len, atom_len + swizzle_len) of x are XORed into its bits [0, swizzle_len) (inner), or the other way round (outer); the
// low per_element bits of m stay. Requires atom_len >= swizzle_len, so it undoes itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/layout/tile_layout.h"

namespace kir::layout {

class Swizzle {
 public:
  // Error: a negative number, atom_len < swizzle_len, or a period beyond 2^62.
  static Result<Swizzle> make(std::int64_t per_element, std::int64_t swizzle_len, std::int64_t atom_len, bool inner = true);

  int per_element() const { return per_element_; }
  int swizzle_len() const { return swizzle_len_; }
  int atom_len() const { return atom_len_; }
  bool inner() const { return inner_; }
  // The permutation repeats after this many elements: 2^(per_element + atom_len + swizzle_len).
  std::int64_t period() const { return std::int64_t{1} << (per_element_ + atom_len_ + swizzle_len_); }
  std::int64_t operator()(std::int64_t m) const;  // m >= 0
  friend bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  int per_element_ = 0, swizzle_len_ = 0, atom_len_ = 0;
  bool inner_ = true;
};

// The shared-memory modes: 32, 64 or 128 bytes, for elements of 4 to 128 bits (a power of two). Runs of 16 bytes stay whole.
Result<Swizzle> swizzle_of(int dtype_bits, int mode_bytes);

// A tile layout, or one whose addresses on axis m are swizzled: then m is its only axis and no place is negative, which
// compose() checks and its users may rely on. Equality is of the notation.
struct Layout {
  TileLayout tile;
  std::optional<Swizzle> swizzle;
  friend bool operator==(const Layout&, const Layout&) = default;
};
Result<Layout> compose(const std::optional<Swizzle>& swizzle, const TileLayout& tile);
std::vector<Place> places(const Layout& l, std::int64_t flat);
Place base_place(const Layout& l, std::int64_t flat);
Result<std::vector<Place>> apply(const Layout& l, const std::vector<std::int64_t>& coordinate,
                                 const std::vector<std::int64_t>& shape);

// Shared memory is 32 banks of 4 bytes. Where an element (its first bit) of dtype_bits bits at an address in elements lies;
// address * dtype_bits fits 63 bits.
struct BankPlace {
  std::int64_t address, word, bank, line;
  friend bool operator==(const BankPlace&, const BankPlace&) = default;
};
BankPlace bank_of(std::int64_t address, int dtype_bits);

}  // namespace kir::layout
