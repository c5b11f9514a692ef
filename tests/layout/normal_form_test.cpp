#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

std::string canonical(std::string_view text) { return to_string(canonicalize(L(text))); }

// shows: L3.4
TEST(LayoutNormalForm, MergesWhatIsOneStride) {
  EXPECT_EQ(canonical("S[(8,8,8,4,2):(512,64,8,2,1)]"), "S[4096:1@m]");
  EXPECT_EQ(canonical("S[(8,8,1,1,1,4,1,1):(512,64,1,1,1,2,1,1)]"), "S[(64,4):(64@m,2@m)]");
  EXPECT_EQ(canonical("S[(3,4,5,2,3,4):(20,5,1,60,20,5)]"), "S[(60,24):(1@m,5@m)]");
  EXPECT_EQ(canonical("S[(8,8):(8@P,1@F)]"), "S[(8,8):(8@P,1@F)]");
  EXPECT_EQ(canonical("S[(2,3,4):(0,0,0)] + R[(2,5):(0,0)]"), "S[24:0@m] + R[10:0@m]");
  EXPECT_EQ(canonical("S[1:7@laneid]"), "S[]");
  EXPECT_EQ(canonical("S[(N,8,K):(8*K,K,1)]"), "S[8*K*N:1@m]");
  EXPECT_EQ(canonical("swizzle(3,0,3) o S[(2,4):(4,1)]"), "S[8:1@m]");
  EXPECT_EQ(canonical("swizzle(3,3,3) o S[(8,64):(64,1)]"), "swizzle(3,3,3) o S[512:1@m]");
}

// shows: L3.4
TEST(LayoutNormalForm, ReplicasAreAMultiset) {
  EXPECT_EQ(canonical("S[1] + R[(2,2,3):(2@warpid,1@laneid,4@warpid)]"), canonical("S[1] + R[(2,6):(1@laneid,2@warpid)]"));
  EXPECT_NE(canonical("S[1] + R[(2,2):(1,1)]"), canonical("S[1] + R[3:1]"));
}

// shows: L3.1 L3.4
TEST(LayoutNormalForm, IsTheSameMapWithNothingLeftToMerge) {
  Random random(10);
  for (int round = 0; round < 1500; ++round) {
    const TileLayout l = random_layout(random), c = canonicalize(l);
    ASSERT_TRUE(same_map(l, c));
    ASSERT_EQ(canonicalize(c), c) << to_string(l);
    ASSERT_EQ(c.copies(), l.copies());
    for (std::size_t k = 1; k < c.shard().size(); ++k) {
      const Iter &outer = c.shard()[k - 1], &inner = c.shard()[k];
      ASSERT_FALSE(outer.axis == inner.axis && outer.stride == inner.stride * inner.extent) << to_string(c);
    }
  }
}

// Two notations of one map have one normal form, when they differ only in how iters are split.
TEST(LayoutNormalForm, ForgetsHowItersAreSplit) {
  Random random(11);
  for (int round = 0; round < 1000; ++round) {
    const TileLayout l = random_layout(random);
    std::vector<Iter> shard, replica;
    for (const auto& [from, to] : {std::pair(&l.shard(), &shard), std::pair(&l.replica(), &replica)})
      for (const Iter& i : *from) {
        const std::int64_t factor = random.in(1, 4);
        const auto outer = divide(i.extent, factor);
        if (outer)
          to->insert(to->end(), {{*outer, i.stride * factor, i.axis}, {1, 5, i.axis}, {factor, i.stride, i.axis}});
        else
          to->push_back(i);
      }
    std::reverse(replica.begin(), replica.end());
    ASSERT_EQ(canonicalize(must(TileLayout::make(shard, replica, l.offset()))).shard(), canonicalize(l).shard())
        << to_string(l);
    ASSERT_TRUE(same_map(l, must(TileLayout::make(shard, replica, l.offset()))));
  }
}

std::string fused(std::string_view text) { return to_string(canonicalize_threads(T(text))); }

