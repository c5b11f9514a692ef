// Decisions about a layout: a proof or a counterexample, never a guess. Procedures in this order, the first that knows wins:
//   definition   equal normal forms
//   stride       each stride exceeds all that the smaller ones reach, or leaves no gap behind them (symbolic strides too); and
//   the
//                refutations: a stride 0, two strides with a common multiple in reach, a gap; footprints and residues
//   F2 rank      powers of two and swizzles: the map is linear over GF(2) on the bits of x (linear.h)
//   enumeration  a search of the differences of two elements, whatever the extents (bounded.h), for at most kMaxSteps steps;
//   then
//                all places, up to kMaxPoints of them. A larger layout is never enumerated.
// Axes are independent, so each is decided by itself. A layout with symbols is refuted by an instance at small sizes. What is
// left
// (`undecided`) is for the solver: smt/layout.h. Every counterexample was put through the forward map.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::layout {

enum class By : std::uint8_t { definition, stride, rank, enumeration, solver };
std::string_view name_of(By by);

// Two copies that meet; one element and a place that only one of two layouts gives it; or a place that nothing has.
struct Witness {
  static constexpr std::int64_t kNone = -1;
  Binding sizes;                             // values of the symbols
  std::int64_t x = kNone, y = kNone;         // elements (linear)
  std::vector<std::int64_t> copy_x, copy_y;  // digits of the replica iters; empty where no copies are spoken of
  Place place;
};
std::string to_string(const Witness& w);  // "elements 3 and 7 (copy 1) at laneid 4, with N = 2"
// Where one copy of an element is; the first where `copy` is empty.
Place copy_place(const Layout& l, std::int64_t x, const std::vector<std::int64_t>& copy);

enum class Outcome : std::uint8_t { proved, refuted, undecided };
struct Decision {
  Outcome outcome = Outcome::undecided;
  By by = By::definition;
  std::optional<Witness> witness;  // of refuted
  std::string why;                 // one line: the argument, or what was not decided
};

inline constexpr std::int64_t kMaxPoints = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxSteps = std::int64_t{1} << 16;

// Base places of different elements differ: D(x) = D(y) implies x = y.
Decision injective(const Layout& l);
// Modulo replicas: no place holds copies of two elements. D(x) + r = D(y) + s implies x = y.
Decision exclusive(const Layout& l);
// Every element has copies() copies, at different places: r != s moves.
Decision replica_consistent(const Layout& l);
// The places fill the box of the tile's reach on each axis, or the given box; an axis without a side is at 0. Refuted by a
// place without an element.
struct Box {
  std::vector<std::pair<Axis, TileLayout::Reach>> sides;
};
Decision covering(const Layout& l, const std::optional<Box>& box = {});
// The same set of places for every element; both admit the same shapes. Witness: x with different places.
Decision equal(const Layout& a, const Layout& b);
// No place is of both: several layouts in one resource.
Decision disjoint(const Layout& a, const Layout& b);
// The swizzle permutes each block of `block` addresses that starts at a multiple of `alignment`, both at least 1. Witness: the
// address x of a block, whose place is outside.
Decision bijective(const Swizzle& s, std::int64_t block, std::int64_t alignment);

// Bank conflicts of one access: the lanes of a warp read `bytes` bytes each (1 to 16, a power of two), from the first copy of
// the elements lane_elements on (linear; in order of lanes). Served in phases of 128 bytes; lanes of one phase conflict when
// they want different words of one bank. Error: an element outside, a place beside m, a misaligned address.
struct BankReport {
  int degree = 1;  // the most different words of a bank in one phase: 1 is free of conflicts
  int phases = 1;
  std::vector<std::vector<std::int64_t>> words_by_bank;  // of the worst phase
};
Result<BankReport> bank_conflicts(const Layout& l, int dtype_bits, std::span<const std::int64_t> lane_elements, int bytes);
// Any 8 rows x 16 bytes column of a row-major tile with rows of `row_bytes` (a multiple of 16) under the mode (0: none) is free
// of conflicts, for every column and every start row that is a multiple of 8: by F2 rank where the rows are a power of two,
// else over all residues. Witness: two elements, one a row, whose 16 bytes want the same banks. Error in `why` of undecided: no
// such mode.
Decision column_conflict_free(int dtype_bits, int mode_bytes, std::int64_t row_bytes);

}  // namespace kir::layout
