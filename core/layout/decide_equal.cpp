// Equal: the same set of places for every element.
//
// The places of an element are, on each axis, D(x) + the set of the replica's offsets, whose least one is moved to the offset.
// So the sets are equal for every element when the least places and the sets from 0 on are. The map D in normal form,
// neighbours merged as far as they can be, is unique when it has no symbols: the extent of the last iter is how far D goes on
// in equal steps, its stride is the step, and the rest is the same one level up. So with numbers both directions are decided at
// once.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"
#include "core/layout/linear.h"

namespace kir::layout {
namespace {

struct Normal {
  std::vector<Iter> shard, replica;
  std::vector<Offset> offset;  // of the least place

  explicit Normal(const TileLayout& l) {
    for (Iter i : l.shard()) {
      if (i.extent.is(1)) continue;
      if (i.stride.is(0)) i.axis = Axis::memory();
      if (!shard.empty() && shard.back().axis == i.axis && shard.back().stride == i.extent * i.stride)
        shard.back() = {shard.back().extent * i.extent, i.stride, i.axis};
      else
        shard.push_back(std::move(i));
    }
    offset = l.offset();
    for (Iter i : l.replica()) {
      if (i.extent.is(1) || i.stride.is(0)) continue;
      if (at_least(-i.stride, 0)) {
        move(i.axis, (i.extent - 1) * i.stride);
        i.stride = -i.stride;
      }
      replica.push_back(std::move(i));
    }
    std::ranges::sort(replica, [](const Iter& a, const Iter& b) {
      if (a.axis != b.axis) return a.axis < b.axis;
      return a.stride == b.stride ? before(a.extent, b.extent) : before(a.stride, b.stride);
    });
    // Multiples 0 to e - 1 of s and a stride of k * s with k <= e are the multiples 0 to e - 1 + (f - 1) * k.
    for (std::size_t i = 0; i < replica.size(); ++i)
      for (std::size_t j = i + 1; j < replica.size();) {
        const std::optional<Size> k = divide(replica[j].stride, replica[i].stride);
        if (replica[i].axis != replica[j].axis || !k || !at_least(*k, 1) || !at_least(replica[i].extent, *k)) {
          ++j;
          continue;
        }
        replica[i].extent = replica[i].extent + (replica[j].extent - 1) * *k;
        replica.erase(replica.begin() + static_cast<std::ptrdiff_t>(j));
      }
  }

