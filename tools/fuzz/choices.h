// A sequence of decisions that drives a generator. A generator is plain code that asks for its decisions one by one; what it
// makes is a function of the sequence, and 0 always means the simplest alternative. So a shorter sequence, or one of smaller
// words, makes a simpler thing, and shrinking the sequence shrinks what was made without any knowledge of it.
//
// The idea is that of Hypothesis: D. R. MacIver and A. F. Donaldson, "Test-Case Reduction via Test-Case Generation: Insights
// from the Hypothesis Reducer", ECOOP 2020.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kir::fuzz {

class Choices {
 public:
  using Words = std::vector<std::uint32_t>;
  explicit Choices(Words words) : words_(std::move(words)) {}

  // 0 <= result < n, n at least 1; 0 when the sequence has ended.
  std::size_t below(std::size_t n) {
    const std::size_t word = next_ < words_.size() ? words_[next_] : 0;
    ++next_;
    return word % n;
  }
  // True for one decision in n; false is the simple one.
  bool once_in(std::size_t n) { return below(n) == n - 1; }
  template <class List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }
  // An index, each as often as its weight says; the first is the simplest.
  std::size_t weighted(std::span<const unsigned> weights) {
    std::size_t total = 0;
    for (unsigned w : weights) total += w;
    std::size_t at = below(total);
    for (std::size_t i = 0;; ++i) {
      if (at < weights[i]) return i;
      at -= weights[i];
    }
  }
  bool ended() const { return next_ >= words_.size(); }

 private:
  Words words_;
  std::size_t next_ = 0;
};

}  // namespace kir::fuzz
