#include "tools/fuzz/shrink.h"

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace kir::fuzz {

Shrunk shrink(Choices::Words words, const TrialResult& failure, const TrialOptions& options, const Isolation& isolation,
              int budget, const std::function<bool()>& stop) {
  Shrunk best{std::move(words), failure, 0};
  bool stopped = false;
  constexpr std::size_t kBatch = 32;  // tried side by side
  for (bool progress = true; progress && !stopped && best.tried < budget;) {
    progress = false;
    auto candidates = rc::seq::concat(
        rc::shrink::removeChunks(best.words),
        rc::shrink::eachElement(best.words, [](std::uint32_t word) { return rc::shrink::towards<std::uint32_t>(word, 0); }));
    while (!progress && !stopped && best.tried < budget) {
      std::vector<Choices::Words> batch;
      while (batch.size() < std::min(kBatch, static_cast<std::size_t>(budget - best.tried))) {
        auto next = candidates.next();
        if (!next) break;
        batch.push_back(std::move(*next));
      }
      if (batch.empty()) break;
      run_trials(
          batch.size(), [&](std::uint64_t i) { return batch[i]; }, options, isolation,
          [&](std::uint64_t i, TrialResult&& r) {
            ++best.tried;
            stopped = stop && stop();
            if (stopped) return false;
            if (r.verdict != failure.verdict || r.reason != failure.reason) return true;
            best.words = std::move(batch[i]);
            best.result = std::move(r);
            progress = true;
            return false;
          });
    }
  }
  return best;
}

}  // namespace kir::fuzz
