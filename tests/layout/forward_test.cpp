#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

constexpr const char* kTile = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid";

std::vector<std::string> owners(std::string_view layout, std::vector<std::int64_t> coordinate,
                                std::vector<std::int64_t> shape) {
  std::vector<std::string> out;
  for (const Place& p : must(apply(L(layout), coordinate, shape))) out.push_back(to_string(p));
  return out;
}

// shows: L1.3 L1.5
TEST(LayoutForward, TensorCoreTile) {
  struct Row {
    std::int64_t i, j, flat;
    std::vector<std::int64_t> digits;
    std::int64_t lane, warp, m;
  };
  const TileLayout l = T(kTile);
  for (const Row& r : std::vector<Row>{{0, 0, 0, {0, 0, 0, 0}, 0, 5, 0},
                                       {0, 1, 1, {0, 0, 0, 1}, 0, 5, 1},
                                       {0, 2, 2, {0, 0, 1, 0}, 1, 5, 0},
                                       {1, 0, 16, {1, 0, 0, 0}, 4, 5, 0},
                                       {0, 8, 8, {0, 1, 0, 0}, 0, 6, 0},
                                       {7, 15, 127, {7, 1, 3, 1}, 31, 6, 1}}) {
    EXPECT_EQ(flatten({r.i, r.j}, {8, 16}), r.flat);
    EXPECT_EQ(split(l, r.flat), r.digits);
    const std::vector<Place> found = must(apply(l, {r.i, r.j}, {8, 16}));
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t copy = 0; copy < 2; ++copy) {
      EXPECT_EQ(found[copy][*Axis::find("laneid")], r.lane);
      EXPECT_EQ(found[copy][*Axis::find("warpid")], r.warp + 4 * static_cast<std::int64_t>(copy));
      EXPECT_EQ(found[copy][Axis::memory()], r.m);
    }
    EXPECT_EQ(base_place(l, r.flat), found[0]);
  }
  EXPECT_EQ(owners(kTile, {7, 15}, {8, 16}),
            (std::vector<std::string>{"laneid 31, warpid 6, m 1", "laneid 31, warpid 10, m 1"}));
}

// shows: L1.6 L3.1
TEST(LayoutForward, TensorMemory) {
  const char* l = "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]";
  EXPECT_EQ(owners(l, {0, 0, 0}, {2, 128, 112}), (std::vector<std::string>{"origin"}));
  EXPECT_EQ(owners(l, {0, 5, 3}, {2, 128, 112}), (std::vector<std::string>{"TLane 5, TCol 3"}));
  EXPECT_EQ(owners(l, {1, 0, 0}, {2, 128, 112}), (std::vector<std::string>{"TCol 112"}));
  EXPECT_EQ(owners(l, {1, 127, 111}, {2, 128, 112}), (std::vector<std::string>{"TLane 127, TCol 223"}));
  EXPECT_TRUE(T(l).span(*Axis::find("TCol")).is(224));
  EXPECT_TRUE(T(l).span(*Axis::find("TLane")).is(128));
}

// shows: L1.3
TEST(LayoutForward, CopiesThatMeetAreOnePlace) {
  EXPECT_EQ(places(T("S[4:1@laneid] + R[(2,2,3):(1@laneid,1@laneid,0@laneid)]"), 1).size(), 3u);
}

// An axis on which a place has nothing counts as 0 there, not as last.
// shows: L1.3
TEST(LayoutForward, PlacesAscendAxisByAxis) {
  EXPECT_EQ(owners("S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]", {0, 1}, {32, 4}),
            (std::vector<std::string>{"TCol 1", "TLane 32, TCol 1", "TLane 64, TCol 1", "TLane 96, TCol 1"}));
  EXPECT_EQ(owners("S[4:1@laneid] + R[3:-2@laneid] + R[2:1@m]", {2}, {4}),
            (std::vector<std::string>{"laneid -2", "laneid -2, m 1", "origin", "m 1", "laneid 2", "laneid 2, m 1"}));
  Random random(7);
  std::vector<Place> all;
  for (int i = 0; i < 60; ++i) {
    const TileLayout l = random_layout(random, {});
    for (const Place& p : places(l, 0)) all.push_back(p);
  }
  for (const Place& a : all)
    for (const Place& b : all) {
      std::strong_ordering expected = std::strong_ordering::equal;
      for (const AxisRow& row : axes())
        if (expected == std::strong_ordering::equal) expected = a[*Axis::find(row.name)] <=> b[*Axis::find(row.name)];
      ASSERT_EQ(a <=> b, expected) << to_string(a) << " and " << to_string(b);
      ASSERT_EQ(a == b, expected == std::strong_ordering::equal);
    }
}

// shows: L1.4
TEST(LayoutForward, AdmitsExactlyTheShapesOfItsSize) {
  const TileLayout l = T(kTile);
  EXPECT_TRUE(admits(l, {8, 16}));
  EXPECT_TRUE(admits(l, {8, 2, 8}));
  EXPECT_TRUE(admits(l, {128}));
  EXPECT_FALSE(admits(l, {16, 16}));
  EXPECT_FALSE(admits(l, {}));
  EXPECT_FALSE(admits(l, {-8, -16}));
  EXPECT_TRUE(admits(T("S[(N,8):(8,1)]"), {must(parse_size("4*N")), 2}));
  EXPECT_EQ(apply(T("S[(8,8):(8,1)]"), {1, 1}, {8, 9}).error(),
            "the layout has 64 elements and does not admit the shape (8, 9)");
  EXPECT_EQ(apply(T("S[(8,8):(8,1)]"), {1, 1}, {64}).error(), "a coordinate of 2 dimensions in a shape of 1");
  EXPECT_EQ(apply(T("S[(8,8):(8,1)]"), {1, 8}, {8, 8}).error(), "coordinate 1 is 8, outside of [0, 8)");
  EXPECT_FALSE(apply(T("S[(8,8):(8,1)]"), {0, 0, 0}, {std::int64_t{1} << 40, std::int64_t{1} << 40, 1}));
  EXPECT_FALSE(apply(T("S[N:1]"), {0}, {4}));
}

