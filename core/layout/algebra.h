// The algebra of layouts. Every operation states its law over the forward map L (tile_layout.h); the laws are tested for every
// x against an independent oracle (tests/layout). Symbolic extents and strides are allowed wherever the needed divisions and
// comparisons hold for all sizes; else the error says which is not shown. All errors are the user's, one sentence each.
//
// "Canonical" results are canonicalize() of themselves. All operations are polynomial in the number of iters and independent
// of the number of elements, but for slices and compositions across an uneven edge, which look at up to kMaxFitted elements.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::layout {

inline constexpr std::int64_t kMaxFitted = std::int64_t{1} << 16;

// ---- Normal form (normal_form.cpp)
// Same map, fewest iters by merging: unit extents dropped; neighbours (e1, e2*s) (e2, s) of one axis merged, so also neighbours
// of stride 0; replica iters likewise while any two merge, in a fixed order, and as a multiset: copies() stays. A swizzle of no
// bits is dropped. Idempotent. Layouts of one map have one canonical shard, but for axes of stride 0; replicas of one multiset
// may have several forms (decide.h's equal() compares maps).
TileLayout canonicalize(const TileLayout& l);
Layout canonicalize(const Layout& l);
// Besides, thread axes of nested scopes fused where the machine fixes the ratio: (warpid, laneid) to tx (32*w + l), (wgid,
// tid_in_wg) to tx, (wgid, wid_in_wg) to warpid, (wid_in_wg, laneid) to tid_in_wg. L'(x) = { fuse_place(l, p) | p in L(x) }.
TileLayout canonicalize_threads(const TileLayout& l);
Place fuse_place(const TileLayout& l, const Place& p);
// The other way: l with its fused axes written on the narrower axes that `like` names, so that the two can be compared or
// tiled: every element keeps its threads' numbers (32*w + l and so on). None when an iter lies across the ratio. Canonical.
std::optional<TileLayout> unfuse_threads(const TileLayout& l, const TileLayout& like);
bool is_trivial(const Layout& l);  // at most one unit-stride memory iter, no replica, no offset, no swizzle

// ---- Regrouping (grouping.cpp)
struct Grouped {
  TileLayout layout;                    // same map
  std::vector<std::size_t> separators;  // dimension d is the iters [separators[d], separators[d+1])
};
// The canonical iters split so that each dimension of the shape is a run of iters; a dimension of extent 1 is a unit iter.
// Error: not admitted, or an iter lies unevenly across a dimension's edge (then no layout of this map is so grouped).
Result<Grouped> group(const TileLayout& l, const Shape& shape);
struct GroupedMany {
  TileLayout layout;                                 // same map: the coarsest that is grouped by every shape
  std::vector<std::vector<std::size_t>> separators;  // one list a shape
};
Result<GroupedMany> group_many(const TileLayout& l, std::span<const Shape> shapes);
// Group i of the result is group perm[i]: result(y) = l(x) with y[i] = x[perm[i]], coordinates in the groups' sizes.
Result<TileLayout> permute_by_groups(const TileLayout& l, std::span<const std::size_t> separators,
                                     std::span<const std::size_t> perm);
Result<TileLayout> permute_dims(const TileLayout& l, std::span<const std::size_t> perm);  // each shard iter a group

// ---- Direct sum (direct_sum.cpp): dimensions interleaved (left0, right0, left1, right1, ...): with x = (p, q) so interleaved,
// L(x) = left(p) + right(q), nothing scaled. Canonical.
Result<TileLayout> direct_sum(const TileLayout& left, const Shape& left_shape, const TileLayout& right,
                              const Shape& right_shape);
// The other addend (canonical) when this one is part of the sum; none when it is not; an error when the shapes do not fit, or
// where the replicas mix chains of several strides so that it is not decided.
Result<std::optional<TileLayout>> is_direct_sum_right(const TileLayout& right, const TileLayout& sum,
                                                      const Shape& interleaved_shape, const Shape& right_shape);  // the left
Result<std::optional<TileLayout>> is_direct_sum_left(const TileLayout& left, const TileLayout& sum,
                                                     const Shape& interleaved_shape, const Shape& left_shape);  // the right

