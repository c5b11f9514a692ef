// Makes a failing trial small: the same verdict for the same reason from fewer and smaller choices.
#pragma once

#include "tools/fuzz/isolated_trials.h"

namespace kir::fuzz {

struct Shrunk {
  Choices::Words words;
  TrialResult result;
  int tried = 0;
};

// At most `budget` trials, and no more when `stop` says so. Candidates come from RapidCheck's shrinking of containers and
// integers; the first that still fails is taken, until none does. Deterministic, whatever the number of jobs.
Shrunk shrink(Choices::Words words, const TrialResult& failure, const TrialOptions& options, const Isolation& isolation,
              int budget, const std::function<bool()>& stop = {});

}  // namespace kir::fuzz
