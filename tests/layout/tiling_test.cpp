#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// The span from all places, for the law of tile().
std::int64_t span_of(const TileLayout& l, const std::string& axis) {
  std::int64_t high = INT64_MIN;
  for (const auto& element : all_places(l))
    for (const Spot& p : element) high = std::max(high, p.contains(axis) ? p.at(axis) : 0);
  return high + 1;
}
std::vector<std::int64_t> products(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < a.size(); ++d) out.push_back(a[d] * b[d]);
  return out;
}
// L(x) = left(p) + right(q) for every x = p*extent(q) + q in each dimension, where left's places are scaled.
void expect_sum(const TileLayout& sum, const Shaped& left, const std::map<std::string, std::int64_t>& scale,
                const Shaped& right) {
  const auto all = all_places(sum), ps = all_places(left.layout), qs = all_places(right.layout);
  ASSERT_EQ(all.size(), ps.size() * qs.size());
  const std::vector<std::int64_t> shape = products(left.shape, right.shape);
  for (const auto& x : all_coordinates(shape)) {
    std::vector<std::int64_t> p, q;
    for (std::size_t d = 0; d < x.size(); ++d) p.push_back(x[d] / right.shape[d]), q.push_back(x[d] % right.shape[d]);
    std::set<Spot> expected;
    for (Spot a : ps[linear(p, left.shape)]) {
      for (auto& [axis, value] : a) value *= scale.contains(axis) ? scale.at(axis) : 1;
      for (const Spot& b : qs[linear(q, right.shape)]) expected.insert(plus(a, b));
    }
    ASSERT_EQ(all[linear(x, shape)], expected) << to_string(sum);
  }
}
std::vector<std::int64_t> interleave(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < a.size(); ++d) out.insert(out.end(), {a[d], b[d]});
  return out;
}

// shows: L1.7 L3.1 L3.4
TEST(LayoutTiling, DirectSumAddsAndIsRecovered) {
  Random random(30);
  for (int round = 0; round < 500; ++round) {
    const std::size_t rank = static_cast<std::size_t>(random.in(1, 3));
    const Shaped left = random_shaped(random, rank, {.elements = 64, .copies = 4}),
                 right = random_shaped(random, rank, {.elements = 64, .copies = 4});
    const TileLayout sum = must(direct_sum(left.layout, sizes(left.shape), right.layout, sizes(right.shape)));
    expect_sum(sum, left, {}, right);
    ASSERT_EQ(canonicalize(sum), sum);
    const Shape both = sizes(interleave(left.shape, right.shape));
    for (const bool of_right : {true, false}) {
      const auto found = must(of_right ? is_direct_sum_right(right.layout, sum, both, sizes(right.shape))
                                       : is_direct_sum_left(left.layout, sum, both, sizes(left.shape)));
      ASSERT_TRUE(found) << to_string(left.layout) << " + " << to_string(right.layout) << " = " << to_string(sum);
      ASSERT_TRUE(same_map(*found, of_right ? left.layout : right.layout));
    }
  }
}

// No part is denied that is one: the steps of all pairs of small replicas, recovered or left undecided where chains mix.
TEST(LayoutTiling, ReplicasAreRecoveredAsMultisets) {
  int recovered = 0, undecided = 0, none = 0;
  Random random(33);
  const auto replica = [&] {
    std::vector<Iter> iters;
    for (std::int64_t n = random.in(1, 3); n > 0; --n) iters.push_back({random.in(2, 4), random.in(-1, 6)});
    return must(TileLayout::make({}, std::move(iters)));
  };
  for (int round = 0; round < 3000; ++round) {
    const TileLayout a = replica(), b = replica(), other = replica();
    const TileLayout sum = must(direct_sum(a, {1}, b, {1}));
    const auto found = is_direct_sum_right(b, sum, {1, 1}, {1});
    if (found) {
      ++recovered;
      ASSERT_TRUE(*found) << to_string(a) << " and " << to_string(b) << " in " << to_string(sum);
      ASSERT_TRUE(same_map(must(direct_sum(**found, {1}, b, {1})), sum));
    } else {
      ++undecided;
    }
    if (const auto of_other = is_direct_sum_right(other, sum, {1, 1}, {1}); of_other && *of_other) {
      ASSERT_TRUE(same_map(must(direct_sum(**of_other, {1}, other, {1})), sum));
    } else {
      none += of_other.has_value();
    }
  }
  EXPECT_GT(recovered, 2500);
  EXPECT_GT(undecided, 0);
  EXPECT_GT(none, 1000);
}

