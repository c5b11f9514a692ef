// One formula through the tiers: simplifier (with the mixed-radix lemma), enumeration of small domains, Z3, enumeration of
// larger domains. A function of the problem and the options alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proof/obligation.h"
#include "smt/problem.h"

namespace kir::smt {

struct Solution {
  proof::Verdict verdict = proof::Verdict::missing;
  std::string tier, reason;
  std::uint64_t resource = 0;
  bool runaway = false;            // an attempt was ended by a wall clock or a lack of memory
  std::vector<std::string> model;  // by leaf of the problem; "" where the model does not say
};

// `rlimit`: Z3 resource units. `seed`: of Z3's choices; verdicts must not depend on it.
Solution solve(const Problem& problem, std::uint64_t rlimit, unsigned seed);

}  // namespace kir::smt
