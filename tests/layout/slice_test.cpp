#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// Is there a layout with these places? Every order of factors is tried; each one's strides are what the places say.
bool has_layout(const std::vector<Spot>& places) {
  if (places.size() == 1) return true;
  const auto step = [&](std::size_t from, std::size_t to) {
    Spot out = places[to];
    for (const auto& [axis, value] : places[from]) move(out, *Axis::find(axis), -value);
    return out;
  };
  if (step(0, 1).size() > 1) return false;
  for (std::size_t extent = 2; extent <= places.size(); ++extent) {
    if (places.size() % extent != 0) continue;
    bool even = true;
    std::vector<Spot> heads;
    for (std::size_t x = 0; even && x < places.size(); ++x) {
      if (x % extent == 0)
        heads.push_back(places[x]);
      else
        even = step(x - 1, x) == step(0, 1);
    }
    if (even && has_layout(heads)) return true;
  }
  return false;
}

std::vector<std::int64_t> extents(const std::vector<Range>& region) {
  std::vector<std::int64_t> out;
  for (const Range& r : region) out.push_back(number(r.end) - number(r.begin));
  return out;
}

// shows: L3.1 L3.4
TEST(LayoutSlice, IsTheBoxOrThereIsNone) {
  Random random(40);
  int some = 0, none = 0, crossing = 0;
  for (int round = 0; round < 4000; ++round) {
    const TileLayout l = random_layout(random, {.elements = 360, .copies = 2, .axes = {"m", "laneid"}});
    const std::vector<std::int64_t> shape = random_shape(random, number(l.size()));
    std::vector<Range> region;
    for (const std::int64_t s : shape) {
      const std::int64_t begin = random.in(0, s - 1);
      region.push_back({begin, random.in(begin + 1, s)});
    }
    const std::vector<Spot> all = all_bases(l);
    const std::vector<std::int64_t> box = extents(region);
    std::vector<Spot> expected;
    for (auto y : all_coordinates(box)) {
      for (std::size_t d = 0; d < y.size(); ++d) y[d] += number(region[d].begin);
      expected.push_back(all[linear(y, shape)]);
    }
    const auto found = must(slice({l, {}}, sizes(shape), region));
    ASSERT_EQ(found.has_value(), has_layout(expected)) << to_string(l);
    (found ? some : none)++;
    crossing += found && !group(l, sizes(shape));
    if (!found) continue;
    ASSERT_EQ(all_bases(found->tile), expected) << to_string(l) << " gives " << to_string(*found);
    ASSERT_EQ(found->tile.copies(), l.copies());
    ASSERT_EQ(canonicalize(*found), *found);
  }
  EXPECT_GT(some, 1000);
  EXPECT_GT(none, 500);
  EXPECT_GT(crossing, 100);
}

// shows: L3.4
TEST(LayoutSlice, AcrossACarry) {
  const auto text = [](std::string_view layout, const Shape& shape, std::vector<Range> region) {
    const auto found = slice(L(layout), shape, region);
    return found ? *found ? to_string(**found) : "none" : "error: " + found.error();
  };
  EXPECT_EQ(text("S[(2,8,3,8):(192,8,64,1)]", {16, 24}, {{2, 6}, {4, 12}}), "S[(4,2,4):(8@m,60@m,1@m)] + 20@m");
  EXPECT_EQ(text("S[(4,4):(10,1)]", {16}, {{2, 5}}), "none");
  EXPECT_EQ(text("S[(4,4):(10,1)]", {16}, {{1, 5}}), "none");
  EXPECT_EQ(text("S[(4,4):(N,1)]", {16}, {{2, 6}}), "S[(2,2):(N-2@m,1@m)] + 2@m");
  EXPECT_EQ(text("swizzle(3,3,3) o S[(8,64):(64,1)]", {8, 64}, {{2, 4}, {0, 64}}), "swizzle(3,3,3) o S[128:1@m] + 128@m");
  EXPECT_EQ(text("S[(3,128,128):(16384,128,1)]", {3, 128, 128}, {{1, 2}, {0, 128}, {0, 128}}), "S[16384:1@m] + 16384@m");
  EXPECT_EQ(text("S[(N,128):(128,1)]", {Size::symbol("N"), 128}, {{Size::symbol("N") - 1, Size::symbol("N")}, {0, 128}}),
            "S[128:1@m] + (128*N-128)@m");
  EXPECT_EQ(text("S[(N,8):(16,1)]", {Size::symbol("N") * 8}, {{Size::symbol("N") * 8 - 4, Size::symbol("N") * 8}}),
            "S[4:1@m] + (16*N-12)@m");
  EXPECT_EQ(text("S[(2,4):(100,1)]", {8}, {{6, 10}}),
            "error: dimension 0: 4 elements from 6 on in steps of 1 are not shown to lie in [0, 8)");
  EXPECT_EQ(text("S[(8,8):(8,1)]", {8, 8}, {{0, 4}}), "error: a region of 1 dimensions in a shape of 2");
  EXPECT_EQ(text("S[8:1]", {8}, {{4, 4}}),
            "error: dimension 0: 0 elements from 4 on in steps of 1 are not shown to lie in [0, 8)");
  EXPECT_EQ(text("S[8:1]", {9}, {{4, 5}}), "error: the layout has 8 elements and does not admit the shape (9)");
}

