// Disjoint: have two layouts a place in common? Their places are all combinations of those on each axis: one axis without a
// common coordinate is enough, and there is a common place when each axis has one.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"
#include "core/layout/linear.h"

namespace kir::layout {
namespace {

// One axis; refuted: the digits of a common coordinate.
struct Common {
  Outcome outcome;
  By by;
  std::string why;
  std::vector<std::int64_t> a, b;  // one for each of the axis' terms
};

struct Footprint {
  Size low, high;
  bool known = true;
};
Footprint footprint(const TileLayout& l, Axis a) {
  Footprint out{l.offset_on(a), l.offset_on(a)};
  for (const auto* iters : {&l.shard(), &l.replica()})
    for (const Iter& i : *iters) {
      if (i.axis != a || i.extent.is(1)) continue;
      const Size by = (i.extent - 1) * i.stride;
      if (at_least(i.stride, 0))
        out.high = out.high + by;
      else if (at_least(-i.stride, 0))
        out.low = out.low + by;
      else
        out.known = false;
    }
  return out;
}

// All strides are multiples of g and the offsets differ by no multiple of g.
bool residues_differ(const TileLayout& a, const TileLayout& b, Axis axis) {
  std::int64_t g = 0;
  for (const TileLayout* l : {&a, &b})
    for (const auto* iters : {&l->shard(), &l->replica()})
      for (const Iter& i : *iters)
        if (i.axis == axis && !i.extent.is(1)) g = std::gcd(g, i.stride.content());
  const Size apart = a.offset_on(axis) - b.offset_on(axis);
  if (g == 0 || !apart.ok()) return false;
  Binding zeros;
  for (const std::string& s : apart.symbols()) zeros[s] = 0;
  const std::optional<std::int64_t> fixed = apart.evaluate(zeros);
  return fixed && *fixed % g != 0 && (apart - *fixed).content() % g == 0;
}

std::optional<std::string> apart_by_strides(const TileLayout& a, const TileLayout& b, Axis axis) {
  const Footprint fa = footprint(a, axis), fb = footprint(b, axis);
  if (fa.known && fb.known && (greater(fa.low, fb.high) || greater(fb.low, fa.high))) return "footprints apart";
  if (residues_differ(a, b, axis)) return "other residues of the strides' common divisor";
  return std::nullopt;
}

Common common_by_search(const TileLayout& a, const TileLayout& b, Axis axis, const Effort& effort) {
  const AxisTerms ta = terms_on(a, axis), tb = terms_on(b, axis);
  std::vector<BoundedTerm> all = ta.terms;
  for (BoundedTerm t : tb.terms) all.push_back({-t.stride, t.low, t.high});
  std::int64_t steps = effort.steps;
  const Solved s = solve_bounded(all, Wide(tb.origin) - ta.origin, steps);
  if (s.values) {
    const auto middle = s.values->begin() + static_cast<std::ptrdiff_t>(ta.terms.size());
    return {Outcome::refuted, By::enumeration, "", {s.values->begin(), middle}, {middle, s.values->end()}};
  }
  if (s.exhausted) return {Outcome::proved, By::enumeration, "no two coordinates are equal (all were searched)", {}, {}};
  return {Outcome::undecided, By::enumeration, "", {}, {}};
}

Common common_by_places(const Layout& a, const Layout& b, Axis axis, const Effort& effort) {
  const AxisTerms ta = terms_on(a.tile, axis), tb = terms_on(b.tile, axis);
  const std::optional<Sums> sa = Sums::make(ta.terms, ta.origin, effort.points),
                            sb = Sums::make(tb.terms, tb.origin, effort.points);
  if (!sa || !sb) return {Outcome::undecided, By::enumeration, fmt::format("more than {} places", effort.points), {}, {}};
  const auto swizzled = [](const Layout& l, std::int64_t v) { return l.swizzle && v >= 0 ? (*l.swizzle)(v) : v; };
  for (const std::int64_t v : sa->values()) {
    const std::int64_t before = swizzled(b, swizzled(a, v));  // b's own swizzle undone
    if (sb->contains(before)) return {Outcome::refuted, By::enumeration, "", sa->terms_of(v), sb->terms_of(before)};
  }
  return {Outcome::proved, By::enumeration, "all places were compared", {}, {}};
}

// origin_a ^ A x ^ R r = origin_b ^ B y ^ S s.
std::optional<Common> common_by_rank(const Layout& a, const Layout& b) {
  const std::optional<LinearView> va = linear_view(a), vb = linear_view(b);
  if (!va || !vb) return std::nullopt;
  std::vector<std::uint64_t> columns;
  for (const F2Map* part : {&va->elements, &va->copies, &vb->elements, &vb->copies})
    columns.insert(columns.end(), part->columns().begin(), part->columns().end());
  if (columns.size() > 64) return std::nullopt;
  const std::optional<std::uint64_t> z = F2Map(std::move(columns)).solve(va->origin ^ vb->origin);
  if (!z) return Common{Outcome::proved, By::rank, "the origins differ by none of the columns' sums", {}, {}};
  // The bits of z, the last iter of each part lowest, are the digits of its terms.
  Common out{Outcome::refuted, By::rank, "", {}, {}};
  std::uint64_t rest = *z;
  for (const auto& [l, digits] : {std::pair(&a, &out.a), std::pair(&b, &out.b)}) {
    const AxisTerms t = terms_on(l->tile, Axis::memory());
    digits->resize(t.terms.size());
    std::size_t at = 0;
    for (const auto* iters : {&l->tile.shard(), &l->tile.replica()}) {
      const std::vector<std::size_t>& moving = iters == &l->tile.shard() ? t.shard : t.replica;
      std::size_t left = moving.size();
      for (std::size_t k = iters->size(); k-- > 0;) {
        const auto extent = static_cast<std::uint64_t>(number((*iters)[k].extent));
        if (left > 0 && moving[left - 1] == k) (*digits)[at + --left] = static_cast<std::int64_t>(rest % extent);
        rest /= extent;
      }
      at += moving.size();
    }
  }
  return out;
}

Common common(const Layout& a, const Layout& b, Axis axis, const Effort& effort) {
  const bool constant = a.tile.is_constant() && b.tile.is_constant();
  if (axis != Axis::memory() || a.swizzle == b.swizzle) {  // one permutation of both changes nothing
    if (std::optional<std::string> why = apart_by_strides(a.tile, b.tile, axis))
      return {Outcome::proved, By::stride, *why, {}, {}};
    if (!constant) return {Outcome::undecided, By::stride, "they are not apart for all sizes", {}, {}};
    Common c = common_by_search(a.tile, b.tile, axis, effort);
    return c.outcome == Outcome::undecided ? common_by_places({a.tile, {}}, {b.tile, {}}, axis, effort) : c;
  }
  if (!constant) return {Outcome::undecided, By::stride, "two swizzles, and symbols", {}, {}};
  // A swizzle stays inside its periods.
  const auto blocks = [&](const Layout& l) {
    TileLayout::Reach r = l.tile.reach(axis);
    if (!l.swizzle) return r;
    const std::int64_t last = l.swizzle->period() - 1;
    return TileLayout::Reach{r.low & ~last, r.high | last};
  };
  if (blocks(a).high < blocks(b).low || blocks(b).high < blocks(a).low)
    return {Outcome::proved, By::stride, "footprints apart", {}, {}};
  if (std::optional<Common> c = common_by_rank(a, b)) return *c;
  return common_by_places(a, b, axis, effort);
}

Decision decide_disjoint(const Layout& a, const Layout& b, const Effort& effort) {
  std::vector<Axis> axes = a.tile.axes();
  for (const Axis x : b.tile.axes())
    if (std::ranges::find(axes, x) == axes.end()) axes.push_back(x);
  const bool constant = a.tile.is_constant() && b.tile.is_constant();
  Witness w;
  std::vector<std::int64_t> x(a.tile.shard().size()), y(b.tile.shard().size());
  w.copy_x.resize(a.tile.replica().size());
  w.copy_y.resize(b.tile.replica().size());
  By by = By::stride;
  std::string open;
  for (const Axis axis : axes) {
    const Common c = common(a, b, axis, effort);
    if (c.outcome == Outcome::proved) return proved(c.by, fmt::format("on axis {}: {}", axis.name(), c.why));
    if (c.outcome == Outcome::undecided) {
      if (open.empty()) open = fmt::format("axis {}: {}", axis.name(), c.why);
      continue;
    }
    by = std::max(by, c.by);
    terms_on(a.tile, axis).put(c.a, x, w.copy_x);
    terms_on(b.tile, axis).put(c.b, y, w.copy_y);
  }
  if (open.empty() && constant) {
    w.x = flat_of(a.tile.shard(), x);
    w.y = flat_of(b.tile.shard(), y);
    w.place = copy_place(a, w.x, w.copy_x);
    KIR_CHECK(w.place == copy_place(b, w.y, w.copy_y), "places that are not common: {}", to_string(w));
    return refuted(by, std::move(w), "of the first and the second layout, ");
  }
  const auto at = [&](const Binding& sizes) {
    const Result<TileLayout> p = a.tile.bind(sizes), q = b.tile.bind(sizes);
    return p && q ? decide_disjoint({*p, a.swizzle}, {*q, b.swizzle}, kSampled) : undecided(p ? q.error() : p.error());
  };
  if (std::optional<Decision> d = refuted_at_small_sizes(symbols_of(a.tile, b.tile), at)) return *d;
  return undecided(std::move(open));
}

}  // namespace

Decision disjoint(const Layout& a, const Layout& b) { return decide_disjoint(a, b, {}); }

}  // namespace kir::layout
