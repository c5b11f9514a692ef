// Which earlier accesses happen before the present: by the nest of unordered instances, and by release and acquire.
//
// Execution is depth first: the instances of a `parallel` run one after the other, and a clock ticks at each start of an
// instance, at each end of a `parallel` and after each release. An access is known by its stamp, the clock's value.
//
// By the nest alone the earlier accesses that are unordered with the present are those of finished sibling instances, at
// some level of the nest that is being executed: stamped at or after the beginning of that level's `parallel` and before
// the beginning of its current instance.
//
// A release publishes what happens before it: what its instance did so far, what the instances around it did before they
// forked, and what was acquired. An acquire that reads it takes that over. What an instance acquired is a set of stamps,
// kept as disjoint intervals in a persistent list, newest first, with jump pointers (Myers' skew-binary lists): taking over
// a set is O(1), asking whether it has a stamp O(log n), a union costs what the two lists do not share.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kir {

class InstanceOrder {
 public:
  using Set = std::uint32_t;  // 0: empty
  static constexpr std::size_t kMaxIntervals = std::size_t{1} << 24;

  std::uint32_t now() const { return now_; }
  void enter_parallel();
  std::uint32_t start_instance();  // the stamp of its beginning
  void leave_parallel();
  std::size_t depth() const { return levels_.size(); }
  std::uint32_t parallel_start(std::size_t level) const { return levels_[level].parallel; }
  // Of the current instance at the innermost level; 0 outside any `parallel`.
  std::uint32_t instance_start() const { return levels_.empty() ? 0 : levels_.back().instance; }
  // No more instances or releases can be kept apart.
  bool exhausted() const { return now_ > 0xfffffff0u || nodes_.size() > kMaxIntervals; }

  // The level of the nest at which an access of that stamp is unordered with the present, or none.
  std::optional<std::size_t> unordered(std::uint32_t stamp) const {
    for (std::size_t i = 0; i < levels_.size() && stamp >= levels_[i].parallel; ++i)
      if (stamp < levels_[i].instance) return known_ && contains(known_, stamp) ? std::nullopt : std::optional(i);
    return std::nullopt;
  }

  void acquire(Set s) { known_ = unite(known_, s); }
  // What a release publishes now, with what was published before at its place; then the clock ticks.
  Set release(Set before);
  // Operations on lists since the last call: they count as steps.
  std::uint64_t take_work() { return std::exchange(work_, 0); }

 private:
  struct Interval {
    std::uint32_t low = 0, high = 0;
  };
  struct Node {
    Interval stamps;
    Set next = 0, jump = 0;  // to older ones
    std::uint32_t length = 0;
  };
  struct Level {
    std::uint32_t parallel = 0;  // stamp of its beginning
    std::uint32_t instance = 0;  // stamp of the current instance's beginning
    Set fork = 0;                // known when the `parallel` began
    Set joined = 0;              // known to the finished instances
  };
  bool contains(Set s, std::uint32_t stamp) const;
  Set push(Set s, Interval newest);  // merges what touches
  Set unite(Set a, Set b);

  std::vector<Level> levels_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  Set known_ = 0;  // acquired by the current instance
  std::uint32_t now_ = 1;
  std::uint64_t work_ = 0;
};

}  // namespace kir
