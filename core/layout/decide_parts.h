// What the decisions share. Internal to core/layout.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/bounded.h"
#include "core/layout/decide.h"

namespace kir::layout {

// How much is tried: steps of a search, places of an enumeration.
struct Effort {
  std::int64_t steps = kMaxSteps, points = kMaxPoints;
};
inline constexpr Effort kSampled{1 << 10, 1 << 12};  // of one instance of a layout with symbols

Decision proved(By by, std::string why);
Decision undecided(std::string why);
Decision refuted(By by, Witness witness, std::string why);  // why: what stands before the witness

// The first refutation among at most 128 instances at small sizes, with these sizes; none without symbols.
std::optional<Decision> refuted_at_small_sizes(const std::vector<std::string>& symbols,
                                               const std::function<Decision(const Binding&)>& decide);
std::vector<std::string> symbols_of(const TileLayout& a, const TileLayout& b);  // ascending, each once

std::int64_t number(const Size& s);  // of a constant
std::int64_t flat_of(std::span<const Iter> iters, const std::vector<std::int64_t>& digits);

// The iters on one axis that move: extent above 1 and a stride. Constant layouts only.
struct AxisTerms {
  std::vector<BoundedTerm> terms;    // 0 <= v < extent
  std::vector<std::size_t> shard;    // iter of each of the first terms
  std::vector<std::size_t> replica;  // of the others
  std::int64_t origin = 0;           // offset
  void put(const std::vector<std::int64_t>& values, std::vector<std::int64_t>& x, std::vector<std::int64_t>& copy) const;
};
AxisTerms terms_on(const TileLayout& l, Axis a);

}  // namespace kir::layout
