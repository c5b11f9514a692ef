// Regrouping of shard iters (algebra.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/layout/algebra.h"

namespace kir::layout {

namespace {

std::string shape_text(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const Size& s : shape) sizes.push_back(s.text());
  return fmt::format("({})", fmt::join(sizes, ", "));
}

// What is left of one factorization of the layout's size, from the slowest factor.
struct Front {
  const Shape* shape;
  std::size_t dimension = 0;  // of `rest`
  Size rest = 1;
  std::vector<std::size_t> separators = {0};

  bool done() const { return dimension == shape->size(); }
  // Takes a factor at iter `at` of the result; a dimension that is complete ends behind it.
  void take(const Size& factor, std::size_t at) {
    rest = *divide(rest, factor);
    if (!rest.is(1)) return;
    separators.push_back(at + 1);
    if (++dimension < shape->size()) rest = (*shape)[dimension];
  }
};

}  // namespace

// All factorizations are walked at once: each step emits the front factor that divides all other ones. A front factor of 1 is
// a dimension of extent 1, which only the shapes that have one there take.
Result<GroupedMany> group_many(const TileLayout& l, std::span<const Shape> shapes) {
  if (shapes.empty()) return Error("there is no shape to group by");
  for (const Shape& shape : shapes) {
    if (shape.empty()) return Error("a shape to group by has no dimension");
    if (!admits(l, shape))
      return Error(
          fmt::format("the layout has {} elements and does not admit the shape {}", l.size().text(), shape_text(shape)));
  }
  std::vector<Iter> source = canonicalize(l).shard(), out;
  std::size_t next = 0;
  std::vector<Front> fronts;
  for (const Shape& shape : shapes) fronts.push_back({.shape = &shape, .rest = shape[0]});

  const auto divides_all = [&](const Size& factor) {
    return (next == source.size() || divide(source[next].extent, factor)) &&
           std::ranges::all_of(fronts, [&](const Front& f) { return f.done() || divide(f.rest, factor); });
  };
  const auto emit = [&](const Size& factor) {
    Iter made{factor, out.empty() ? Size(1) : out.back().stride, out.empty() ? Axis::memory() : out.back().axis};
    if (next < source.size()) {
      Iter& from = source[next];
      const Size rest = *divide(from.extent, factor);
      const Size stride = from.stride * rest;  // of a unit iter it may be anything: what fits
      made = {factor, stride.ok() ? stride : from.stride, from.axis};
      from.extent = rest;
      if (rest.is(1)) ++next;
    }
    out.push_back(std::move(made));
  };

  while (!std::ranges::all_of(fronts, &Front::done)) {
    const bool unit = std::ranges::any_of(fronts, [](const Front& f) { return !f.done() && f.rest.is(1); });
    std::optional<Size> factor;
    if (unit) factor = 1;
    if (!factor && next < source.size() && divides_all(source[next].extent)) factor = source[next].extent;
    for (const Front& f : fronts)
      if (!factor && !f.done() && divides_all(f.rest)) factor = f.rest;
    if (!factor) {
      const auto edge = std::ranges::find_if(fronts, [](const Front& f) { return !f.done(); });
      return Error(fmt::format("the iters do not split along the shape {}: dimension {} meets an iter in the ratio {} to {}",
                               shape_text(*edge->shape), edge->dimension, edge->rest.text(),
                               next < source.size() ? source[next].extent.text() : "1"));
    }
    emit(*factor);
    for (Front& f : fronts)
      if (!f.done() && (!unit || f.rest.is(1))) f.take(*factor, out.size() - 1);
  }
  GroupedMany grouped;
  for (Front& f : fronts) {
    f.separators.back() = out.size();  // units of other shapes at the end
    grouped.separators.push_back(std::move(f.separators));
  }
  Result<TileLayout> layout = TileLayout::make(std::move(out), l.replica(), l.offset());
  if (!layout) return Error(layout.error());
  grouped.layout = *std::move(layout);
  return grouped;
}

Result<Grouped> group(const TileLayout& l, const Shape& shape) {
  if (shape.empty() && l.size().is(1)) return Grouped{*TileLayout::make({}, l.replica(), l.offset()), {0}};
  Result<GroupedMany> many = group_many(l, std::span(&shape, 1));
  if (!many) return Error(many.error());
  return Grouped{std::move(many->layout), std::move(many->separators[0])};
}

Result<TileLayout> permute_by_groups(const TileLayout& l, std::span<const std::size_t> separators,
                                     std::span<const std::size_t> perm) {
  if (separators.empty() || separators.front() != 0 || separators.back() != l.shard().size() ||
      !std::ranges::is_sorted(separators))
    return Error(fmt::format("the separators must ascend from 0 to {}, the number of iters", l.shard().size()));
  std::vector<std::size_t> sorted(perm.begin(), perm.end()), all(separators.size() - 1);
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (sorted != all) return Error(fmt::format("({}) is not a permutation of {} groups", fmt::join(perm, ", "), all.size()));
  std::vector<Iter> shard;
  for (const std::size_t g : perm)
    for (std::size_t k = separators[g]; k < separators[g + 1]; ++k) shard.push_back(l.shard()[k]);
  return TileLayout::make(std::move(shard), l.replica(), l.offset());
}

Result<TileLayout> permute_dims(const TileLayout& l, std::span<const std::size_t> perm) {
  std::vector<std::size_t> separators(l.shard().size() + 1);
  std::iota(separators.begin(), separators.end(), std::size_t{0});
  return permute_by_groups(l, separators, perm);
}

}  // namespace kir::layout
