// Injective, exclusive, replica-consistent: do two different copies meet?
//
// On each axis the copies x and y meet when the sum of d_k * s_k is 0, where d_k, the difference of their digits, is any number
// with |d_k| < e_k. Digits on different axes are independent, so the whole holds when it holds on each axis: no sum is 0 unless
// each d_k that matters is. A swizzle is a permutation of the places and changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"

namespace kir::layout {
namespace {

struct Difference {
  Size extent, stride;
  bool matters;  // must be 0
  bool replica;
  std::size_t iter;
};

// Of one axis; `values` are the differences of two copies that meet.
struct Meeting {
  Outcome outcome;
  By by;
  std::string why;
  std::vector<Difference> terms;
  std::vector<std::int64_t> values;
};

std::optional<Size> magnitude(const Size& s) {
  if (at_least(s, 0)) return s;
  if (at_least(-s, 0)) return -s;
  return std::nullopt;
}

// A stride beyond all that the others reach forces its own difference to be 0; it is left out, and the others are looked at
// again.
void drop_by_strides(std::vector<Difference>& terms) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    std::erase_if(terms, [](const Difference& t) { return !t.matters && t.stride.is(0); });
    for (std::size_t k = 0; k < terms.size(); ++k) {
      Size others = 0;
      bool known = true;
      for (std::size_t j = 0; j < terms.size() && known; ++j) {
        if (j == k) continue;
        const std::optional<Size> m = magnitude(terms[j].stride);
        known = m.has_value();
        if (known) others = others + (terms[j].extent - 1) * *m;
      }
      const std::optional<Size> own = magnitude(terms[k].stride);
      if (!known || !own || !greater(*own, others)) continue;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k));
      dropped = true;
      break;
    }
  }
}

// A stride of 0, or a common multiple of two strides in reach of both.
std::optional<Meeting> meet_by_strides(const std::vector<Difference>& terms) {
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!terms[k].matters) continue;
    std::vector<std::int64_t> values(terms.size());
    const std::int64_t s = number(terms[k].stride);
    values[k] = 1;
    if (s == 0) return Meeting{Outcome::refuted, By::stride, "a stride of 0: ", terms, values};
    for (std::size_t j = 0; j < terms.size(); ++j) {
      const std::int64_t t = number(terms[j].stride);
      if (j == k || t == 0) continue;
      const std::int64_t shared = std::gcd(s, t);
      values[k] = t / shared;
      values[j] = -(s / shared);
      if (std::abs(values[k]) < number(terms[k].extent) && std::abs(values[j]) < number(terms[j].extent))
        return Meeting{Outcome::refuted, By::stride, fmt::format("strides {} and {} have a common multiple: ", s, t), terms,
                       values};
      values[j] = 0;
    }
  }
  return std::nullopt;
}

// The first difference that matters and is not 0 may be taken as positive.
Meeting meet_by_search(const std::vector<Difference>& terms, std::int64_t steps) {
  std::vector<BoundedTerm> bounded;
  for (const Difference& t : terms) {
    const std::int64_t most = number(t.extent) - 1;
    bounded.push_back({number(t.stride), -most, most});
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!terms[k].matters) continue;
    bounded[k].low = 1;
    const Solved s = solve_bounded(bounded, 0, steps);
    if (s.values) return {Outcome::refuted, By::enumeration, "", terms, *s.values};
    if (!s.exhausted) return {Outcome::undecided, By::enumeration, "", terms, {}};
    bounded[k].low = bounded[k].high = 0;
  }
  return {Outcome::proved, By::enumeration, "no difference of two elements is 0 (all were searched)", {}, {}};
}

// All places of a box of at most `points` of them, sorted. Of a larger box a part: that may refute, never prove.
Meeting meet_by_places(std::vector<Difference> terms, std::int64_t points) {
  std::ranges::stable_sort(terms, std::greater{}, &Difference::matters);
  std::int64_t all = 1;
  bool whole = true;
  std::vector<std::int64_t> extents;
  for (const Difference& t : terms) {
    extents.push_back(std::min(number(t.extent), points / all));
    whole = whole && extents.back() == number(t.extent);
    all *= extents.back();
  }
  std::int64_t copies = 1;  // in a row: what does not matter is fastest
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (!terms[k].matters) copies *= extents[k];
  std::vector<std::pair<std::int64_t, std::int64_t>> found;  // place, point
  found.reserve(static_cast<std::size_t>(all));
  std::vector<std::int64_t> digits(terms.size());
  std::int64_t place = 0;
  for (std::int64_t point = 0; point < all; ++point) {
    found.emplace_back(place, point);
    for (std::size_t k = terms.size(); k-- > 0;) {
      place += number(terms[k].stride);
      if (++digits[k] < extents[k]) break;
      place -= digits[k] * number(terms[k].stride);
      digits[k] = 0;
    }
  }
  std::ranges::sort(found);
  const auto meets = [&](const auto& a, const auto& b) { return a.first == b.first && a.second / copies != b.second / copies; };
  const auto at = std::ranges::adjacent_find(found, meets);
  if (at == found.end()) {
    if (whole) return {Outcome::proved, By::enumeration, "all places were compared", {}, {}};
    return {
        Outcome::undecided, By::enumeration, fmt::format("more than {} places, and no argument on strides", points), {}, {}};
  }
  std::vector<std::int64_t> values(terms.size());
  std::int64_t x = at->second, y = std::next(at)->second;
  for (std::size_t k = terms.size(); k-- > 0;) {
    values[k] = x % extents[k] - y % extents[k];
    x /= extents[k];
    y /= extents[k];
  }
  return {Outcome::refuted, By::enumeration, "", std::move(terms), std::move(values)};
}