// shows: L3.3 L3.4
TEST(LayoutNormalForm, FusesThreadAxesOfNestedScopes) {
  EXPECT_EQ(fused("S[(2,8,2):(1@warpid,4@laneid,1@laneid)] + 2@laneid + 2@warpid"), "S[(16,2):(4@tx,1@tx)] + 66@tx");
  EXPECT_EQ(fused("S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)]"), "S[(2,8,2,4):(64@tx,4@tx,32@tx,1@tx)]");
  EXPECT_EQ(fused("S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]"), "S[128:1@tx]");
  EXPECT_EQ(fused("S[(2,2,4,32):(2@wgid,1@wgid,32@tid_in_wg,1@tid_in_wg)]"), "S[512:1@tx]");
  EXPECT_EQ(fused("S[(2,4):(1@wgid,1@wid_in_wg)]"), "S[8:1@warpid]");
  EXPECT_EQ(fused("S[(4,32):(1@wid_in_wg,1@laneid)]"), "S[128:1@tid_in_wg]");
  EXPECT_EQ(fused("S[(2,4,32):(1@wgid,1@wid_in_wg,1@laneid)]"), "S[256:1@tx]");
  EXPECT_EQ(fused("S[(4,32):(1@wgid,1@laneid)]"), "S[(4,32):(1@wgid,1@laneid)]");
}

// Of a block; of a place on the axes of one kind.
std::int64_t thread_number(const Place& p) {
  const auto at = [&](std::string_view axis) { return p[*Axis::find(axis)]; };
  return at("tx") + 32 * at("warpid") + at("laneid") + 128 * at("wgid") + 32 * at("wid_in_wg") + at("tid_in_wg");
}

// shows: L3.3 L3.4
TEST(LayoutNormalForm, FusionMovesPlacesAsItSaysAndIsUndone) {
  Random random(12);
  int undone = 0;
  for (int round = 0; round < 1500; ++round) {
    const TileLayout l = random_layout(
        random, {.elements = 512,
                 .copies = 4,
                 .axes = random.chance(50) ? std::vector<std::string>{"warpid", "laneid", "m"}
                                           : std::vector<std::string>{"wgid", "wid_in_wg", "laneid", "tid_in_wg"}});
    const TileLayout f = canonicalize_threads(l);
    ASSERT_EQ(canonicalize_threads(f), f);
    const std::int64_t size = number(l.size());
    ASSERT_EQ(number(f.size()), size);
    for (std::int64_t x = 0; x < size; ++x) {
      std::set<Place> expected;
      for (const Place& p : places(l, x)) expected.insert(fuse_place(l, p));
      const std::vector<Place> found = places(f, x);
      ASSERT_EQ(std::set<Place>(found.begin(), found.end()), expected) << to_string(l);
    }
    if (const auto back = unfuse_threads(f, l)) {
      undone += *back != f;
      for (std::int64_t x = 0; x < size; ++x)
        ASSERT_EQ(thread_number(base_place(*back, x)), thread_number(base_place(f, x)))
            << to_string(l) << " as " << to_string(*back);
    }
  }
  EXPECT_GT(undone, 50);
  EXPECT_EQ(
      to_string(
          unfuse_threads(T("S[(2,8,2,4,2):(64@tx,4@tx,32@tx,1@tx,1)] + 64@tx"), T("S[8:1@laneid]")).value_or(TileLayout())),
      "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1@m)] + 2@warpid");
  EXPECT_FALSE(unfuse_threads(T("S[128:1@tx] + 5@tx"), T("S[8:1@laneid]"))) << "a lane would carry into the warp";
  EXPECT_FALSE(unfuse_threads(T("S[4:24@tx]"), T("S[8:1@laneid]")));
  EXPECT_EQ(to_string(unfuse_threads(T("S[512:1@tx]"), T("S[(4,4):(1@wid_in_wg,1@laneid)]")).value_or(TileLayout())),
            "S[(4,4,32):(1@wgid,1@wid_in_wg,1@laneid)]");
}

TEST(LayoutNormalForm, Trivial) {
  EXPECT_TRUE(is_trivial(L("S[(8,8):(8,1)]")));
  EXPECT_TRUE(is_trivial(L("S[1:1]")));
  for (const char* text : {"S[32:1@laneid]", "S[64:1] + R[2:1@laneid]", "S[64:2]", "S[64:1] + 1", "swizzle(3,3,3)"})
    EXPECT_FALSE(is_trivial(L(text))) << text;
}

}  // namespace
}  // namespace kir::layout
