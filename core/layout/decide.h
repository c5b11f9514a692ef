// Decisions about a layout: a proof or a counterexample, never a guess. Procedures in this order, the first that knows wins:
//   stride       each stride exceeds all that the smaller ones reach (symbolic strides too); and its refutations: a stride 0,
//   two
//                strides with a common multiple in reach
//   F2 rank      powers of two and swizzles: the map is linear over GF(2) on the bits of x
//   enumeration  up to kMaxPoints points; a larger layout is never enumerated
// Axes are independent, so each is decided by itself. What is left (`undecided`) is for the solver: proof/layout_claims.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/layout/swizzle.h"

namespace kir::layout {

enum class By : std::uint8_t { definition, stride, rank, enumeration, solver };
std::string_view name_of(By by);

// Two copies that meet, or one place that nothing has.
struct Witness {
  Binding sizes;                             // values of the symbols
  std::int64_t x = 0, y = 0;                 // elements (linear)
  std::vector<std::int64_t> copy_x, copy_y;  // digits of the replica iters
  Place place;
};
std::string to_string(const Witness& w);

enum class Outcome : std::uint8_t { proved, refuted, undecided };
struct Decision {
  Outcome outcome = Outcome::undecided;
  By by = By::definition;
  std::optional<Witness> witness;  // of refuted
  std::string why;                 // one line: the argument, or what was not decided
};

inline constexpr std::int64_t kMaxPoints = std::int64_t{1} << 20;

// Base places of different elements differ: D(x) = D(y) implies x = y.
Decision injective(const Layout& l);
// Modulo replicas: no place holds copies of two elements. D(x) + r = D(y) + s implies x = y.
Decision exclusive(const Layout& l);
// Every element has copies() copies, at different places: r != s moves.
Decision replica_consistent(const Layout& l);
// The places fill the box of its reach on each axis (or the given box): refuted by a place without an element.
struct Box {
  std::vector<std::pair<Axis, TileLayout::Reach>> sides;
};
Decision covering(const Layout& l, const std::optional<Box>& box = {});
// The same set of places for every element; both admit the same shapes. Witness: x with different places.
Decision equal(const Layout& a, const Layout& b);
// No place is of both: several layouts in one resource.
Decision disjoint(const Layout& a, const Layout& b);
// The swizzle permutes each block of `block` addresses that starts at a multiple of `alignment`.
Decision bijective(const Swizzle& s, std::int64_t block, std::int64_t alignment);

// Bank conflicts of one access: the lanes of a warp read `bytes` bytes each, at the elements lane_elements (linear; in order of
// lanes). Served in phases of 128 bytes; lanes of one phase conflict when they want different words of one bank.
struct BankReport {
  int degree = 1;  // the most different words of a bank in one phase: 1 is free of conflicts
  int phases = 1;
  std::vector<std::vector<std::int64_t>> words_by_bank;  // of the worst phase
};
Result<BankReport> bank_conflicts(const Layout& l, int dtype_bits, std::span<const std::int64_t> lane_elements, int bytes);
// Any 8 rows x 16 bytes column of a row-major tile with rows of `row_bytes` under the mode: free of conflicts for every column
// and every start row that is a multiple of 8; by F2 rank.
Decision column_conflict_free(int dtype_bits, int mode_bytes, std::int64_t row_bytes);

}  // namespace kir::layout
