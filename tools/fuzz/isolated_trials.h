// Trials in processes of their own (isolate.h): one that crashes or hangs has that as its verdict.
#pragma once

#include <functional>

#include "tools/fuzz/isolate.h"
#include "tools/fuzz/trial.h"

namespace kir::fuzz {

// Trials on the sequences that `words(0)`, `words(1)`, ... give, in this order.
void run_trials(std::uint64_t count, const std::function<Choices::Words(std::uint64_t)>& words, const TrialOptions& options,
                const Isolation& isolation, const std::function<bool(std::uint64_t number, TrialResult&& result)>& done);

}  // namespace kir::fuzz
