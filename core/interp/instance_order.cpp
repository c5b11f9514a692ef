#include "core/interp/instance_order.h"

#include <algorithm>

namespace kir {

void InstanceOrder::enter_parallel() {
  ++now_;
  levels_.push_back({now_, now_, known_, known_});
}

std::uint32_t InstanceOrder::start_instance() {
  Level& level = levels_.back();
  level.joined = unite(level.joined, known_);
  known_ = level.fork;
  return level.instance = ++now_;
}

void InstanceOrder::leave_parallel() {
  known_ = unite(levels_.back().joined, known_);
  levels_.pop_back();
  ++now_;
}

InstanceOrder::Set InstanceOrder::release(Set before) {
  Set own = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i)
    own = push(own, {levels_[i].instance, i + 1 < levels_.size() ? levels_[i + 1].parallel - 1 : now_});
  const Set published = unite(before, unite(known_, own));
  ++now_;
  return published;
}

bool InstanceOrder::contains(Set s, std::uint32_t stamp) const {
  while (s && nodes_[s].stamps.low > stamp) {
    const Set far = nodes_[s].jump;
    s = far && nodes_[far].stamps.low > stamp ? far : nodes_[s].next;
  }
  return s && stamp <= nodes_[s].stamps.high;
}

InstanceOrder::Set InstanceOrder::push(Set s, Interval newest) {
  while (s && nodes_[s].stamps.high + 1 >= newest.low) {
    newest.low = std::min(newest.low, nodes_[s].stamps.low);
    newest.high = std::max(newest.high, nodes_[s].stamps.high);
    s = nodes_[s].next;
  }
  ++work_;
  // Two jumps of one length make one that is twice as long.
  const Set near = nodes_[s].jump, far = nodes_[near].jump;
  const bool twice = s && nodes_[s].length - nodes_[near].length == nodes_[near].length - nodes_[far].length && near;
  nodes_.push_back({newest, s, twice ? far : s, nodes_[s].length + 1});
  return static_cast<Set>(nodes_.size() - 1);
}

InstanceOrder::Set InstanceOrder::unite(Set a, Set b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const Set whole[] = {a, b};
  bool from[] = {false, false};
  std::vector<Interval> newer;  // than what the lists share
  while (a != b && a && b) {
    const bool first = nodes_[a].stamps.high >= nodes_[b].stamps.high;
    Set& s = first ? a : b;
    from[first ? 0 : 1] = true;
    newer.push_back(nodes_[s].stamps);
    s = nodes_[s].next;
    ++work_;
  }
  // One list ends in the other.
  if (a == b && !from[1]) return whole[0];
  if (a == b && !from[0]) return whole[1];
  Set out = a ? a : b;
  for (std::size_t i = newer.size(); i-- > 0;) out = push(out, newer[i]);
  return out;
}

}  // namespace kir
