#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

const Wanted kAddresses{.elements = 64, .copies = 1, .axes = {"m"}, .negative = false};

std::int64_t address(const TileLayout& l, std::int64_t x) { return base_place(l, x)[Axis::memory()]; }

// A random layout whose strides nest: a chain of extents and gaps in any order.
TileLayout random_nested(Random& random, bool gaps) {
  std::vector<Iter> shard;
  std::int64_t stride = 1;
  for (std::int64_t n = random.in(0, 4); n > 0; --n) {
    if (gaps) stride *= random.in(1, 3);
    const std::int64_t extent = random.in(1, 6);
    shard.push_back({extent, stride});
    stride *= extent;
  }
  for (std::size_t k = shard.size(); k > 1; --k)
    std::swap(shard[k - 1], shard[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(k) - 1))]);
  return must(TileLayout::make(std::move(shard)));
}

// shows: L3.1 L3.4
TEST(LayoutFunction, CompositionIsThatOfTheMaps) {
  Random random(60);
  int some = 0;
  for (int round = 0; round < 3000; ++round) {
    const TileLayout inner = random_nested(random, random.chance(50));
    const std::int64_t offset = random.chance(30) ? random.in(0, 9) : 0;
    const TileLayout moved = must(TileLayout::make(inner.shard(), {}, {{Axis::memory(), offset}}));
    TileLayout outer = random_layout(random, {.elements = 512, .copies = 2});
    const std::int64_t reach = address(moved, number(moved.size()) - 1);
    if (reach >= number(outer.size())) {
      ASSERT_FALSE(compose(outer, moved));
      const std::int64_t more = reach / number(outer.size()) + 1;
      std::vector<Iter> shard = outer.shard();
      shard.insert(shard.begin(), {more, 1000});
      outer = must(TileLayout::make(std::move(shard), outer.replica(), outer.offset()));
    }
    const auto found = compose(outer, moved);
    if (!found) continue;
    ++some;
    ASSERT_EQ(number(found->size()), number(moved.size()));
    for (std::int64_t x = 0; x < number(moved.size()); ++x)
      ASSERT_EQ(places(*found, x), places(outer, address(moved, x))) << to_string(outer) << " after " << to_string(moved);
    ASSERT_EQ(canonicalize(*found), *found);
  }
  EXPECT_GT(some, 800);
}

// shows: L3.4
TEST(LayoutFunction, CompositionsKnown) {
  const auto text = [](std::string_view outer, std::string_view inner) {
    const auto found = compose(T(outer), T(inner));
    return found ? to_string(*found) : "error: " + found.error();
  };
  EXPECT_EQ(text("S[(4,8):(1,4)]", "S[(8,4):(4,1)]"), "S[(4,8):(1@m,4@m)]");
  EXPECT_EQ(text("S[(4,8):(1,4)]", "S[(8,4):(1,8)]"), "S[32:1@m]");
  EXPECT_EQ(text("S[(4,8):(1@laneid,1)] + R[2:8] + 3", "S[4:8] + 5"), "S[4:1@laneid] + R[2:8@m] + 8@m");
  EXPECT_EQ(text("S[(N,8):(K,1)]", "S[(8,N):(1,8)]"), "S[(8,N):(1@m,K@m)]");
  EXPECT_EQ(text("S[(4,4):(10,1)]", "S[4:1] + 2"), "S[(2,2):(8@m,1@m)] + 2@m");
  EXPECT_EQ(text("S[(4,4):(10,1)]", "S[3:1] + 2"), "error: no layout has the places of the composition");
  EXPECT_EQ(text("S[8:1]", "S[4:3]"), "error: the addresses [0, 9] are not all in [0, 8)");
  EXPECT_EQ(text("S[8:1]", "S[4:-1] + 3"), "S[4:-1@m] + 3@m");
  EXPECT_EQ(text("S[8:1]", "S[4:1] + R[2:4]"), "error: the inner layout has replicas; it must be a function");
  EXPECT_EQ(text("S[8:1]", "S[(2,4):(1@laneid,1)]"), "error: the inner layout is on 2 axes; a linear address is on one");
}

// shows: L3.1 L3.4
TEST(LayoutFunction, InversesUndo) {
  Random random(61);
  for (int round = 0; round < 1500; ++round) {
    const TileLayout dense = random_nested(random, false), sparse = random_nested(random, true);
    for (const TileLayout& l : {dense, sparse}) {
      const TileLayout left = must(left_inverse(l));
      ASSERT_GT(number(left.size()), address(l, number(l.size()) - 1));
      for (std::int64_t x = 0; x < number(l.size()); ++x) ASSERT_EQ(address(left, address(l, x)), x) << to_string(l);
    }
    const TileLayout still = must(broadcast(dense, random.in(1, 3), 0, Axis::memory()));
    const TileLayout right = must(right_inverse(still));
    ASSERT_EQ(right.size(), still.span());
    for (std::int64_t y = 0; y < number(right.size()); ++y) ASSERT_EQ(address(still, address(right, y)), y) << to_string(still);
  }
  EXPECT_EQ(to_string(must(right_inverse(T("S[(4,8):(1@laneid,4@laneid)]")))), "S[(8,4):(1@m,8@m)]");
  EXPECT_EQ(to_string(must(left_inverse(T("S[(N,8):(8,1)]")))), "S[8*N:1@m]");
  EXPECT_EQ(right_inverse(T("S[(4,2):(4,1)]")).error(), "the image leaves out the addresses from 2 to 3");
  for (const char* text : {"S[(4,4):(1,1)]", "S[(4,4):(2,1)]", "S[(2,2):(3,2)]", "S[4:-1]", "S[4:1] + R[2:4]", "S[4:1] + 1",
                           "S[(2,2):(2,1@F)]", "S[4:N-2]"}) {
    EXPECT_FALSE(left_inverse(T(text))) << text;
    EXPECT_FALSE(right_inverse(T(text))) << text;
  }
  EXPECT_FALSE(left_inverse(T("S[(2,4):(0,1)]")));
}

// shows: L3.1 L3.4
TEST(LayoutFunction, ComplementFillsTheRest) {
  Random random(62);
  for (int round = 0; round < 1000; ++round) {
    const TileLayout l = random_nested(random, true);
    std::int64_t end = 1;
    const TileLayout canonical = canonicalize(l);
    for (const Iter& i : canonical.shard()) end = std::max(end, number(i.stride) * number(i.extent));
    const std::int64_t cosize = end * random.in(1, 3);
    const TileLayout c = must(complement(l, cosize));
    std::set<std::int64_t> hit;
    for (std::int64_t x = 0; x < number(l.size()); ++x)
      for (std::int64_t y = 0; y < number(c.size()); ++y)
        ASSERT_TRUE(hit.insert(address(l, x) + address(c, y)).second) << to_string(l);
    ASSERT_EQ(static_cast<std::int64_t>(hit.size()), cosize) << to_string(l) << " with " << to_string(c);
    ASSERT_EQ(*hit.rbegin(), cosize - 1);
    if (end > 1) {
      ASSERT_FALSE(complement(l, cosize + 1));
    }
  }
  EXPECT_EQ(to_string(must(complement(T("S[4:2]"), 24))), "S[(3,2):(8@m,1@m)]");
  EXPECT_FALSE(complement(T("S[(2,2):(3,2)]"), 6));
  EXPECT_FALSE(complement(T("S[4:2]"), 4));
}

}  // namespace
}  // namespace kir::layout
