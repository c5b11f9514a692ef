#include "core/layout/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kir::layout {

void add(Vector& to, Axis axis, const Size& by) {
  Size& at = to.try_emplace(axis, 0).first->second;
  at = at + by;
  if (at.is(0)) to.erase(axis);
}

namespace {

Vector plus(Vector a, const Vector& b) {
  for (const auto& [axis, value] : b) add(a, axis, value);
  return a;
}
Vector times(const Vector& a, const Size& factor) {
  Vector out;
  for (const auto& [axis, value] : a) add(out, axis, value * factor);
  return out;
}

// The place of a constant position in a run of iters whose extents are constants.
Vector place_in(const std::vector<Iter>& run, std::int64_t x) {
  Vector out;
  for (auto i = run.rbegin(); i != run.rend(); ++i) {
    const std::int64_t extent = *i->extent.constant();
    add(out, i->axis, i->stride * (x % extent));
    x /= extent;
  }
  return out;
}

// The largest factor of e that is shown to divide all of the others.
Size common(const Size& e, std::initializer_list<Size> others) {
  if (std::ranges::all_of(others, [&](const Size& o) { return divide(o, e).has_value(); })) return e;
  std::int64_t out = e.content();
  for (const Size& o : others) out = std::gcd(out, o.content());
  return out;
}

bool constant_extents(const std::vector<Iter>& iters) {
  return std::ranges::all_of(iters, [](const Iter& i) { return i.extent.is_constant(); });
}

}  // namespace

// The innermost iter's stride is the first step and its extent the first break of it: a longer iter would have no break there,
// and a shorter one none at its own edge, so that it would merge with the next. The rest is what every extent-th place does.
std::optional<Fitted> fit(std::int64_t count, const std::function<Vector(std::int64_t)>& place_of) {
  Fitted out;
  const Vector origin = place_of(0);
  for (const auto& [axis, value] : origin) out.offset.push_back({axis, value});
  for (std::int64_t unit = 1; count > 1;) {
    const Vector step = plus(place_of(unit), times(origin, -1));
    if (step.size() > 1) return std::nullopt;
    std::int64_t extent = 2;
    while (extent < count && place_of(extent * unit) == plus(origin, times(step, extent))) ++extent;
    if (count % extent != 0) return std::nullopt;
    for (std::int64_t q = 1; q < count / extent; ++q) {
      Vector expected = place_of(q * extent * unit);
      for (std::int64_t r = 1; r < extent; ++r) {
        expected = plus(std::move(expected), step);
        if (place_of((q * extent + r) * unit) != expected) return std::nullopt;
      }
    }
    out.shard.insert(out.shard.begin(),
                     step.empty() ? Iter{extent, 0} : Iter{extent, step.begin()->second, step.begin()->first});
    unit *= extent;
    count /= extent;
  }
  return out;
}

std::optional<Division> divide_with_remainder(const Size& b, const Size& e) {
  if (const auto quotient = divide(b, e)) return Division{*quotient, 0};
  if (greater(e, b)) return Division{0, b};
  const auto divisor = e.constant();
  if (!divisor) return std::nullopt;
  Binding zeros;  // the polynomial at 0 is its constant term
  for (std::string& name : b.symbols()) zeros.emplace(std::move(name), 0);
  const std::int64_t at_zero = b.substitute(zeros).constant().value_or(0) % *divisor;
  const std::int64_t remainder = at_zero < 0 ? at_zero + *divisor : at_zero;
  const auto quotient = divide(b - remainder, e);
  return quotient ? std::optional(Division{*quotient, remainder}) : std::nullopt;
}

// From the innermost iter outwards. What position and step have in common with an extent stays whole (a factor of the step is
// never left, one of begin and count is always run through); what then lies within one turn of the iter is a stride; what does
// not is across an edge, and is looked at place by place, one period of the outermost iter where that suffices.
Result<std::optional<Fitted>> along(const std::vector<Iter>& run, const Progression& progression) {
  auto [begin, step, count] = progression;
  std::vector<Iter> rest;
  std::ranges::copy_if(run, std::back_inserter(rest), [](const Iter& i) { return !i.extent.is(1); });
  Fitted out;
  const auto prepend = [&](const Size& extent, const Size& stride, Axis axis) {
    if (!extent.is(1)) out.shard.insert(out.shard.begin(), {extent, stride, axis});
  };
  while (!rest.empty()) {
    Iter& inner = rest.back();
    // The whole run has the position, so what is left of it is below the outermost extent.
    const auto where = [&](const Size& extent) -> std::optional<Division> {
      if (rest.size() == 1 && extent == inner.extent) return Division{0, begin};
      return divide_with_remainder(begin, extent);
    };
    const auto advance = [&](const Size& factor, const Division& position) {  // a factor of the innermost iter is dealt with
      out.offset.push_back({inner.axis, position.remainder * inner.stride});
      begin = position.quotient;
      inner.stride = inner.stride * factor;
      inner.extent = *divide(inner.extent, factor);
    };

    if (const Size kept = count.is(1) ? Size(1) : common(inner.extent, {step}); !kept.is(1)) {
      const auto position = where(kept);
      if (!position) return Error(fmt::format("it is not shown where {} lies in steps of {}", begin.text(), kept.text()));
      step = *divide(step, kept);
      advance(kept, *position);
    } else if (const Size whole = step.is(1) ? common(inner.extent, {begin, count}) : Size(1); !whole.is(1)) {
      prepend(whole, inner.stride, inner.axis);
      count = *divide(count, whole);
      advance(whole, {*divide(begin, whole), 0});
    } else {
      const auto position = where(inner.extent);
      if (position && at_least(inner.extent - 1, position->remainder + step * (count - 1))) {
        prepend(count, step * inner.stride, inner.axis);
        count = 1;
        advance(inner.extent, *position);
      } else {
        break;
      }
    }
    if (rest.back().extent.is(1)) rest.pop_back();
  }
  if (rest.empty()) return out;

  if (!constant_extents(rest) || !begin.is_constant() || !step.is_constant() || !count.is_constant())
    return Error(fmt::format("it is not shown whether the {} elements from {} on lie on an even part of an iter of extent {}",
                             count.text(), begin.text(), rest.back().extent.text()));
  std::int64_t period = 1;
  for (std::size_t k = 1; k < rest.size(); ++k) period *= *rest[k].extent.constant();
  std::int64_t looked_at = *count.constant();
  const bool periodic = step.is(1) && looked_at > kMaxFitted && looked_at % period == 0;
  if (periodic) looked_at = period;
  if (looked_at > kMaxFitted)
    return Error(
        fmt::format("{} elements across the edges of an iter are more than are looked at ({})", looked_at, kMaxFitted));
  std::optional<Fitted> fitted = fit(looked_at, [&](std::int64_t y) { return place_in(rest, *(begin + step * y).constant()); });
  if (!fitted && periodic)
    return Error(fmt::format("whether {} elements cross the edges of an iter evenly is not decided", count.text()));
  if (!fitted) return std::nullopt;
  if (periodic) prepend(*count.constant() / period, rest[0].stride, rest[0].axis);
  out.shard.insert(out.shard.begin() + (periodic ? 1 : 0), fitted->shard.begin(), fitted->shard.end());
  out.offset.insert(out.offset.end(), fitted->offset.begin(), fitted->offset.end());
  return out;
}

}  // namespace kir::layout
