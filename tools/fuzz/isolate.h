// Trials in processes of their own: one that crashes, hangs or eats all memory is a verdict, not the end of a campaign.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "tools/fuzz/trial.h"

namespace kir::fuzz {

struct Isolation {
  int jobs = 1;                                   // processes at a time
  std::chrono::seconds patience{60};              // for one trial
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes that one process may add to its address space
};

// Runs `count` trials on the sequences that `words(0)`, `words(1)`, ... give, and hands each result to `done` in this order,
// whatever the number of jobs. Ends early when `done` says false; the processes are ended then. Forks: no other thread of
// this process may run.
void run_isolated(std::uint64_t count, const std::function<Choices::Words(std::uint64_t)>& words, const TrialOptions& options,
                  const Isolation& isolation, const std::function<bool(std::uint64_t number, TrialResult&& result)>& done);

}  // namespace kir::fuzz
