// Linear equations over bounded integers, and the sets of their sums: what it is for two places on one axis to meet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kir::layout {

using Wide = __int128;

// v * stride with low <= v <= high. The sum of all magnitudes of a list of terms fits 64 bits.
struct BoundedTerm {
  std::int64_t stride = 1;
  std::int64_t low = 0, high = 0;
};

// Some v, one for each term, with sum v_i * stride_i = target. The terms are fixed from the largest stride down; each step
// keeps to the values that the smaller strides can still make up for: their reach on both sides, and their common divisor. So
// what a stride argument or a divisibility argument decides costs one step a term. Each step takes one of `budget`; when that
// is used up, `exhausted` is false and nothing is known.
struct Solved {
  bool exhausted = true;
  std::optional<std::vector<std::int64_t>> values;
};
Solved solve_bounded(std::span<const BoundedTerm> terms, Wide target, std::int64_t& budget);

// All sums of terms, each once. O(values * log(extents)) in time and space.
class Sums {
 public:
  // None: more than `limit` values.
  static std::optional<Sums> make(std::span<const BoundedTerm> terms, std::int64_t origin, std::int64_t limit);
  const std::vector<std::int64_t>& values() const { return layers_.back(); }  // ascending
  bool contains(std::int64_t value) const;
  std::vector<std::int64_t> terms_of(std::int64_t value) const;  // some v that make it; value is one of values()

 private:
  struct Step {  // the values so far, with and without this
    std::size_t term;
    std::int64_t times, by;
  };
  std::vector<std::int64_t> low_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::int64_t>> layers_;  // before the first step, after each
};

}  // namespace kir::layout