 private:
  void move(Axis a, const Size& by) {
    const auto at = std::ranges::find(offset, a, &Offset::axis);
    if (at == offset.end()) {
      offset.push_back({a, by});
      std::ranges::sort(offset, {}, &Offset::axis);
    } else {
      at->value = at->value + by;
      if (at->value.is(0)) offset.erase(at);
    }
  }
};

// The first element whose least places differ; none: the shards are one map. Both have the same size.
std::optional<std::int64_t> first_difference(const Normal& a, const Normal& b) {
  std::int64_t weight = 1;
  for (auto i = a.shard.rbegin(), j = b.shard.rbegin(); i != a.shard.rend() && j != b.shard.rend(); ++i, ++j) {
    if (i->stride != j->stride || i->axis != j->axis) return weight;
    if (i->extent != j->extent) return weight * std::min(number(i->extent), number(j->extent));
    weight *= number(i->extent);
  }
  return std::nullopt;
}

// A witness where the sets of two layouts are known to differ at x: a copy of one that is none of the other's.
Decision differ(By by, const Layout& a, const Layout& b, std::int64_t x, std::string_view why) {
  Witness w;
  w.x = x;
  if (at_least(kMaxCopies, a.tile.copies()) && at_least(kMaxCopies, b.tile.copies())) {
    const std::vector<Place> pa = places(a, x), pb = places(b, x);
    std::vector<Place> only;
    std::ranges::set_symmetric_difference(pa, pb, std::back_inserter(only));
    KIR_CHECK(!only.empty(), "element {} has the same places", x);
    w.place = only.front();
    return refuted(
        by, std::move(w),
        fmt::format("{}of the {} layout only, ", why, std::ranges::binary_search(pa, only.front()) ? "first" : "second"));
  }
  return undecided("more copies than can be listed");
}

// Both shards are one map: the sets of the replicas' offsets, axis by axis.
Decision equal_replicas(const Layout& a, const Layout& b, const Effort& effort) {
  for (std::size_t i = 0; i < axes().size(); ++i) {
    const Axis axis = *Axis::find(axes()[i].name);
    std::vector<std::int64_t> values[2];
    for (int side = 0; side < 2; ++side) {
      const TileLayout& tile = (side ? b : a).tile;
      AxisTerms t = terms_on(tile, axis);
      t.terms.erase(t.terms.begin(), t.terms.begin() + static_cast<std::ptrdiff_t>(t.shard.size()));
      const std::optional<Sums> sums = Sums::make(t.terms, t.origin, effort.points);
      if (!sums) return undecided(fmt::format("more than {} copies", effort.points));
      values[side] = sums->values();
    }
    if (values[0] != values[1]) return differ(By::enumeration, a, b, 0, "copies: ");
  }
  return proved(By::enumeration, "the same map, and the same set of copies");
}

// Places are cosets origin ^ A x ^ span(R).
std::optional<Decision> equal_by_rank(const Layout& a, const Layout& b) {
  const std::optional<LinearView> va = linear_view(a), vb = linear_view(b);
  if (!va || !vb || va->elements.columns().size() != vb->elements.columns().size()) return std::nullopt;
  const auto inside = [](const F2Map& span, const F2Map& columns) {
    return std::ranges::all_of(columns.columns(), [&](std::uint64_t c) { return span.solve(c).has_value(); });
  };
  if (!inside(va->copies, vb->copies) || !inside(vb->copies, va->copies) || !va->copies.solve(va->origin ^ vb->origin))
    return differ(By::rank, a, b, 0, "");
  for (std::size_t j = 0; j < va->elements.columns().size(); ++j)
    if (!va->copies.solve(va->elements.columns()[j] ^ vb->elements.columns()[j]))
      return differ(By::rank, a, b, std::int64_t{1} << j, "");
  return proved(By::rank, "each bit of an element moves both alike, up to copies");
}

Decision equal_by_places(const Layout& a, const Layout& b, const Effort& effort) {
  const auto points = [&](const TileLayout& l) {
    const Size n = l.size() * l.copies();
    return at_least(effort.points, n);
  };
  if (!points(a.tile) || !points(b.tile)) return undecided(fmt::format("more than {} places", effort.points));
  const std::int64_t size = number(a.tile.size());
  for (std::int64_t x = 0; x < size; ++x)
    if (places(a, x) != places(b, x)) return differ(By::enumeration, a, b, x, "");
  return proved(By::enumeration, "all places were compared");
}

Decision decide_equal(const Layout& a, const Layout& b, const Effort& effort) {
  const bool constant = a.tile.is_constant() && b.tile.is_constant();
  const auto sampled = [&](std::string open) {
    const auto at = [&](const Binding& sizes) {
      const Result<TileLayout> p = a.tile.bind(sizes), q = b.tile.bind(sizes);
      return p && q ? decide_equal({*p, a.swizzle}, {*q, b.swizzle}, kSampled) : undecided(p ? q.error() : p.error());
    };
    if (std::optional<Decision> d = refuted_at_small_sizes(symbols_of(a.tile, b.tile), at)) return *d;
    return undecided(std::move(open));
  };
  if (!(a.tile.size() == b.tile.size())) {
    if (!constant) return sampled("the sizes differ in form");
    Witness w;
    const std::int64_t size_a = number(a.tile.size()), size_b = number(b.tile.size());
    w.x = std::min(size_a, size_b);
    w.place = base_place(size_a > size_b ? a : b, w.x);
    return refuted(By::definition, std::move(w), fmt::format("of {} and {} elements, only one has ", size_a, size_b));
  }
  const Normal na(a.tile), nb(b.tile);
  const bool same_map = na.shard == nb.shard && na.offset == nb.offset;
  if (a.swizzle == b.swizzle && same_map && na.replica == nb.replica) return proved(By::definition, "equal normal forms");
  if (!constant) return sampled("the normal forms differ");
  if (a.swizzle == b.swizzle) {
    if (same_map) return equal_replicas(a, b, effort);
    return differ(By::definition, a, b, na.offset == nb.offset ? first_difference(na, nb).value() : 0,
                  "the normal forms differ: ");
  }
  if (std::optional<Decision> d = equal_by_rank(a, b)) return *d;
  return equal_by_places(a, b, effort);
}

}  // namespace

Decision equal(const Layout& a, const Layout& b) { return decide_equal(a, b, {}); }

}  // namespace kir::layout
