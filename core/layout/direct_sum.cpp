// Direct sums and their recoveries (algebra.h).
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/replica.h"

namespace kir::layout {

namespace {

using Iters = std::vector<Iter>;

void append_run(Iters& out, const Grouped& g, std::size_t d) {
  const auto at = [&](std::size_t k) { return g.layout.shard().begin() + static_cast<std::ptrdiff_t>(g.separators[k]); };
  out.insert(out.end(), at(d), at(d + 1));
}

enum class Side { left, right };

// The other addend where `known` is the one on that side.
Result<std::optional<TileLayout>> recover(Side side, const TileLayout& known, const TileLayout& sum, const Shape& interleaved,
                                          const Shape& known_shape) {
  if (interleaved.size() != 2 * known_shape.size())
    return Error(fmt::format("the sum has {} dimensions and its part {}; it must be twice as many", interleaved.size(),
                             known_shape.size()));
  for (std::size_t d = 0; d < known_shape.size(); ++d)
    if (interleaved[2 * d + (side == Side::right)] != known_shape[d])
      return Error(fmt::format("dimension {} of the part differs from that of the sum", d));
  for (const auto& [l, shape] : {std::pair(&known, &known_shape), std::pair(&sum, &interleaved)})
    if (!admits(*l, *shape)) return Error(group(*l, *shape).error());

  const Result<Grouped> grouped = group(sum, interleaved);
  if (!grouped) return std::nullopt;  // a sum has an iter's edge at every dimension's
  Iters mine, other;
  for (std::size_t d = 0; d < interleaved.size(); ++d) append_run(d % 2 == (side == Side::right) ? mine : other, *grouped, d);
  const Result<TileLayout> found = TileLayout::make(std::move(mine));
  if (!found || canonicalize(*found).shard() != canonicalize(known).shard()) return std::nullopt;

  Result<std::optional<Iters>> replica = replica_without(sum, known);
  if (!replica) return Error(replica.error());
  if (!*replica) return std::nullopt;
  std::vector<Offset> offset = sum.offset();
  for (const Offset& o : known.offset()) offset.push_back({o.axis, -o.value});
  Result<TileLayout> out = TileLayout::make(std::move(other), **std::move(replica), std::move(offset));
  if (!out) return Error(out.error());
  return canonicalize(*out);
}

}  // namespace

Result<TileLayout> direct_sum(const TileLayout& left, const Shape& left_shape, const TileLayout& right,
                              const Shape& right_shape) {
  if (left_shape.size() != right_shape.size())
    return Error(fmt::format("shapes of {} and {} dimensions; both must have the same", left_shape.size(), right_shape.size()));
  const Result<Grouped> l = group(left, left_shape), r = group(right, right_shape);
  if (!l) return Error(l.error());
  if (!r) return Error(r.error());
  Iters shard, replica = left.replica();
  for (std::size_t d = 0; d < left_shape.size(); ++d) {
    append_run(shard, *l, d);
    append_run(shard, *r, d);
  }
  replica.insert(replica.end(), right.replica().begin(), right.replica().end());
  std::vector<Offset> offset = left.offset();
  offset.insert(offset.end(), right.offset().begin(), right.offset().end());
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset)).map([](const TileLayout& t) {
    return canonicalize(t);
  });
}

Result<std::optional<TileLayout>> is_direct_sum_right(const TileLayout& right, const TileLayout& sum,
                                                      const Shape& interleaved_shape, const Shape& right_shape) {
  return recover(Side::right, right, sum, interleaved_shape, right_shape);
}

Result<std::optional<TileLayout>> is_direct_sum_left(const TileLayout& left, const TileLayout& sum,
                                                     const Shape& interleaved_shape, const Shape& left_shape) {
  return recover(Side::left, left, sum, interleaved_shape, left_shape);
}

}  // namespace kir::layout
