// Operations commute with giving the symbols values: what is computed once for all sizes is what is computed for each.
#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

const Size N = Size::symbol("N"), K = Size::symbol("K");

struct Dimension {
  std::vector<Iter> run;
  Size extent = 1;
};
// Dimensions of a few iters with symbolic extents, and strides that often merge.
class Symbolic {
 public:
  explicit Symbolic(std::uint64_t seed) : random(seed) {}

  Size extent() { return random.of(std::vector<Size>{1, 2, 3, 4, 8, N, K, N * 2, K * 4, N + 1, N * K}); }
  Size stride() { return random.of(std::vector<Size>{0, 1, 2, 8, -1, N, K, N * K, N * 8 + 4, -K, N - 2}); }
  Axis axis() { return *Axis::find(random.of(std::vector<std::string>{"m", "m", "laneid", "F"})); }
  std::vector<Iter> iters(std::int64_t most) {
    std::vector<Iter> out;
    for (std::int64_t n = random.in(0, most); n > 0; --n) {
      Iter next{extent(), stride(), axis()};
      if (!out.empty() && random.chance(60))
        next.axis = out.front().axis, next.stride = out.front().stride * out.front().extent;
      out.insert(out.begin(), next);
    }
    return out;
  }
  std::optional<std::pair<TileLayout, Shape>> layout(std::size_t rank, std::int64_t copies) {
    std::vector<Iter> shard;
    Shape shape;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::vector<Iter> run = iters(2);
      shape.push_back(1);
      for (const Iter& i : run) shape.back() = shape.back() * i.extent;
      shard.insert(shard.end(), run.begin(), run.end());
    }
    std::vector<Offset> offset;
    if (random.chance(40)) offset.push_back({axis(), stride()});
    const auto made = TileLayout::make(shard, random.chance(40) ? iters(copies) : std::vector<Iter>{}, offset);
    return made ? std::optional(std::pair(*made, shape)) : std::nullopt;
  }

  Random random;
};

std::vector<Binding> bindings() {
  std::vector<Binding> out;
  for (const auto& [n, k] : {std::pair(1, 1), {2, 3}, {3, 1}, {4, 4}, {5, 2}}) out.push_back({{"N", n}, {"K", k}});
  return out;
}
TileLayout at(const TileLayout& l, const Binding& b) { return must(l.bind(b)); }
Layout at(const Layout& l, const Binding& b) { return {at(l.tile, b), l.swizzle}; }
Shape at(const Shape& shape, const Binding& b) {
  Shape out;
  for (const Size& s : shape) out.push_back(*s.evaluate(b));
  return out;
}

// shows: L1.10 L3.4
TEST(LayoutSymbolic, RegroupingAndSumsCommuteWithValues) {
  Symbolic symbolic(70);
  int grouped = 0, summed = 0, tiled = 0, recovered = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto a = symbolic.layout(2, 2), b = symbolic.layout(2, 1);
    if (!a || !b) continue;
    const auto& [l, shape] = *a;
    const auto& [r, other] = *b;
    const TileLayout c = canonicalize(l);
    const auto g = group(l, shape);
    const auto sum = direct_sum(l, shape, r, other);
    const auto t = tile(l, shape, {r, {}}, other);
    const Shape both = {shape[0], other[0], shape[1], other[1]}, product = {shape[0] * other[0], shape[1] * other[1]};
    const auto left = sum ? is_direct_sum_right(r, *sum, both, other) : Error("");
    const auto outer = t ? is_tile_inner({r, {}}, *t, product, other) : Error("");
    const auto inner = t ? is_tile_outer(l, *t, product, shape) : Error("");
    const auto view = unpack({l, {}}, 4);
    grouped += g.has_value(), summed += sum.has_value(), tiled += t.has_value(), recovered += left && *left;
    for (const Binding& v : bindings()) {
      const TileLayout bound = at(l, v), right = at(r, v);
      ASSERT_TRUE(same_form(canonicalize(at(c, v)), canonicalize(bound))) << to_string(l);
      if (g) {
        ASSERT_TRUE(same_form(canonicalize(at(g->layout, v)), canonicalize(bound))) << to_string(l);
      }
      if (sum) {
        ASSERT_TRUE(same_form(canonicalize(at(*sum, v)), must(direct_sum(bound, at(shape, v), right, at(other, v)))))
            << to_string(*sum);
      }
      if (t) {
        ASSERT_TRUE(same_form(canonicalize(at(*t, v)), must(tile(bound, at(shape, v), {right, {}}, at(other, v)))))
            << to_string(l) << to_string(r);
      }
      if (left && *left) {
        ASSERT_TRUE(same_map(at(**left, v), bound)) << to_string(l) << " + " << to_string(r);
      }
      if (outer && *outer) {
        ASSERT_TRUE(same_form(must(tile(at(**outer, v), at(shape, v), {right, {}}, at(other, v))), canonicalize(at(*t, v))));
      }
      if (inner && *inner) {
        ASSERT_TRUE(same_form(must(tile(bound, at(shape, v), at(**inner, v), at(other, v))), canonicalize(at(*t, v))));
      }
      if (view) {
        ASSERT_TRUE(same_form(canonicalize(at(*view, v)), must(unpack({bound, {}}, 4)))) << to_string(l);
      }
      ASSERT_TRUE(same_form(canonicalize(at(storage({l, {}}), v)), storage({bound, {}})));
    }
  }
  EXPECT_GT(grouped, 1000);
  EXPECT_GT(summed, 1000);
  EXPECT_GT(tiled, 200);
  EXPECT_GT(recovered, 500);
}

