#include "core/layout/replica.h"

#include <algorithm>
#include <set>

namespace kir::layout {

namespace {

using Iters = std::vector<Iter>;

// A part (e, s) divides out of (E, S) when it is a stretch of its digits: s = k*S and E = k*e*m leave (k, S) and (m, k*e*S).
// Where several iters could give a part, each is tried, up to kTries in all.
class Stretches {
 public:
  std::optional<Iters> without(const Iters& all, const Iters& parts) {
    if (parts.empty()) return all;
    const Iter& part = parts.back();
    const Iters others(parts.begin(), parts.end() - 1);
    for (auto from = all.begin(); from != all.end(); ++from) {
      if (from->axis != part.axis || std::find(all.begin(), from, *from) != from) continue;
      const std::optional<Size> k = from->stride.is(0) && part.stride.is(0) ? Size(1) : divide(part.stride, from->stride);
      const std::optional<Size> m = k && at_least(*k, 1) ? divide(from->extent, *k * part.extent) : std::nullopt;
      if (!m || !at_least(*m, 1)) continue;
      if (++tries_ > kTries) return std::nullopt;
      Iters left = all;
      left[static_cast<std::size_t>(from - all.begin())] = {*k, from->stride, from->axis};
      left.push_back({*m, part.stride * part.extent, from->axis});
      const auto made = TileLayout::make({}, std::move(left));
      if (!made) continue;
      if (auto found = without(canonicalize(*made).replica(), others)) return found;
    }
    return std::nullopt;
  }
  bool gave_up() const { return tries_ > kTries; }

 private:
  static constexpr int kTries = 10000;
  int tries_ = 0;
};

// Steps as vectors over all axes of both, where order is kept by adding.
using Steps = std::multiset<std::vector<std::int64_t>>;
Steps steps_of(const Iters& replica, const std::vector<Axis>& axes) {
  std::vector<std::vector<std::int64_t>> out{std::vector<std::int64_t>(axes.size(), 0)};
  for (const Iter& i : replica) {
    const auto axis = static_cast<std::size_t>(std::ranges::find(axes, i.axis) - axes.begin());
    const std::size_t count = out.size();
    for (std::int64_t c = 1; c < *i.extent.constant(); ++c)
      for (std::size_t k = 0; k < count; ++k) {
        out.push_back(out[k]);
        out.back()[axis] += c * *i.stride.constant();
      }
  }
  return {out.begin(), out.end()};
}

// Is there a multiset whose sums with part's steps are all's? The least step left must be that of the part's least.
bool divides(const Steps& part, Steps all) {
  const std::vector<std::int64_t>& least = *part.begin();
  while (!all.empty()) {
    const std::vector<std::int64_t> first = *all.begin();
    for (const std::vector<std::int64_t>& p : part) {
      std::vector<std::int64_t> step = first;
      for (std::size_t a = 0; a < step.size(); ++a) step[a] += p[a] - least[a];
      const auto at = all.find(step);
      if (at == all.end()) return false;
      all.erase(at);
    }
  }
  return true;
}

}  // namespace

Result<std::optional<Iters>> replica_without(const TileLayout& all, const TileLayout& part) {
  constexpr std::int64_t looked_at = 4096;
  const Iters of_all = canonicalize(all).replica(), of_part = canonicalize(part).replica();
  Stretches stretches;
  if (auto found = stretches.without(of_all, of_part)) return found;
  const auto constant = [](const Iter& i) { return i.extent.is_constant() && i.stride.is_constant(); };
  if (!std::ranges::all_of(of_all, constant) || !std::ranges::all_of(of_part, constant)) {
    if (stretches.gave_up()) return Error("there are too many ways to take the one replica out of the other");
    return std::nullopt;
  }
  if (!divide(all.copies(), part.copies())) return std::nullopt;
  if (greater(all.copies(), looked_at)) return Error("whether the one replica is a part of the other is not decided");
  std::vector<Axis> axes;
  for (const auto* iters : {&of_all, &of_part})
    for (const Iter& i : *iters) axes.push_back(i.axis);
  if (divides(steps_of(of_part, axes), steps_of(of_all, axes)))
    return Error("whether the one replica is a part of the other is not decided: chains of several strides mix");
  return std::nullopt;
}

}  // namespace kir::layout
