// Normal forms of layouts (algebra.h).
#include <algorithm>

#include "core/base/check.h"
#include "core/layout/algebra.h"
#include "core/layout/rewrite.h"

namespace kir::layout {

namespace {

// (e1, e2*s) (e2, s) is (e1*e2, s).
bool merge(Iter& outer, const Iter& inner) {
  if (outer.axis != inner.axis || outer.stride != inner.extent * inner.stride) return false;
  const Size extent = outer.extent * inner.extent;
  if (!extent.ok()) return false;
  outer = {extent, inner.stride, inner.axis};
  return true;
}

std::vector<Iter> merged_neighbours(const std::vector<Iter>& shard) {
  std::vector<Iter> out;
  for (const Iter& i : shard)
    if (!i.extent.is(1) && (out.empty() || !merge(out.back(), i))) out.push_back(i);
  return out;
}

bool earlier(const Iter& a, const Iter& b) {
  if (a.axis != b.axis) return a.axis < b.axis;
  return a.stride != b.stride ? before(a.stride, b.stride) : before(a.extent, b.extent);
}

bool merge_two(std::vector<Iter>& iters) {
  for (auto inner = iters.begin(); inner != iters.end(); ++inner)
    for (auto outer = iters.begin(); outer != iters.end(); ++outer)
      if (outer != inner && merge(*outer, *inner)) {
        iters.erase(inner);
        return true;
      }
  return false;
}

std::vector<Iter> merged_anywhere(std::vector<Iter> replica) {
  std::erase_if(replica, [](const Iter& i) { return i.extent.is(1); });
  do std::ranges::sort(replica, earlier);
  while (merge_two(replica));
  return replica;
}

struct Fusion {
  Axis outer, inner, fused;
  std::int64_t ratio() const { return parts(*inner.row().scope, *inner.row().subscope); }
};

const std::vector<Fusion>& fusions() {
  static const auto row = [](std::string_view outer, std::string_view inner, std::string_view fused) {
    return Fusion{*Axis::find(outer), *Axis::find(inner), *Axis::find(fused)};
  };
  static const std::vector<Fusion> rows = {row("wgid", "wid_in_wg", "warpid"), row("warpid", "laneid", "tx"),
                                           row("wid_in_wg", "laneid", "tid_in_wg"), row("wgid", "tid_in_wg", "tx")};
  return rows;
}

bool has(const TileLayout& l, Axis a) { return std::ranges::count(l.axes(), a) != 0; }

struct Fused {
  TileLayout layout;
  std::vector<Fusion> steps;
};
Fused fuse(TileLayout l) {
  std::vector<Fusion> steps;
  for (const Fusion& f : fusions()) {
    if (!has(l, f.outer) || !has(l, f.inner) || has(l, f.fused)) continue;
    const auto next = rewrite(l, [&](Axis& axis, Size& value) {
      if (axis == f.outer) value = value * f.ratio();
      if (axis == f.outer || axis == f.inner) axis = f.fused;
      return std::string();
    });
    if (!next) continue;
    l = *next;
    steps.push_back(f);
  }
  return {std::move(l), std::move(steps)};
}

// The iter as parts within and beyond `ratio` steps of its axis: outer (of stride in ratios) before inner; none: across.
std::optional<std::vector<Iter>> parted(const Iter& i, const Fusion& f) {
  if (const auto beyond = divide(i.stride, f.ratio())) return std::vector{Iter{i.extent, *beyond, f.outer}};
  if (at_least(i.stride, 0) && at_least(f.ratio() - 1, (i.extent - 1) * i.stride))
    return std::vector{Iter{i.extent, i.stride, f.inner}};
  const auto within = divide(f.ratio(), i.stride);
  const auto beyond = within ? divide(i.extent, *within) : std::nullopt;
  if (!beyond || !at_least(i.stride, 1)) return std::nullopt;
  return std::vector{Iter{*beyond, 1, f.outer}, Iter{*within, i.stride, f.inner}};
}

std::optional<TileLayout> unfuse(const TileLayout& l, const Fusion& f) {
  std::vector<Iter> shard, replica;
  for (const auto& [from, to] : {std::pair(&l.shard(), &shard), std::pair(&l.replica(), &replica)})
    for (const Iter& i : *from) {
      if (i.axis != f.fused) {
        to->push_back(i);
        continue;
      }
      const auto found = parted(i, f);
      if (!found) return std::nullopt;
      to->insert(to->end(), found->begin(), found->end());
    }
  std::vector<Offset> offset;
  for (const Offset& o : l.offset()) {
    if (o.axis != f.fused) {
      offset.push_back(o);
    } else if (const auto beyond = divide(o.value, f.ratio())) {
      offset.push_back({f.outer, *beyond});
    } else if (const auto value = o.value.constant()) {
      const std::int64_t within = (*value % f.ratio() + f.ratio()) % f.ratio();
      offset.push_back({f.outer, (*value - within) / f.ratio()});
      offset.push_back({f.inner, within});
    } else {
      return std::nullopt;
    }
  }
  const auto made = TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
  // Together, the parts within must not carry.
  if (!made || !at_least(f.ratio(), made->span(f.inner))) return std::nullopt;
  return canonicalize(*made);
}

// The way to take `fused` apart that leads to the axes of `like`, the shortest first; null: none does.
const Fusion* towards(const TileLayout& like, Axis fused) {
  const Fusion* longer = nullptr;
  for (const Fusion& f : fusions()) {
    if (f.fused != fused) continue;
    if (has(like, f.outer) || has(like, f.inner)) return &f;
    if (!longer && (towards(like, f.outer) || towards(like, f.inner))) longer = &f;
  }
  return longer;
}

}  // namespace

TileLayout canonicalize(const TileLayout& l) {
  // Fails only where a product of symbols has too many terms on the way; then l stays as it is.
  return TileLayout::make(merged_neighbours(l.shard()), merged_anywhere(l.replica()), l.offset()).value_or(l);
}

Layout canonicalize(const Layout& l) {
  return {canonicalize(l.tile), l.swizzle && l.swizzle->swizzle_len() == 0 ? std::nullopt : l.swizzle};
}

TileLayout canonicalize_threads(const TileLayout& l) { return canonicalize(fuse(canonicalize(l)).layout); }

Place fuse_place(const TileLayout& l, const Place& p) {
  Place out = p;
  for (const Fusion& f : fuse(canonicalize(l)).steps) {
    const std::int64_t outer = out[f.outer], inner = out[f.inner];
    out.add(f.outer, -outer);
    out.add(f.inner, -inner);
    out.add(f.fused, outer * f.ratio() + inner);
  }
  return out;
}

std::optional<TileLayout> unfuse_threads(const TileLayout& l, const TileLayout& like) {
  std::optional<TileLayout> out = canonicalize(l);
  for (const std::string_view fused : {"tx", "warpid", "tid_in_wg"}) {  // what one step makes, the next may take apart
    if (const Axis axis = *Axis::find(fused); has(*out, axis) && !has(like, axis))
      if (const Fusion* f = towards(like, axis)) out = unfuse(*out, *f);
    if (!out) return std::nullopt;
  }
  return out;
}

bool is_trivial(const Layout& l) {
  const Layout c = canonicalize(l);
  const std::vector<Iter>& shard = c.tile.shard();
  return !c.swizzle && c.tile.replica().empty() && c.tile.offset().empty() &&
         (shard.empty() || (shard.size() == 1 && shard[0].axis.is_memory() && shard[0].stride.is(1)));
}

}  // namespace kir::layout
