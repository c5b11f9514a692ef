// Covering: is every place of a box taken? The places of a tile layout are all combinations of those on each axis, so each axis
// is asked for its side of the box.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"
#include "core/layout/linear.h"

namespace kir::layout {
namespace {

// One axis: what is known, and a place of the side that nothing has.
struct Side {
  Outcome outcome;
  By by;
  std::string why;
  std::int64_t gap = 0;
};

// From the lowest place on: places [0, n) and a stride of at most n give [0, n + (e - 1) * s), so the strides are taken in as
// long as one is small enough. When none is, all others are beyond n, and nothing is at n itself: with numbers the answer is
// exact.
struct Run {
  Size low, length;
  bool whole;
};
Run run_from_low(const TileLayout& l, Axis a) {
  Run out{l.offset_on(a), 1, false};
  std::vector<Iter> left;
  for (const auto* iters : {&l.shard(), &l.replica()})
    for (const Iter& i : *iters) {
      if (i.axis != a || i.extent.is(1)) continue;
      left.push_back(i);
      if (at_least(i.stride, 0)) continue;
      left.back().stride = -i.stride;  // of unknown sign: no step below takes it in
      if (at_least(-i.stride, 0)) out.low = out.low + (i.extent - 1) * i.stride;
    }
  for (bool grew = true; grew;) {
    grew = false;
    std::erase_if(left, [&](const Iter& i) {
      if (!at_least(i.stride, 0) || !at_least(out.length, i.stride)) return false;
      out.length = out.length + (i.extent - 1) * i.stride;
      return grew = true;
    });
  }
  out.whole = left.empty();
  return out;
}

Side cover_by_strides(const TileLayout& l, Axis a, const std::optional<TileLayout::Reach>& side) {
  const Run run = run_from_low(l, a);
  const bool constant = l.is_constant();
  const std::string why = "each stride is at most what the smaller ones fill";
  if (!side) {
    if (run.whole) return {Outcome::proved, By::stride, why};
    if (constant) return {Outcome::refuted, By::stride, "", number(run.low + run.length)};
    return {Outcome::undecided, By::stride, "the strides are not ordered for all sizes"};
  }
  if (side->low > side->high || (at_least(Size(side->low), run.low) && at_least(run.low + run.length, Size(side->high) + 1)))
    return {Outcome::proved, By::stride, why};
  if (constant) {
    const TileLayout::Reach reach = l.reach(a);
    if (side->low < reach.low) return {Outcome::refuted, By::stride, "beyond the reach: ", side->low};
    if (side->high > reach.high) return {Outcome::refuted, By::stride, "beyond the reach: ", side->high};
    const std::int64_t gap = number(run.low + run.length);
    if (side->low <= gap && gap <= side->high && !run.whole) return {Outcome::refuted, By::stride, "", gap};
  }
  return {Outcome::undecided, By::stride, "the side begins behind a gap"};
}

// A block of 2^n places that starts at a multiple of it lies in origin + span of the columns when its first place does and each
// of its n bits does.
std::optional<Side> cover_by_rank(const Layout& l, const TileLayout::Reach& side) {
  const std::optional<LinearView> view = linear_view(l);
  if (!view || side.low < 0 || side.low > side.high) return std::nullopt;
  const auto low = static_cast<std::uint64_t>(side.low), count = static_cast<std::uint64_t>(side.high) - low + 1;
  if (!std::has_single_bit(count) || low % count != 0) return std::nullopt;
  std::vector<std::uint64_t> columns = view->elements.columns();
  columns.insert(columns.end(), view->copies.columns().begin(), view->copies.columns().end());
  if (columns.size() > 64) return std::nullopt;
  const F2Map all(std::move(columns));
  if (!all.solve(low ^ view->origin)) return Side{Outcome::refuted, By::rank, "", side.low};
  for (std::uint64_t bit = 1; bit < count; bit *= 2)
    if (!all.solve(bit)) return Side{Outcome::refuted, By::rank, "", static_cast<std::int64_t>(low | bit)};
  return Side{Outcome::proved, By::rank, "the columns span every bit of the block"};
}

Side cover_by_search(const Layout& l, Axis a, const TileLayout::Reach& side, const Effort& effort) {
  const AxisTerms axis = terms_on(l.tile, a);
  const std::optional<Sums> sums = Sums::make(axis.terms, axis.origin, effort.points);
  std::int64_t steps = effort.points;
  for (std::int64_t place = side.low; place <= side.high; ++place) {
    const std::int64_t before = l.swizzle && place >= 0 ? (*l.swizzle)(place) : place;  // it undoes itself
    if (--steps < 0) return {Outcome::undecided, By::enumeration, fmt::format("more than {} places", effort.points)};
    bool taken = false;
    if (sums) {
      taken = sums->contains(before);
    } else {
      const Solved s = solve_bounded(axis.terms, Wide(before) - axis.origin, steps);
      if (!s.exhausted) return {Outcome::undecided, By::enumeration, fmt::format("more than {} places", effort.points)};
      taken = s.values.has_value();
    }
    if (!taken) return {Outcome::refuted, By::enumeration, "", place};
  }
  return {Outcome::proved, By::enumeration, "each place of the side was looked for"};
}

Side cover(const Layout& l, Axis a, const std::optional<TileLayout::Reach>& side, const Effort& effort) {
  const bool swizzled = l.swizzle && a == Axis::memory();
  Side s{Outcome::undecided, By::stride, "a swizzle behind a layout with symbols"};
  if (!swizzled) s = cover_by_strides(l.tile, a, side);
  if (s.outcome != Outcome::undecided || !l.tile.is_constant()) return s;
  const TileLayout::Reach wanted = side.value_or(l.tile.reach(a));
  if (wanted.low > wanted.high) return {Outcome::proved, By::definition, "an empty side"};
  if (swizzled) {
    // Whole periods are permuted in themselves.
    const std::int64_t period = l.swizzle->period();
    if (wanted.low >= 0 && wanted.low % period == 0 && (wanted.high - period + 1) % period == 0) {
      s = cover_by_strides(l.tile, a, wanted);
      if (s.outcome == Outcome::refuted) s.gap = (*l.swizzle)(s.gap);
      if (s.outcome != Outcome::undecided) return s;
    }
    if (std::optional<Side> by_rank = cover_by_rank(l, wanted)) return *by_rank;
  }
  return cover_by_search(l, a, wanted, effort);
}

Decision decide_covering(const Layout& l, const std::optional<Box>& box, const Effort& effort) {
  std::vector<Axis> axes = l.tile.axes();
  if (box)
    for (const auto& [a, reach] : box->sides)
      if (std::ranges::find(axes, a) == axes.end()) axes.push_back(a);
  const auto side_of = [&](Axis a) -> std::optional<TileLayout::Reach> {
    if (!box) return std::nullopt;
    for (const auto& [b, reach] : box->sides)
      if (b == a) return reach;
    return TileLayout::Reach{};
  };
  By by = By::stride;
  std::string why = "there is one place", open;
  for (const Axis a : axes) {
    const Side s = cover(l, a, side_of(a), effort);
    if (s.outcome == Outcome::undecided || (s.outcome == Outcome::refuted && !l.tile.is_constant())) {
      if (open.empty()) open = fmt::format("axis {}: {}", a.name(), s.why);
    } else if (s.outcome == Outcome::refuted) {
      std::int64_t steps = kMaxSteps;
      const AxisTerms terms = terms_on(l.tile, a);
      const std::int64_t before = l.swizzle && s.gap >= 0 ? (*l.swizzle)(s.gap) : s.gap;
      KIR_CHECK(!solve_bounded(terms.terms, Wide(before) - terms.origin, steps).values, "{} {} is taken", a.name(), s.gap);
      Witness w;
      for (const Axis b : axes) {
        const TileLayout::Reach reach = side_of(b).value_or(l.tile.reach(b));
        w.place.add(b, a == b ? s.gap : reach.low);
      }
      return refuted(s.by, std::move(w), s.why);
    } else if (s.by >= by) {
      by = s.by;
      why = s.why;
    }
  }
  if (open.empty()) return proved(by, "every place is taken: " + why);
  const auto at = [&](const Binding& sizes) {
    const Result<TileLayout> bound = l.tile.bind(sizes);
    return bound ? decide_covering({*bound, l.swizzle}, box, kSampled) : undecided(bound.error());
  };
  if (std::optional<Decision> d = refuted_at_small_sizes(l.tile.symbols(), at)) return *d;
  return undecided(std::move(open));
}

}  // namespace

Decision covering(const Layout& l, const std::optional<Box>& box) {
  if (box && std::ranges::any_of(box->sides, [](const auto& s) { return s.second.low > s.second.high; }))
    return proved(By::definition, "the box is empty");
  return decide_covering(l, box, {});
}

}  // namespace kir::layout