Meeting meet(std::vector<Difference> terms, const Effort& effort) {
  std::erase_if(terms, [](const Difference& t) { return t.extent.is(1); });
  drop_by_strides(terms);
  if (std::ranges::none_of(terms, &Difference::matters))
    return {Outcome::proved, By::stride, "each stride exceeds what the smaller ones reach", {}, {}};
  if (!std::ranges::all_of(terms, [](const Difference& t) { return t.extent.is_constant() && t.stride.is_constant(); }))
    return {Outcome::undecided, By::stride, "the strides are not ordered for all sizes", {}, {}};
  if (std::optional<Meeting> m = meet_by_strides(terms)) return *m;
  Meeting m = meet_by_search(terms, effort.steps);
  return m.outcome == Outcome::undecided ? meet_by_places(std::move(terms), effort.points) : m;
}

struct Question {
  std::string_view proof;  // "different elements have different base places"
  bool shard, replica;     // which differences take part
  bool replica_matters;
};

Decision decide(const Layout& l, const Question& q, const Effort& effort) {
  const TileLayout& tile = l.tile;
  By by = By::stride;
  std::string why, open;
  for (const Axis a : tile.axes()) {
    std::vector<Difference> terms;
    const auto add = [&](const std::vector<Iter>& iters, bool matters, bool replica) {
      for (std::size_t k = 0; k < iters.size(); ++k)
        if (iters[k].axis == a) terms.push_back({iters[k].extent, iters[k].stride, matters, replica, k});
    };
    if (q.shard) add(tile.shard(), true, false);
    if (q.replica) add(tile.replica(), q.replica_matters, true);
    const Meeting m = meet(std::move(terms), effort);
    if (m.outcome == Outcome::undecided && open.empty()) open = fmt::format("axis {}: {}", a.name(), m.why);
    if (m.outcome == Outcome::proved && m.by >= by) {
      by = m.by;
      why = m.why;
    }
    // A layout with symbols is refuted as a whole, by its instances.
    if (m.outcome != Outcome::refuted || !tile.is_constant()) {
      if (m.outcome == Outcome::refuted) open = fmt::format("axis {}: {}", a.name(), m.why);
      continue;
    }
    std::vector<std::int64_t> x(tile.shard().size()), y = x, cx(q.replica ? tile.replica().size() : 0), cy = cx;
    for (std::size_t i = 0; i < m.terms.size(); ++i) {
      const Difference& t = m.terms[i];
      (t.replica ? cx : x)[t.iter] = std::max<std::int64_t>(m.values[i], 0);
      (t.replica ? cy : y)[t.iter] = std::max<std::int64_t>(-m.values[i], 0);
    }
    Witness w{{}, flat_of(tile.shard(), x), flat_of(tile.shard(), y), cx, cy, {}};
    w.place = copy_place(l, w.x, cx);
    KIR_CHECK(w.place == copy_place(l, w.y, cy) && (q.shard ? w.x != w.y : cx != cy), "copies that do not meet: {}",
              to_string(w));
    return refuted(m.by, std::move(w), m.why);
  }
  if (open.empty()) return proved(by, fmt::format("{}: {}", q.proof, why.empty() ? "there is one" : why));
  const auto at = [&](const Binding& sizes) {
    const Result<TileLayout> bound = tile.bind(sizes);
    return bound ? decide({*bound, l.swizzle}, q, kSampled) : undecided(bound.error());
  };
  if (std::optional<Decision> d = refuted_at_small_sizes(tile.symbols(), at)) return *d;
  return undecided(std::move(open));
}

}  // namespace

Decision injective(const Layout& l) {
  return decide(l, {"different elements have different base places", true, false, false}, {});
}

Decision exclusive(const Layout& l) { return decide(l, {"no place holds copies of two elements", true, true, false}, {}); }

Decision replica_consistent(const Layout& l) {
  return decide(l, {"the copies of an element are apart", false, true, true}, {});
}

}  // namespace kir::layout
