// No vacuous proofs: is there an assignment under which an obligation says anything at all?
#pragma once

#include <cstdint>

#include "proof/obligation.h"
#include "smt/problem.h"

namespace kir::smt {

// Of the hypotheses, and of what the goal itself supposes (the left sides of its outer implications). A point is first looked
// for by filling in the leaves one after the other, each at an end of the range that the ones before it leave; then the tiers
// are asked whether `false` follows. O(hypotheses) for each of a fixed number of points, then `rlimit` resource units. A
// function of the problem alone.
proof::Premise premise_of(const Problem& problem, std::uint64_t rlimit);

}  // namespace kir::smt