// shows: L1.7
TEST(LayoutTiling, ScaleFactors) {
  const TileLayout atom = T("S[(32,2):(1@TLane,1@TCol)] + R[4:32@TLane]"), outer = T("S[(4,2,2):(4@TCol,16@TCol,2@TCol)]");
  const TileLayout sum = must(direct_sum(outer, {4, 4}, atom, {32, 2}));
  EXPECT_EQ(to_string(sum), "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  EXPECT_EQ(must(is_direct_sum_left(outer, sum, {4, 32, 4, 2}, {4, 4})), canonicalize(atom));
  EXPECT_EQ(must(is_direct_sum_right(atom, sum, {4, 32, 4, 2}, {32, 2})), canonicalize(outer));
  EXPECT_EQ(must(is_direct_sum_right(T("S[(2,2):(4,1)] + 3"), T("S[16:1] + 8"), {2, 2, 2, 2}, {2, 2})),
            T("S[(2,2):(8,2)] + 5"));
  EXPECT_FALSE(must(is_direct_sum_right(T("S[(32,2):(1@TLane,1@TCol)] + R[5:32@TLane]"), sum, {4, 32, 4, 2}, {32, 2})));
  EXPECT_FALSE(is_direct_sum_right(atom, sum, {4, 32, 4, 2}, {2, 32}));
  EXPECT_FALSE(is_direct_sum_right(atom, sum, {4, 32}, {32, 2}));
  EXPECT_FALSE(direct_sum(outer, {4, 4}, atom, {64}));
}

// shows: L3.1 L3.4
TEST(LayoutTiling, TileRepeatsAndIsRecognised) {
  Random random(31);
  int tiled = 0;
  for (int round = 0; round < 600; ++round) {
    const std::size_t rank = static_cast<std::size_t>(random.in(1, 3));
    const Shaped outer = random_shaped(random, rank, {.elements = 64, .copies = 4}),
                 inner = random_shaped(random, rank, {.elements = 64, .copies = 4});
    const auto found = tile(outer.layout, sizes(outer.shape), {inner.layout, {}}, sizes(inner.shape));
    std::map<std::string, std::int64_t> scale;
    bool positive = true;
    for (const Axis a : canonicalize(outer.layout).axes()) {
      scale[std::string(a.name())] = span_of(inner.layout, std::string(a.name()));
      bool moves = !outer.layout.offset_on(a).is(0);
      for (const auto* iters : {&outer.layout.shard(), &outer.layout.replica()})
        for (const Iter& i : *iters) moves |= i.axis == a && !i.extent.is(1) && !i.stride.is(0);
      positive &= !moves || scale.at(std::string(a.name())) >= 1;
    }
    ASSERT_EQ(found.has_value(), positive);
    if (!found) continue;
    ++tiled;
    expect_sum(found->tile, outer, scale, inner);
    ASSERT_EQ(canonicalize(*found), *found);
    const Shape whole = sizes(products(outer.shape, inner.shape));
    const auto again = [&](const TileLayout& o, const Layout& i) {
      return must(tile(o, sizes(outer.shape), i, sizes(inner.shape)));
    };
    const auto outer_found = must(is_tile_inner({inner.layout, {}}, *found, whole, sizes(inner.shape)));
    ASSERT_TRUE(outer_found) << to_string(outer.layout) << " of " << to_string(inner.layout) << ": " << to_string(*found);
    ASSERT_EQ(again(*outer_found, {inner.layout, {}}), *found);
    if (const auto inner_found = is_tile_outer(outer.layout, *found, whole, sizes(outer.shape))) {
      ASSERT_TRUE(*inner_found) << to_string(outer.layout) << " of " << to_string(inner.layout) << ": " << to_string(*found);
      ASSERT_EQ(again(outer.layout, **inner_found), *found);
    } else {
      const std::vector<Axis> axes = outer.layout.axes();
      ASSERT_TRUE(std::any_of(axes.begin(), axes.end(), [&](Axis a) { return outer.layout.reach(a).high < 0; }))
          << inner_found.error();
    }
  }
  EXPECT_GT(tiled, 300);
}

// What is said to be a part is one; of unrelated layouts nearly none is.
TEST(LayoutTiling, RecoveriesHold) {
  Random random(32);
  int yes = 0, no = 0;
  for (int round = 0; round < 3000; ++round) {
    const Wanted wanted{.elements = 32, .copies = 2, .axes = {"m"}, .negative = false};
    const Shaped part = random_shaped(random, 2, wanted), other = random_shaped(random, 2, wanted);
    const std::vector<std::int64_t> whole = products(part.shape, other.shape);
    TileLayout tiled = T("S[1]");
    while (number(tiled.size()) != whole[0] * whole[1]) {
      std::vector<Iter> shard = random_shaped(random, 1, wanted).layout.shard();
      const std::int64_t have = number(must(TileLayout::make(shard)).size());
      if (whole[0] * whole[1] % have == 0)
        shard.insert(shard.begin(), {whole[0] * whole[1] / have, have});
      else
        shard = {{whole[0] * whole[1], random.in(0, 2)}};
      tiled = must(TileLayout::make(shard));
    }
    const Shape sizes_of_part = sizes(part.shape), sizes_of_other = sizes(other.shape);
    const auto outer = must(is_tile_inner({part.layout, {}}, {tiled, {}}, sizes(whole), sizes_of_part));
    (outer ? yes : no)++;
    if (outer) {
      ASSERT_EQ(must(tile(*outer, sizes_of_other, {part.layout, {}}, sizes_of_part)), (Layout{canonicalize(tiled), {}}));
    }
    const auto inner = must(is_tile_outer(part.layout, {tiled, {}}, sizes(whole), sizes_of_part));
    (inner ? yes : no)++;
    if (inner) {
      ASSERT_EQ(must(tile(part.layout, sizes_of_part, *inner, sizes_of_other)), (Layout{canonicalize(tiled), {}}));
    }
  }
  EXPECT_GT(yes, 100);
  EXPECT_GT(no, 1000);
}

// shows: L2.2 L3.4
TEST(LayoutTiling, Swizzled) {
  const Layout swizzle = L("swizzle(3,3,3)");
  EXPECT_EQ(to_string(must(tile(T("S[(8,4):(1,8)]"), {8, 4}, swizzle, {8, 64}))),
            "swizzle(3,3,3) o S[(64,4,64):(64@m,4096@m,1@m)]");
  EXPECT_EQ(must(is_tile_inner(swizzle, L("swizzle(3,3,3) o S[(3,64,4,64):(16384,64,4096,1)]"), {3, 64, 256}, {1, 8, 64})),
            T("S[(3,8,4):(32,1,8)]"));
  EXPECT_EQ(must(is_tile_outer(T("S[(8,1):(1,1)]"), L("swizzle(3,3,3) o S[4096:1]"), {4096}, {8})), swizzle);
  EXPECT_FALSE(must(is_tile_inner(L("swizzle(3,2,3)"), L("swizzle(3,3,3) o S[4096:1]"), {4096}, {256})));
  EXPECT_FALSE(tile(T("S[4:1@laneid]"), {4}, swizzle, {512}));
}

TEST(LayoutTiling, TileTo) {
  EXPECT_EQ(to_string(must(tile_to(L("S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"), {16, 8}, {16, 16}))),
            "S[(2,8,2,4,2):(2@m,4@laneid,4@m,1@laneid,1@m)]");
  EXPECT_EQ(to_string(must(tile_to(L("S[(4,2,8):(1@laneid,1,4@laneid)]"), {8, 8}, {16, 8}))),
            "S[(2,4,2,8):(2@m,1@laneid,1@m,4@laneid)]");
  EXPECT_EQ(tile_to(L("S[(8,8):(8,1)]"), {8, 8}, {60, 64}).error(), "dimension 0: 60 is not divisible by 8");
  EXPECT_EQ(to_string(must(tile_to(L("S[(8,8):(8,1)]"), {8, 8}, {must(parse_size("8*N")), 8}))), "S[64*N:1@m]");
  EXPECT_EQ(tile(T("S[(8,8):(8,1)]"), {8, 8}, L("S[(2,4):(1,2)]"), {3, 4}).error(),
            "the layout has 8 elements and does not admit the shape (3, 4)");
}

// shows: L3.3
TEST(LayoutTiling, AcrossFusedThreadAxes) {
  const Layout tiled = L("S[(2,8,2,4,2):(64@tx,4@tx,32@tx,1@tx,1)]");
  const Layout warp = L("S[(8,1,4,2):(4@laneid,2,1@laneid,1)]");
  EXPECT_EQ(must(is_tile_inner(warp, {*unfuse_threads(tiled.tile, warp.tile), {}}, {16, 16}, {8, 8})), T("S[4:1@warpid]"));
}

// Tiling commutes with giving the symbols values.
TEST(LayoutTiling, CommutesWithBinding) {
  const TileLayout outer = T("S[(N,K):(K@laneid,1)] + R[2:3@laneid] + K@m"), inner = T("S[(4,K):(K,1)] + R[N:1@laneid]");
  const auto N = Size::symbol("N"), K = Size::symbol("K");
  const TileLayout symbolic = must(tile(outer, {N, K}, {inner, {}}, {4, K})).tile;
  for (std::int64_t n = 1; n < 5; ++n)
    for (std::int64_t k = 1; k < 5; ++k) {
      const Binding b{{"N", n}, {"K", k}};
      EXPECT_EQ(canonicalize(must(symbolic.bind(b))),
                must(tile(must(outer.bind(b)), {n, k}, {must(inner.bind(b)), {}}, {4, k})).tile);
    }
}

}  // namespace
}  // namespace kir::layout