// shows: L1.3 L3.1
TEST(LayoutForward, AgreesWithTheFourStepsOnRandomLayouts) {
  Random random(2);
  for (int round = 0; round < 600; ++round) {
    const TileLayout l = random_layout(random);
    const std::vector<Spot> bases = all_bases(l);
    const std::vector<std::set<Spot>> all = all_places(l);
    const std::int64_t size = number(l.size());
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), size);
    std::map<Axis, TileLayout::Reach> reach;
    for (std::int64_t x = 0; x < size; ++x) {
      std::set<Spot> found;
      for (const Place& p : places(l, x)) EXPECT_TRUE(found.insert(spot(p)).second);
      ASSERT_EQ(found, all[static_cast<std::size_t>(x)]) << to_string(l) << " at " << x;
      ASSERT_EQ(spot(base_place(l, x)), bases[static_cast<std::size_t>(x)]);
      EXPECT_LE(static_cast<std::int64_t>(found.size()), number(l.copies()));
      for (const Axis a : l.axes())
        for (const Place& p : places(l, x)) {
          auto [at, is_new] = reach.try_emplace(a, TileLayout::Reach{p[a], p[a]});
          at->second = {std::min(at->second.low, p[a]), std::max(at->second.high, p[a])};
        }
    }
    EXPECT_EQ(base_place(l, size + 3), base_place(l, 3));
    for (const auto& [axis, box] : reach) {
      EXPECT_EQ(l.reach(axis), box) << to_string(l);
      EXPECT_TRUE(l.span(axis).is(box.high + 1)) << to_string(l);
    }
  }
}

TEST(LayoutForward, SizeAndSpan) {
  const TileLayout l = T(kTile);
  EXPECT_TRUE(l.size().is(128));
  EXPECT_TRUE(l.copies().is(2));
  EXPECT_TRUE(l.size(*Axis::find("warpid")).is(2));
  EXPECT_TRUE(l.span(*Axis::find("warpid")).is(11));
  EXPECT_TRUE(l.span().is(2));
  EXPECT_TRUE(T("S[(8,8,8):(64@F,1@P,1@F)]").span(*Axis::find("F")).is(456));
  EXPECT_TRUE(T("S[8:1@P]").span(*Axis::find("F")).is(1));
  EXPECT_EQ(T("S[(N,8):(16,1)]").span(), must(parse_size("16*N-8")));
  EXPECT_FALSE(T("S[4:N-3]").span().ok());
}

// shows: L1.10
TEST(LayoutForward, SymbolsAreBound) {
  const TileLayout l = T("S[(N,K):(2*K,1@laneid)] + R[N:K@warpid] + (N-1)@m");
  EXPECT_EQ(l.symbols(), (std::vector<std::string>{"K", "N"}));
  EXPECT_EQ(must(l.bind({{"N", 3}, {"K", 5}})), T("S[(3,5):(10,1@laneid)] + R[3:5@warpid] + 2"));
  EXPECT_EQ(must(l.bind({{"N", 3}})), T("S[(3,K):(2*K,1@laneid)] + R[3:K@warpid] + 2"));
  EXPECT_FALSE(l.bind({{"N", 0}}));
  EXPECT_FALSE(l.bind({{"N", INT64_MAX}}));
}

TEST(LayoutForward, RefusesWhatDoesNotFit) {
  const auto error = [](std::string_view text) {
    const auto made = parse_layout(text);
    return made ? "none" : made.error();
  };
  EXPECT_EQ(error("S[(4294967296,4294967296):(0,0)]"), "the number of elements does not fit 63 bits");
  EXPECT_EQ(error("S[1:1] + R[(4294967296,4294967296):(0,0)]"), "the number of copies does not fit 63 bits");
  EXPECT_EQ(error("S[(4,4):(1@F,4611686018427387904@m)]"), "places on axis m do not fit 63 bits");
  EXPECT_EQ(error("S[(2,2):(5611686018427387904,-5611686018427387904)]"), "places on axis m do not fit 63 bits");
  EXPECT_EQ(error("S[2:1] + 9223372036854775807"), "places on axis m do not fit 63 bits");
  EXPECT_EQ(error("S[0:1]"), "the extent 0 is not at least 1");
  EXPECT_EQ(error("S[N-1:1]"), "the extent N-1 is not at least 1 for all values of its symbols");
  EXPECT_EQ(error("S[1000000000000:1]"), "none");
  EXPECT_EQ(places(T("S[(1000000,1000000):(1000000,1)]"), 999999999999).front()[Axis::memory()], 999999999999);
  EXPECT_FALSE(apply(T("S[1:1] + R[1000000000000:1]"), {0}, {1}));
}

}  // namespace
}  // namespace kir::layout
