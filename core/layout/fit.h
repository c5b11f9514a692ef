// Layouts recovered from places: what slices and compositions across uneven edges need.
#pragma once

#include <functional>
#include <map>

#include "core/layout/algebra.h"

namespace kir::layout {

using Vector = std::map<Axis, Size>;  // a place with symbols; zeros left out
void add(Vector& to, Axis axis, const Size& by);

// The shard and offset of the one canonical layout with place_of(x) at x in [0, count); none: no layout has these places.
// O(count) places are asked for, each at most a few times.
struct Fitted {
  std::vector<Iter> shard;
  std::vector<Offset> offset;
};
std::optional<Fitted> fit(std::int64_t count, const std::function<Vector(std::int64_t)>& place_of);

// y -> f(begin + step * y) for y in [0, count), where f is the map of a run of iters; all these positions are in the run.
struct Progression {
  Size begin, step, count;
};
Result<std::optional<Fitted>> along(const std::vector<Iter>& run, const Progression& progression);

// b = quotient * e + remainder with the remainder in [0, e), for all sizes; none: not shown. Needs b >= 0, e >= 1.
struct Division {
  Size quotient, remainder;
};
std::optional<Division> divide_with_remainder(const Size& b, const Size& e);

}  // namespace kir::layout
