// Replicas as multisets of steps: a sum of layouts has the multiset of all sums of both, and division undoes it.
#pragma once

#include "core/layout/algebra.h"

namespace kir::layout {

// The replica iters r with which part's make up the multiset of all's. None: there are none (for all sizes). Error: not
// decided, which is only where the steps are there but mix chains of several strides.
Result<std::optional<std::vector<Iter>>> replica_without(const TileLayout& all, const TileLayout& part);

}  // namespace kir::layout