// shows: L1.10 L3.4
TEST(LayoutSymbolic, PartsCommuteWithValues) {
  Symbolic symbolic(71);
  int sliced = 0, viewed = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto made = symbolic.layout(2, 1);
    if (!made) continue;
    const auto& [l, shape] = *made;
    std::vector<Range> region;
    std::vector<Index> index;
    for (const Size& s : shape) {
      const Size begin = symbolic.random.of(std::vector<Size>{0, 0, N - 1, 1, s - 1, N, 4});
      region.push_back({begin, symbolic.random.of(std::vector<Size>{s, begin + 1, begin + 4, begin + N, s - 1})});
      index.push_back({symbolic.random.of(std::vector{Index::Kind::drop, Index::Kind::narrow, Index::Kind::stride}), begin,
                       region.back().end});
      if (index.back().kind == Index::Kind::stride) index.back().end = symbolic.random.of(std::vector<Size>{1, 2, N, K});
    }
    const auto part = slice({l, {}}, shape, region);
    const auto view = sub_view({l, {}}, shape, index);
    sliced += part && *part, viewed += view.has_value();
    for (const Binding& v : bindings()) {
      if (part && *part) {
        std::vector<Range> bound;
        for (const Range& r : region) bound.push_back({*r.begin.evaluate(v), *r.end.evaluate(v)});
        ASSERT_TRUE(same_form(canonicalize(at(**part, v)), *must(slice({at(l, v), {}}, at(shape, v), bound)))) << to_string(l);
      }
      if (view) {
        std::vector<Index> bound;
        for (const Index& i : index) bound.push_back({i.kind, *i.begin.evaluate(v), *i.end.evaluate(v)});
        const SubView expected = must(sub_view({at(l, v), {}}, at(shape, v), bound));
        ASSERT_EQ(at(view->shape, v), expected.shape);
        ASSERT_EQ(view->offset.evaluate(v), expected.offset.constant());
        ASSERT_TRUE(same_form(canonicalize(at(view->layout, v)), expected.layout)) << to_string(l);
      }
    }
  }
  EXPECT_GT(sliced, 200);
  EXPECT_GT(viewed, 200);
}

// shows: L1.10 L3.4
TEST(LayoutSymbolic, FunctionsCommuteWithValues) {
  Symbolic symbolic(72);
  int composed = 0, inverted = 0;
  for (int round = 0; round < 3000; ++round) {
    // Chains of extents, in any order, so that addresses run along iters.
    std::vector<Iter> outer, inner;
    Size size = 1;
    for (std::int64_t n = symbolic.random.in(1, 3); n > 0; --n) {
      outer.insert(outer.begin(), {symbolic.extent(), symbolic.stride(), symbolic.axis()});
      inner.insert(inner.begin() + symbolic.random.in(0, static_cast<std::int64_t>(inner.size())),
                   {outer.front().extent, size});
      size = size * outer.front().extent;
    }
    const auto o = TileLayout::make(outer), i = TileLayout::make(inner);
    if (!o || !i) continue;
    const auto both = compose(*o, *i);
    const auto left = left_inverse(*i), right = right_inverse(*i), rest = complement(*i, size * 2);
    composed += both.has_value(), inverted += left.has_value();
    for (const Binding& v : bindings()) {
      if (both) {
        ASSERT_TRUE(same_form(canonicalize(at(*both, v)), must(compose(at(*o, v), at(*i, v)))))
            << to_string(*o) << " after " << to_string(*i);
      }
      if (left) {
        ASSERT_TRUE(same_form(canonicalize(at(*left, v)), must(left_inverse(at(*i, v))))) << to_string(*i);
      }
      if (right) {
        ASSERT_TRUE(same_form(canonicalize(at(*right, v)), must(right_inverse(at(*i, v))))) << to_string(*i);
      }
      if (rest) {
        ASSERT_TRUE(same_form(canonicalize(at(*rest, v)), must(complement(at(*i, v), *(size * 2).evaluate(v)))))
            << to_string(*i);
      }
    }
  }
  EXPECT_GT(composed, 1000);
  EXPECT_GT(inverted, 1000);
}

}  // namespace
}  // namespace kir::layout