// ---- Tiling (tiling.cpp)
// The inner layout repeated at the outer one's places: with dimension-wise x = (o, i), L(x) = outer'(o) + inner(i), where
// outer' is the outer with its places scaled axis-wise by inner's span (which must be shown to be at least 1 where the outer
// moves). A swizzle of the inner applies to the sum of the addresses. Canonical. A lone swizzle (of one period in a row) is
// taken over as many periods as its shape has.
Result<Layout> tile(const TileLayout& outer, const Shape& outer_shape, const Layout& inner, const Shape& inner_shape);
Result<Layout> tile_to(const Layout& l, const Shape& shape, const Shape& to_shape);  // outer: row-major on m
// The other part, canonical, when `l` is that part of `tiled`: tile() of both is canonicalize(tiled). None when it is not; an
// error when the shapes do not divide.
Result<std::optional<TileLayout>> is_tile_inner(const Layout& l, const Layout& tiled, const Shape& tiled_shape,
                                                const Shape& inner_shape);  // the outer
Result<std::optional<Layout>> is_tile_outer(const TileLayout& l, const Layout& tiled, const Shape& tiled_shape,
                                            const Shape& outer_shape);  // the inner

// ---- Parts (slice.cpp)
struct Range {
  Size begin, end;  // half-open, not empty
};
// The layout of a box: result(y) = l(y + begin), of the box's shape. None when no layout with l's replica and swizzle has these
// places. Canonical. Error besides: a region past the shape; not decided (symbols; more than kMaxFitted across an edge).
Result<std::optional<Layout>> slice(const Layout& l, const Shape& shape, std::span<const Range> region);

// Views of an indexed tensor: a number drops a dimension, [a, b) narrows it, start with step strides it.
struct Index {
  enum class Kind { drop, narrow, stride } kind;
  Size begin, end;  // stride: begin, and `end` is the step; drop: begin
};
struct SubView {
  Shape shape;
  Size offset;            // how far the view's first element is behind the tensor's first one, on m before the swizzle
  Layout layout;          // of shape, without that offset (with l's own): canonical
  bool offset_moves_out;  // may the offset be added behind the swizzle: only a multiple of the period
};
Result<SubView> sub_view(const Layout& l, const Shape& shape, std::span<const Index> index);

// ---- Elements (elements.cpp)
Layout storage(const Layout& l);  // without the iters and offsets of threads and devices; canonical
// Each element becomes num neighbours: result(num*x + j) = num * l(x) + j on the axis of the innermost memory iter as written
// (m where there is none), the other axes as they are. Of a swizzled layout, num is a power of two. Canonical.
Result<Layout> unpack(const Layout& l, std::int64_t num);
// The inverse: num neighbours become one element. Error: the innermost iter is not num neighbours at stride 1 on a memory axis,
// or something else on that axis is no multiple of num.
Result<Layout> pack(const Layout& l, std::int64_t num);
// A stride-0 iter inserted before the iter `position`; -1: at the end.
Result<TileLayout> broadcast(const TileLayout& l, const Size& num, std::int64_t position, Axis axis);

// ---- As functions of the linear address (function.cpp): inner, and the layout inverted, is on one axis without replicas
// x -> outer(inner(x)). Error: an address outside of outer, or no layout has these places. Canonical.
Result<TileLayout> compose(const TileLayout& outer, const TileLayout& inner);
// inverse(l(x)) = x. Error: strides that do not nest (each a multiple of the smaller ones' reach). Canonical, on m.
Result<TileLayout> left_inverse(const TileLayout& l);
// l(inverse(y)) = y for y in [0, span). Error: the image is not [0, span) with strides that nest. Canonical, on m.
Result<TileLayout> right_inverse(const TileLayout& l);
// What l leaves out of [0, cosize): l(x) + result(y) takes each value of [0, cosize) once. Error: strides that do not nest, or
// a gap that is no multiple. Canonical, on l's axis.
Result<TileLayout> complement(const TileLayout& l, const Size& cosize);

}  // namespace kir::layout
