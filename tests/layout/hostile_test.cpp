// Layouts that are large, at the edge of 63 bits, or of very many iters: an answer or an error, soon.
#include <chrono>

#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

constexpr std::int64_t kBig = std::int64_t{1} << 61;

TileLayout many(std::size_t count, const Iter& each, bool replica = false) {
  const std::vector<Iter> iters(count, each);
  return must(replica ? TileLayout::make({}, iters) : TileLayout::make(iters));
}

// shows: L1.1
TEST(LayoutHostile, OverflowIsAnError) {
  const TileLayout wide = T("S[2:2305843009213693952]"), big = T("S[2305843009213693952:1]");
  EXPECT_FALSE(direct_sum(big, {kBig}, big, {kBig}));
  EXPECT_FALSE(tile(wide, {2}, {wide, {}}, {2}));
  EXPECT_FALSE(tile_to({big, {}}, {kBig}, {Size(kBig) * 4}));
  EXPECT_FALSE(unpack({wide, {}}, 8));
  EXPECT_FALSE(unpack({big, {}}, 8));
  EXPECT_FALSE(unpack(L("swizzle(56,3,3) o S[4:1]"), 1 << 10));
  EXPECT_FALSE(broadcast(big, kBig, 0, Axis::memory()));
  EXPECT_FALSE(broadcast(big, Size::overflowed(), 0, Axis::memory()));
  EXPECT_FALSE(complement(T("S[4:2]"), Size::overflowed()));
  EXPECT_FALSE(group(big, {Size::overflowed()}));
  EXPECT_FALSE(slice({big, {}}, {kBig}, std::vector<Range>{{0, Size(kBig) * 8}}));
  EXPECT_FALSE(slice({big, {}}, {kBig}, std::vector<Range>{{-1, 4}}));
  EXPECT_FALSE(sub_view({big, {}}, {kBig}, std::vector<Index>{{Index::Kind::stride, 0, 0}}));
  EXPECT_FALSE(sub_view({big, {}}, {kBig}, std::vector<Index>{{Index::Kind::stride, 0, Size::overflowed()}}));
  EXPECT_FALSE(compose(big, T("S[4:1] + 2305843009213693950")));
  EXPECT_EQ(to_string(must(compose(big, T("S[4:3]")))), "S[4:3@m]");
  // Threads that do not fit when they are fused stay as they are.
  const TileLayout threads = T("S[(2,2):(2305843009213693952@warpid,1@laneid)]");
  EXPECT_EQ(canonicalize_threads(threads), threads);
  EXPECT_EQ(fuse_place(threads, base_place(threads, 3)), base_place(threads, 3));
}

TEST(LayoutHostile, ManyItersAreFast) {
  const auto start = std::chrono::steady_clock::now();
  const Iter unit{1, 5}, two{2, 3};
  const TileLayout units = many(100000, unit), twos = many(60, two), copies = many(60, two, true);
  EXPECT_EQ(canonicalize(units), T("S[]"));
  EXPECT_EQ(canonicalize(many(100000, unit, true)), T("S[]"));
  EXPECT_EQ(canonicalize(twos).shard().size(), 60u);
  EXPECT_EQ(canonicalize(copies).replica().size(), 60u);
  const Shape ones(20000, 1), bits(60, 2);
  EXPECT_EQ(must(group(units, ones)).separators.size(), 20001u);
  EXPECT_TRUE(group_many(twos, std::vector<Shape>(200, bits)));
  EXPECT_TRUE(tile(units, ones, {units, {}}, ones));
  EXPECT_FALSE(tile(twos, bits, {twos, {}}, bits));
  EXPECT_TRUE(must(is_direct_sum_right(copies, copies, {1, 1}, {1})));
  // Parts that divide out in many ways, and then do not.
  std::vector<Iter> all, part;
  for (std::int64_t k = 0; k < 20; ++k) all.push_back({2 + k % 3, 1 + k % 5}), part.push_back({2, 1 + k % 7});
  (void)is_direct_sum_right(must(TileLayout::make({}, part)), must(TileLayout::make({}, all)), {1, 1}, {1});
  EXPECT_FALSE(left_inverse(twos));
  EXPECT_FALSE(complement(twos, kBig));
  EXPECT_FALSE(compose(twos, must(TileLayout::make({{1000000, 3}}))));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(LayoutHostile, SymbolsInEveryPlace) {
  std::vector<Iter> iters;
  for (int k = 0; k < 30; ++k)
    iters.push_back({Size::symbol("n" + std::to_string(k)), Size::symbol("s" + std::to_string(k)) - k});
  const TileLayout l = must(TileLayout::make(iters));
  EXPECT_EQ(canonicalize(l), l);
  EXPECT_EQ(must(parse_tile_layout(to_string(l))), l);
  EXPECT_FALSE(left_inverse(l));
  EXPECT_FALSE(tile(l, {l.size()}, {l, {}}, {l.size()}));
  iters.insert(iters.end(), iters.begin(), iters.end());
  EXPECT_FALSE(TileLayout::make(iters)) << "the number of elements has a degree beyond what is kept";
}

}  // namespace
}  // namespace kir::layout
