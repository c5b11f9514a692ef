#include "core/layout/algebra.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

using Separators = std::vector<std::size_t>;

// shows: L3.4
TEST(LayoutGrouping, SplitsItersAtTheEdgesOfDimensions) {
  const Grouped g = must(group(T("S[(32,2):(1@laneid,1)]"), {8, 8}));
  EXPECT_EQ(to_string(g.layout), "S[(8,4,2):(4@laneid,1@laneid,1@m)]");
  EXPECT_EQ(g.separators, (Separators{0, 1, 3}));
  const std::vector<Shape> shapes = {{1, 6, 1, 5, 1}, {2, 1, 3, 5}};
  const GroupedMany many = must(group_many(T("S[30:1]"), shapes));
  EXPECT_EQ(to_string(many.layout), "S[(1,2,1,3,1,5,1):(30@m,15@m,15@m,5@m,5@m,1@m,1@m)]");
  EXPECT_EQ(many.separators, (std::vector<Separators>{{0, 1, 4, 5, 6, 7}, {0, 2, 3, 4, 7}}));
  EXPECT_EQ(to_string(must(group(T("S[8*N:1]"), {must(parse_size("2*N")), 4})).layout), "S[(2*N,4):(4@m,1@m)]");
  EXPECT_EQ(must(group(T("S[1:1] + 3"), {})).separators, (Separators{0}));
}

TEST(LayoutGrouping, SaysWhyNot) {
  EXPECT_EQ(group(T("S[12:1]"), {3, 5}).error(), "the layout has 12 elements and does not admit the shape (3, 5)");
  EXPECT_EQ(group(T("S[(4,3):(1,4)]"), {3, 4}).error(),
            "the iters do not split along the shape (3, 4): dimension 0 meets an iter in the ratio 3 to 4");
  EXPECT_FALSE(group(T("S[(N,K):(1,N)]"), {Size::symbol("K"), Size::symbol("N")}));
  EXPECT_FALSE(group_many(T("S[12:1]"), {}));
  EXPECT_FALSE(group_many(T("S[12:1]"), std::vector<Shape>{{12}, {}}));
}

// The ends of the factors of a shape, as products from the left, form a chain together with those of the iters exactly when
// the one splits along the other.
bool splits(const TileLayout& canonical, const std::vector<std::vector<std::int64_t>>& shapes) {
  std::set<std::int64_t> ends;
  std::int64_t product = 1;
  for (const Iter& i : canonical.shard()) ends.insert(product *= number(i.extent));
  for (const auto& shape : shapes) {
    product = 1;
    for (const std::int64_t s : shape) ends.insert(product *= s);
  }
  std::int64_t last = 1;
  for (const std::int64_t end : ends) {
    if (end % last != 0) return false;
    last = end;
  }
  return true;
}

// shows: L3.1 L3.4
TEST(LayoutGrouping, KeepsTheMapAndGroupsExactlyWhatSplits) {
  Random random(20);
  int grouped = 0, refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const TileLayout l = random_layout(random, {.copies = 2});
    std::vector<std::vector<std::int64_t>> shapes;
    std::vector<Shape> as_sizes;
    for (std::int64_t n = random.in(1, 3); n > 0; --n) {
      shapes.push_back(random_shape(random, number(l.size())));
      as_sizes.push_back(sizes(shapes.back()));
    }
    const auto found = group_many(l, as_sizes);
    ASSERT_EQ(found.has_value(), splits(canonicalize(l), shapes)) << to_string(l) << (found ? "" : found.error());
    (found ? grouped : refused)++;
    if (!found) continue;
    ASSERT_TRUE(same_map(l, found->layout));
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const Separators& at = found->separators[s];
      ASSERT_EQ(at.size(), shapes[s].size() + 1);
      ASSERT_EQ(at.front(), 0u);
      ASSERT_EQ(at.back(), found->layout.shard().size());
      for (std::size_t d = 0; d < shapes[s].size(); ++d) {
        std::int64_t extent = 1;
        for (std::size_t k = at[d]; k < at[d + 1]; ++k) extent *= number(found->layout.shard()[k].extent);
        ASSERT_EQ(extent, shapes[s][d]) << to_string(found->layout);
      }
    }
  }
  EXPECT_GT(grouped, 200);
  EXPECT_GT(refused, 200);
}

// shows: L3.4
TEST(LayoutGrouping, PermutesGroups) {
  Random random(21);
  for (int round = 0; round < 400; ++round) {
    const auto [l, shape] = random_shaped(random, 3, {.elements = 512, .copies = 3});
    const Grouped g = must(group(l, sizes(shape)));
    std::vector<std::size_t> perm = {0, 1, 2};
    for (std::int64_t n = random.in(0, 5); n > 0; --n) std::next_permutation(perm.begin(), perm.end());
    const TileLayout p = must(permute_by_groups(g.layout, g.separators, perm));
    const std::vector<std::set<Spot>> before = all_places(l), after = all_places(p);
    const std::vector<std::int64_t> new_shape = {shape[perm[0]], shape[perm[1]], shape[perm[2]]};
    for (const auto& x : all_coordinates(shape)) {
      const std::vector<std::int64_t> y = {x[perm[0]], x[perm[1]], x[perm[2]]};
      ASSERT_EQ(after[linear(y, new_shape)], before[linear(x, shape)]);
    }
  }
  EXPECT_EQ(to_string(must(permute_dims(T("S[(8,8,8,8):(512,8,64,1)]"), std::vector<std::size_t>{2, 3, 0, 1}))),
            "S[(8,8,8,8):(64@m,1@m,512@m,8@m)]");
  EXPECT_EQ(permute_dims(T("S[(8,8):(8,1)]"), std::vector<std::size_t>{0}).error(), "(0) is not a permutation of 2 groups");
  EXPECT_FALSE(permute_by_groups(T("S[(8,8):(8,1)]"), Separators{0, 2}, std::vector<std::size_t>{1}));
  EXPECT_FALSE(permute_by_groups(T("S[(8,8):(8,1)]"), Separators{0, 1}, std::vector<std::size_t>{0}));
  EXPECT_FALSE(permute_by_groups(T("S[(8,8):(8,1)]"), Separators{}, std::vector<std::size_t>{}));
}

}  // namespace
}  // namespace kir::layout
