// Layouts as functions of the linear address: composition, inverses, complement (algebra.h).
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/fit.h"

namespace kir::layout {

namespace {

// A stretch of the outer layout's digits that an iter of addresses runs through.
struct Stretch {
  std::size_t digit;  // which outer iter
  Iter iter;          // on the outer's axis
  Size most;          // the digit's part of it
};

// The addresses c * i.stride, c in [0, i.extent), in the outer's digits, innermost first; none: not whole digits.
std::optional<std::vector<Stretch>> stretches(const std::vector<Iter>& outer, const Iter& i) {
  std::vector<Stretch> out;
  Size step = i.stride, count = i.extent;
  if (!at_least(step, 1)) return std::nullopt;
  for (std::size_t k = outer.size(); k-- > 0 && !count.is(1);) {
    if (const auto skipped = divide(step, outer[k].extent)) {
      step = *skipped;
      continue;
    }
    const auto room = divide(outer[k].extent, step);
    if (!room) return std::nullopt;
    const auto beyond = divide(count, *room);
    if (!beyond && !at_least(*room, count)) return std::nullopt;
    const Size taken = beyond ? *room : count;
    out.push_back({k, {taken, outer[k].stride * step, outer[k].axis}, (taken - 1) * step});
    count = beyond.value_or(1);
    step = 1;
  }
  return count.is(1) ? std::optional(out) : std::nullopt;
}

// Where no digit carries, the outer's map of a sum of addresses is the sum of its maps.
std::optional<Fitted> composed_by_digits(const std::vector<Iter>& outer, const TileLayout& inner) {
  Fitted out;
  std::vector<Size> most(outer.size());
  Size address = inner.offset().empty() ? Size(0) : inner.offset()[0].value;
  if (!at_least(address, 0)) return std::nullopt;
  for (std::size_t k = outer.size(); k-- > 0;) {
    const auto position = divide_with_remainder(address, outer[k].extent);
    if (!position) return std::nullopt;
    most[k] = position->remainder;
    out.offset.push_back({outer[k].axis, position->remainder * outer[k].stride});
    address = position->quotient;
  }
  if (!address.is(0)) return std::nullopt;
  for (auto i = inner.shard().rbegin(); i != inner.shard().rend(); ++i) {
    if (i->stride.is(0)) {
      out.shard.push_back({i->extent, 0});
      continue;
    }
    const auto found = stretches(outer, *i);
    if (!found) return std::nullopt;
    for (const Stretch& s : *found) {
      most[s.digit] = most[s.digit] + s.most;
      out.shard.push_back(s.iter);
    }
  }
  for (std::size_t k = 0; k < outer.size(); ++k)
    if (!greater(outer[k].extent, most[k])) return std::nullopt;
  std::ranges::reverse(out.shard);
  return out;
}

// The canonical iters and their weights in x, each stride a multiple of the reach of those before.
struct Nested {
  Iter iter;
  Size weight;
};
Result<std::vector<Nested>> nested(const TileLayout& l, bool drop_still) {
  const TileLayout c = canonicalize(l);
  if (!c.replica().empty()) return Error("a layout with replicas is not a function");
  if (!c.offset().empty()) return Error("a layout with an offset: its image does not begin at 0");
  std::vector<Nested> rest, out;
  Size weight = 1;
  for (auto i = c.shard().rbegin(); i != c.shard().rend(); ++i, weight = weight * rest.back().iter.extent) {
    rest.push_back({*i, weight});
    if (i->axis != c.shard()[0].axis)
      return Error(fmt::format("axes {} and {}; a linear address is on one", c.shard()[0].axis.name(), i->axis.name()));
  }
  if (drop_still) std::erase_if(rest, [](const Nested& n) { return n.iter.stride.is(0); });
  while (!rest.empty()) {
    const auto innermost = std::ranges::find_if(rest, [&](const Nested& n) {
      return at_least(n.iter.stride, 1) && std::ranges::all_of(rest, [&](const Nested& other) {
               const auto times = divide(other.iter.stride, n.iter.stride);
               return &n == &other || (times && at_least(*times, n.iter.extent));
             });
    });
    if (innermost == rest.end())
      return Error(
          fmt::format("the strides do not nest: none of the {} largest is shown to reach less than the others' common factor",
                      rest.size()));
    out.push_back(*innermost);
    rest.erase(innermost);
  }
  return out;
}

Result<TileLayout> made(std::vector<Iter> innermost_first) {
  std::ranges::reverse(innermost_first);
  return TileLayout::make(std::move(innermost_first)).map([](const TileLayout& t) { return canonicalize(t); });
}

}  // namespace

Result<TileLayout> compose(const TileLayout& outer, const TileLayout& inner) {
  const TileLayout c = canonicalize(inner), o = canonicalize(outer);
  if (!c.replica().empty()) return Error("the inner layout has replicas; it must be a function");
  const std::vector<Axis> axes = c.axes();
  if (axes.size() > 1) return Error(fmt::format("the inner layout is on {} axes; a linear address is on one", axes.size()));
  std::optional<Fitted> found = composed_by_digits(o.shard(), c);
  if (!found) {
    if (!c.is_constant() || !std::ranges::all_of(o.shard(), [](const Iter& i) { return i.extent.is_constant(); }))
      return Error("it is not shown that the inner layout's addresses run along the outer layout's iters");
    const TileLayout::Reach reach = axes.empty() ? TileLayout::Reach{} : c.reach(axes[0]);
    if (reach.low < 0 || !greater(o.size(), reach.high))
      return Error(fmt::format("the addresses [{}, {}] are not all in [0, {})", reach.low, reach.high, o.size().text()));
    if (!at_least(kMaxFitted, c.size()))
      return Error(
          fmt::format("{} addresses across the edges of iters are more than are looked at ({})", c.size().text(), kMaxFitted));
    found = fit(*c.size().constant(), [&](std::int64_t x) {
      Vector place;
      const std::vector<std::int64_t> digits = split(o, axes.empty() ? 0 : base_place(c, x)[axes[0]]);
      for (std::size_t k = 0; k < digits.size(); ++k) add(place, o.shard()[k].axis, o.shard()[k].stride * digits[k]);
      return place;
    });
    if (!found) return Error("no layout has the places of the composition");
  }
  found->offset.insert(found->offset.end(), o.offset().begin(), o.offset().end());
  return TileLayout::make(std::move(found->shard), o.replica(), std::move(found->offset)).map([](const TileLayout& t) {
    return canonicalize(t);
  });
}

Result<TileLayout> left_inverse(const TileLayout& l) {
  const auto chain = nested(l, false);
  if (!chain) return Error(chain.error());
  std::vector<Iter> out;
  for (std::size_t k = 0; k < chain->size(); ++k) {
    const Nested& n = (*chain)[k];
    if (k == 0) out.push_back({n.iter.stride, 0});
    const Size turn = k + 1 < chain->size() ? *divide((*chain)[k + 1].iter.stride, n.iter.stride) : n.iter.extent;
    out.push_back({turn, n.weight});
  }
  return made(std::move(out));
}

Result<TileLayout> right_inverse(const TileLayout& l) {
  const auto chain = nested(l, true);
  if (!chain) return Error(chain.error());
  std::vector<Iter> out;
  Size reached = 1;
  for (const Nested& n : *chain) {
    if (n.iter.stride != reached)
      return Error(fmt::format("the image leaves out the addresses from {} to {}", reached.text(), (n.iter.stride - 1).text()));
    out.push_back({n.iter.extent, n.weight});
    reached = reached * n.iter.extent;
  }
  return made(std::move(out));
}

Result<TileLayout> complement(const TileLayout& l, const Size& cosize) {
  const auto chain = nested(l, false);
  if (!chain) return Error(chain.error());
  const Axis axis = chain->empty() ? Axis::memory() : (*chain)[0].iter.axis;
  std::vector<Iter> out;
  Size reached = 1;
  const auto fill = [&](const Size& up_to) -> Result<void> {
    const auto gap = divide(up_to, reached);
    if (!gap || !at_least(*gap, 1))
      return Error(fmt::format("{} is not shown to be a multiple of {}", up_to.text(), reached.text()));
    out.push_back({*gap, reached, axis});
    return {};
  };
  for (const Nested& n : *chain) {
    if (const auto done = fill(n.iter.stride); !done) return Error(done.error());
    reached = n.iter.stride * n.iter.extent;
  }
  if (const auto done = fill(cosize); !done) return Error(done.error());
  return made(std::move(out));
}

}  // namespace kir::layout