// A layout of 10^12 elements is never walked.
TEST(LayoutSlice, LargeLayouts) {
  const Layout l = L("S[(1000000,1000000):(1000000,1)]"), padded = L("S[(1000000,2,1000):(4000,2000,1)]");
  EXPECT_EQ(to_string(*must(slice(l, {1000000000000}, std::vector<Range>{{3, 999999999998}}))), "S[999999999995:1@m] + 3@m");
  EXPECT_EQ(to_string(*must(slice(padded, {2000000000}, std::vector<Range>{{1000, 1999999000}}))),
            "S[(1999998,1000):(2000@m,1@m)] + 2000@m");
  EXPECT_FALSE(slice(L("S[(1000000,1000000):(1000001,1)]"), {1000000000000}, std::vector<Range>{{3, 999999999998}}));
}

// shows: L3.1 L3.4
TEST(LayoutSlice, ViewsDropNarrowAndStep) {
  Random random(41);
  int some = 0;
  for (int round = 0; round < 2000; ++round) {
    const TileLayout l = random_layout(random, {.elements = 360, .copies = 2, .axes = {"m", "laneid"}});
    const std::vector<std::int64_t> shape = random_shape(random, number(l.size()));
    std::vector<Index> index;
    std::vector<std::vector<std::int64_t>> taken;
    std::vector<std::int64_t> box, view;
    for (const std::int64_t s : shape) {
      const std::int64_t begin = random.in(0, s - 1), end = random.in(begin + 1, s), step = random.in(1, 5);
      const auto kind = random.of(std::vector{Index::Kind::drop, Index::Kind::narrow, Index::Kind::stride});
      index.push_back({kind, begin, kind == Index::Kind::stride ? step : end});
      taken.emplace_back();
      for (std::int64_t c = begin; c < (kind == Index::Kind::stride ? s : end); c += kind == Index::Kind::stride ? step : 1) {
        taken.back().push_back(c);
        if (kind == Index::Kind::drop) break;
      }
      box.push_back(static_cast<std::int64_t>(taken.back().size()));
      if (kind != Index::Kind::drop) view.push_back(box.back());
    }
    const std::vector<Spot> all = all_bases(l);
    std::vector<Spot> expected;
    for (auto y : all_coordinates(box)) {
      for (std::size_t d = 0; d < y.size(); ++d) y[d] = taken[d][static_cast<std::size_t>(y[d])];
      expected.push_back(all[linear(y, shape)]);
    }
    const auto found = sub_view({l, {}}, sizes(shape), index);
    ASSERT_EQ(found.has_value(), has_layout(expected)) << to_string(l) << (found ? "" : found.error());
    if (!found) continue;
    ++some;
    ASSERT_EQ(numbers(found->shape), view);
    std::vector<Spot> moved = all_bases(found->layout.tile);
    for (Spot& s : moved) move(s, Axis::memory(), number(found->offset));
    ASSERT_EQ(moved, expected) << to_string(l) << " gives " << to_string(found->layout);
    ASSERT_TRUE(found->offset_moves_out);
  }
  EXPECT_GT(some, 500);
}

// shows: L2.2
TEST(LayoutSlice, AnOffsetLeavesTheSwizzleOnlyAsAMultipleOfItsPeriod) {
  const Layout l = L("swizzle(3,3,3) o S[(4,1024):(1024,1)]");
  const auto view = [&](std::int64_t begin) {
    return must(sub_view(l, {4, 1024}, std::vector<Index>{{Index::Kind::narrow, 0, 4}, {Index::Kind::narrow, begin, 1024}}));
  };
  EXPECT_TRUE(view(512).offset_moves_out);
  EXPECT_TRUE(view(512).offset.is(512));
  EXPECT_FALSE(view(256).offset_moves_out);
  for (const std::int64_t begin : {256, 512}) {
    const SubView v = view(begin);
    for (const auto& y : all_coordinates(numbers(v.shape))) {
      const std::int64_t inside =
          base_place(v.layout.tile, static_cast<std::int64_t>(linear(y, numbers(v.shape))))[Axis::memory()];
      EXPECT_EQ((*l.swizzle)(inside + begin), must(apply(l, {y[0], y[1] + begin}, {4, 1024}))[0][Axis::memory()]);
    }
  }
}

}  // namespace
}  // namespace kir::layout
