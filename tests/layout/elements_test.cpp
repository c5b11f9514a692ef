#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// shows: L3.4
TEST(LayoutElements, StorageIsWhatMemoryHolds) {
  EXPECT_EQ(to_string(storage(L("S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:1@warpid] + R[2:8@m] + 3@warpid + 5"))),
            "S[2:1@m] + R[2:8@m] + 5@m");
  EXPECT_EQ(to_string(storage(L("S[(4,8):(1@pid,1@TCol)]"))), "S[8:1@TCol]");
  EXPECT_EQ(to_string(storage(L("swizzle(3,3,3) o S[(8,64):(64,1)]"))), "swizzle(3,3,3) o S[512:1@m]");
}

// shows: L1.7 L3.1 L3.4
TEST(LayoutElements, UnpackMakesNeighboursAndPackUndoesIt) {
  Random random(50);
  for (int round = 0; round < 800; ++round) {
    const TileLayout l = random_layout(
        random, {.elements = 256,
                 .copies = 4,
                 .axes = random.chance(50) ? std::vector<std::string>{"m", "laneid"} : std::vector<std::string>{"P", "F"}});
    const std::int64_t num = random.in(1, 8);
    const Layout u = must(unpack({l, {}}, num));
    std::string axis = "m";
    for (const Iter& i : l.shard())
      if (i.axis.is_memory()) axis = i.axis.name();
    const auto before = all_places(l), after = all_places(u.tile);
    ASSERT_EQ(after.size(), before.size() * static_cast<std::size_t>(num));
    for (std::size_t x = 0; x < after.size(); ++x) {
      std::set<Spot> expected;
      for (Spot p : before[x / static_cast<std::size_t>(num)]) {
        if (p.contains(axis)) p[axis] *= num;
        move(p, *Axis::find(axis), static_cast<std::int64_t>(x) % num);
        expected.insert(p);
      }
      ASSERT_EQ(after[x], expected) << to_string(l);
    }
    ASSERT_EQ(must(pack(u, num)), canonicalize(Layout{l, {}})) << to_string(l) << " by " << num;
  }
}

// shows: L2.2 L3.4
TEST(LayoutElements, SwizzlesKeepTheirBytes) {
  const Layout l = L("swizzle(3,3,3) o S[(8,64):(64,1)]");
  const Layout u = must(unpack(l, 4));
  EXPECT_EQ(to_string(u), "swizzle(5,3,3) o S[2048:1@m]");
  for (std::int64_t x = 0; x < 2048; ++x)
    EXPECT_EQ(base_place(u, x)[Axis::memory()], 4 * base_place(l, x / 4)[Axis::memory()] + x % 4);
  EXPECT_EQ(must(pack(u, 4)), canonicalize(l));
  EXPECT_FALSE(unpack(l, 3));
  EXPECT_FALSE(pack(l, 16)) << "a swizzled part of an element";
}

TEST(LayoutElements, PackRefusesWhatAreNotNeighbours) {
  EXPECT_EQ(to_string(must(pack(L("S[(8,16):(16,1)]"), 2))), "S[64:1@m]");
  EXPECT_EQ(pack(L("S[(4,2):(3,1)]"), 2).error(), "3 on axis m is not a multiple of 2");
  EXPECT_EQ(pack(L("S[(4,2):(4,1)] + 1"), 2).error(), "1 on axis m is not a multiple of 2");
  EXPECT_FALSE(pack(L("S[2:1] + R[2:1]"), 2));
  EXPECT_EQ(pack(L("S[(8,8):(1,8)]"), 2).error(), "the innermost iter has stride 8; neighbours lie at stride 1");
  EXPECT_EQ(pack(L("S[(2,32):(1,1@laneid)]"), 2).error(),
            "the innermost iter is on axis laneid; neighbours lie on a memory axis");
  EXPECT_EQ(pack(L("S[(4,3):(4,1)]"), 2).error(), "the innermost 3 elements are not a multiple of 2");
  EXPECT_FALSE(pack(L("S[1:1]"), 2));
  EXPECT_FALSE(pack(L("S[8:1]"), 0));
  EXPECT_FALSE(unpack(L("S[8:1]"), -2));
  EXPECT_EQ(to_string(must(unpack(L("S[(N,8):(K,1)]"), 2))), "S[(N,16):(2*K@m,1@m)]");
}

// shows: L3.4
TEST(LayoutElements, BroadcastRepeats) {
  EXPECT_EQ(to_string(must(broadcast(T("S[(4,8):(8,1)]"), 3, 0, Axis::memory()))), "S[(3,4,8):(0@m,8@m,1@m)]");
  EXPECT_EQ(to_string(must(broadcast(T("S[(4,8):(8,1)]"), Size::symbol("N"), -1, *Axis::find("laneid")))),
            "S[(4,8,N):(8@m,1@m,0@laneid)]");
  EXPECT_FALSE(broadcast(T("S[(4,8):(8,1)]"), 3, 3, Axis::memory()));
  EXPECT_FALSE(broadcast(T("S[(4,8):(8,1)]"), 3, -2, Axis::memory()));
  EXPECT_FALSE(broadcast(T("S[(4,8):(8,1)]"), 0, 0, Axis::memory()));
}

}  // namespace
}  // namespace kir::layout
