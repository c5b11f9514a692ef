// Concrete launches of an ABI: a witness that its preconditions can hold at all, small ones for cheap refutation, and the
// arguments of a launch at given sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/interp/launch_args.h"

namespace kir::smt {

using Symbols = std::map<std::string, std::int64_t>;

// The `where` relations hold, extents and strides are at least 0, each view spans less than 2^63 bytes, and no evaluation
// fails.
bool preconditions_hold(const Abi& abi, const Symbols& symbols);

struct Witness {
  enum class Found : std::uint8_t { launch, contradictory, unknown } found = Found::unknown;
  Symbols symbols;     // of a launch
  std::string reason;  // of the others
};
Witness find_witness(const Abi& abi, std::uint64_t rlimit);

// At most `count` distinct assignments that satisfy the preconditions, small extents, deterministic; the witness first.
std::vector<Symbols> small_launches(const Abi& abi, const Witness& witness, int count);

enum class Contents : std::uint8_t {
  exact,     // integers of small magnitude: sums and products of few of them are exact in every order
  ordinary,  // fill_random without special values
  special,   // fill_random with NaN, infinities, extremes
  large,     // +-900, +-infinity, -0.0, ties
  zeros,
  ones,
};

// What makes the arguments of a launch.
struct LaunchRecipe {
  Symbols symbols;
  Contents contents = Contents::exact;
  std::uint64_t seed = 0;
  bool aliased = false;  // views that may alias are one tensor where their shapes allow it
  std::int64_t max_bytes = 8 << 20;
};

// Empty when a view would exceed `max_bytes`, or no contents were found that satisfy the data preconditions. Views that may
// alias are one tensor when `aliased` and their shapes allow it.
std::optional<LaunchArgs> make_args(const Abi& abi, const Symbols& symbols, Contents contents, std::uint64_t seed, bool aliased,
                                    std::int64_t max_bytes);

std::optional<LaunchArgs> make_args(const Abi& abi, const LaunchRecipe& recipe);

Scalar small_number(DType t, std::int64_t n);  // n, n.0; of i1 its lowest bit
Scalar one(DType t);                           // 1, 1.0, true

// The same values in tensors of their own; views that shared a tensor still do.
LaunchArgs deep_copy(const LaunchArgs& args);

}  // namespace kir::smt
