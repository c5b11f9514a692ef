// The algebra of layouts. Every operation states its law over the forward map L (tile_layout.h); the laws are tested as
// properties and can be asked for as obligations (proof/layout_laws.h). Results are canonical where it is said. Symbolic
// extents and strides are allowed wherever the needed divisions are exact for all sizes; else the error says which is not.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::layout {

// ---- Normal form
// Same map, fewest iters by merging: unit extents dropped, neighbours (e1, e2*s) (e2, s) of one axis merged, adjacent
// stride-0 iters of an axis merged; replica iters likewise after sorting, duplicates in the replica's set kept (a replica is a
// multiset of iters). canonicalize(canonicalize(l)) == canonicalize(l).
TileLayout canonicalize(const TileLayout& l);
Layout canonicalize(const Layout& l);
// Besides, thread axes of nested scopes fused where the machine fixes the ratio: warpid and laneid to tx (32*w + l), wgid and
// tid_in_wg to tx, wgid and wid_in_wg to warpid. The places of the result are the fused places (fuse_place).
TileLayout canonicalize_threads(const TileLayout& l);
Place fuse_place(const TileLayout& l, const Place& p);

// ---- Regrouping
struct Grouped {
  TileLayout layout;                    // same map
  std::vector<std::size_t> separators;  // dimension d is the iters [separators[d], separators[d+1])
};
// Iters split so that each dimension of the shape is a run of iters. Error: an iter crosses a dimension's edge unevenly.
Result<Grouped> group(const TileLayout& l, const Shape& shape);
struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<std::size_t>> separators;  // one list a shape
};
Result<GroupedMany> group_many(const TileLayout& l, std::span<const Shape> shapes);
Result<TileLayout> permute_by_groups(const TileLayout& l, std::span<const std::size_t> separators,
                                     std::span<const std::size_t> perm);
Result<TileLayout> permute_dims(const TileLayout& l, std::span<const std::size_t> perm);  // shard iters

// ---- Tiling
// The inner layout repeated at the outer one's places: with dimension-wise x = (o, i), L(x) = outer'(o) + inner(i), outer's
// strides scaled axis-wise by inner's span on that axis. Canonical.
Result<Layout> tile(const TileLayout& outer, const Shape& outer_shape, const Layout& inner, const Shape& inner_shape);
Result<Layout> tile_to(const Layout& l, const Shape& shape, const Shape& to_shape);  // outer: row-major on m
// The other part, when `l` is that part of tiled; none when it is not; an error when the shapes do not divide.
Result<std::optional<TileLayout>> is_tile_inner(const Layout& l, const Layout& tiled, const Shape& tiled_shape,
                                                const Shape& inner_shape);  // the outer
Result<std::optional<Layout>> is_tile_outer(const TileLayout& l, const Layout& tiled, const Shape& tiled_shape,
                                            const Shape& outer_shape);  // the inner

// ---- Direct sum: dimensions interleaved (left0, right0, left1, right1, ...), L = left + right, nothing scaled. Canonical.
Result<TileLayout> direct_sum(const TileLayout& left, const Shape& left_shape, const TileLayout& right,
                              const Shape& right_shape);
Result<std::optional<TileLayout>> is_direct_sum_right(const TileLayout& right, const TileLayout& sum,
                                                      const Shape& interleaved_shape, const Shape& right_shape);  // the left
Result<std::optional<TileLayout>> is_direct_sum_left(const TileLayout& left, const TileLayout& sum,
                                                     const Shape& interleaved_shape, const Shape& left_shape);  // the right

// ---- Parts
struct Range {
  Size begin, end;  // half-open
};
// The layout of a box: result(y) = l(y + begin), of the box's shape. None when no layout has these places.
Result<std::optional<Layout>> slice(const Layout& l, const Shape& shape, std::span<const Range> region);
Layout storage(const Layout& l);  // without thread and device iters and offsets; canonical
Result<Layout> unpack(const Layout& l,
                      std::int64_t num);  // each element becomes num neighbours; memory strides and offsets scale
Result<Layout> pack(const Layout& l, std::int64_t num);  // the inverse; the innermost iter is stride 1 on memory
Result<TileLayout> broadcast(const TileLayout& l, const Size& num, std::int64_t position,
                             Axis axis);  // stride-0 iter; -1: last

// ---- As functions of the linear address: layouts on one axis without replicas
Result<TileLayout> compose(const TileLayout& outer, const TileLayout& inner);  // x -> outer(inner(x))
// left: inverse(l(x)) = x (l injective); right: l(inverse(y)) = y on the image. The image is [0, span) (else: error says why).
Result<TileLayout> left_inverse(const TileLayout& l);
Result<TileLayout> right_inverse(const TileLayout& l);
// What l leaves out of [0, cosize): with l it is injective and covers it. Error: l is not injective or its strides do not
// divide.
Result<TileLayout> complement(const TileLayout& l, const Size& cosize);

// ---- Views of an indexed tensor: a number drops a dimension, [a, b) narrows it, start with step strides it.
struct Index {
  enum class Kind { drop, narrow, stride } kind;
  Size begin, end;  // stride: begin, and `end` is the step; begin for drop
};
struct SubView {
  Shape shape;
  Size offset;            // elements, on m
  Layout layout;          // of shape; together with the offset: the places
  bool offset_moves_out;  // may the offset be added behind the swizzle: only a multiple of the period
};
Result<SubView> sub_view(const Layout& l, const Shape& shape, std::span<const Index> index);

bool is_trivial(const Layout& l);  // at most one unit-stride memory iter, no replica, no offset, no swizzle

}  // namespace kir::layout
