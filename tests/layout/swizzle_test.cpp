#include "core/layout/swizzle.h"

#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// The document's formula, with the groups taken apart bit by bit.
std::int64_t formula(std::int64_t m, int per_element, int len, int atom, bool inner) {
  std::int64_t out = m;
  for (int b = 0; b < len; ++b) {
    const int low = per_element + b, high = per_element + atom + b;
    const int from = inner ? high : low, to = inner ? low : high;
    if (m >> from & 1) out ^= std::int64_t{1} << to;
  }
  return out;
}

// shows: L2.1
TEST(LayoutSwizzle, IsTheFormulaAndUndoesItself) {
  for (int element = 0; element <= 4; ++element)
    for (int atom = 0; atom <= 4; ++atom)
      for (int len = 0; len <= atom; ++len)
        for (const bool inner : {true, false}) {
          const Swizzle s = must(Swizzle::make(element, len, atom, inner));
          std::set<std::int64_t> images;
          EXPECT_EQ(s.period(), 1 << (element + len + atom));
          for (std::int64_t m = 0; m < 3 * s.period(); ++m) {
            ASSERT_EQ(s(m), formula(m, element, len, atom, inner));
            ASSERT_EQ(s(s(m)), m);
            ASSERT_EQ(s(m + s.period()), s(m) + s.period());
            if (m < s.period()) images.insert(s(m));
          }
          EXPECT_EQ(static_cast<std::int64_t>(images.size()), s.period());
          EXPECT_EQ(*images.rbegin(), s.period() - 1);
        }
}

// shows: L2.1
TEST(LayoutSwizzle, RefusesBitsXoredIntoThemselves) {
  EXPECT_EQ(Swizzle::make(3, 3, 2).error(), "atom_len 2 is less than swizzle_len 3: the bits would be XORed into themselves");
  EXPECT_EQ(Swizzle::make(-1, 3, 3).error(), "per_element is -1; it must be in [0, 62]");
  EXPECT_FALSE(Swizzle::make(3, -1, 3));
  EXPECT_FALSE(Swizzle::make(60, 3, 3));
  EXPECT_FALSE(Swizzle::make(0, 0, INT64_MAX));
  EXPECT_TRUE(Swizzle::make(56, 3, 3));
}

// shows: L2.3
TEST(LayoutSwizzle, ParametersOfTheModes) {
  const auto expected = [](int bits, int mode, int element, int len) {
    EXPECT_EQ(must(swizzle_of(bits, mode)), must(Swizzle::make(element, len, 3))) << bits << " bits, " << mode << " bytes";
  };
  expected(16, 128, 3, 3);
  expected(16, 64, 3, 2);
  expected(32, 32, 2, 1);
  expected(32, 64, 2, 2);
  expected(4, 128, 5, 3);
  expected(8, 64, 4, 2);
  expected(128, 32, 0, 1);
  EXPECT_FALSE(swizzle_of(12, 128));
  EXPECT_FALSE(swizzle_of(16, 16));
  EXPECT_FALSE(swizzle_of(2, 32));
}

// shows: L2.4
TEST(LayoutSwizzle, WorkedExample) {
  const Layout swizzled = L("swizzle(3,3,3) o S[(8,64):(64,1)]"), plain = L("S[(8,64):(64,1)]");
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto bank = [&](const Layout& l) { return bank_of(must(apply(l, {i, 0}, {8, 64})).front()[Axis::memory()], 16); };
    EXPECT_EQ(bank(swizzled), (BankPlace{72 * i, 36 * i, 4 * i, i}));
    EXPECT_EQ(bank(plain), (BankPlace{64 * i, 32 * i, 0, i}));
    for (std::int64_t j = 0; j < 64; ++j)
      EXPECT_EQ(base_place(swizzled, 64 * i + j)[Axis::memory()], 64 * i + 8 * ((j / 8) ^ i) + j % 8);
  }
  EXPECT_EQ(bank_of(1000, 4), (BankPlace{1000, 125, 29, 3}));
}

// shows: L2.2
TEST(LayoutSwizzle, ComposesWithATileOnMAlone) {
  EXPECT_EQ(parse_layout("swizzle(3,3,3) o S[(8,64):(1@laneid,1)]").error(),
            "a swizzle permutes addresses on axis m alone; the layout also has laneid");
  EXPECT_EQ(parse_layout("swizzle(3,3,3) o S[(8,64):(-64,1)]").error(), "the address -448 is negative; a swizzle has none");
  EXPECT_TRUE(parse_layout("swizzle(3,3,3) o S[(8,64):(-64,1)] + 448"));
  EXPECT_TRUE(parse_layout("swizzle(3,3,3) o S[(8,N):(-N,1)] + 7*N"));
  EXPECT_FALSE(parse_layout("swizzle(3,3,3) o S[(8,N):(-N,1)] + 6*N"));
  EXPECT_FALSE(parse_layout("swizzle(3,3,3) o S[8:1] + R[2:-1]"));
}

// shows: L2.2
TEST(LayoutSwizzle, MovesEveryCopy) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const TileLayout tile = random_layout(random, {.axes = {"m"}, .negative = false});
    const std::int64_t len = random.in(0, 3);
    const Swizzle s = must(Swizzle::make(random.in(0, 4), len, len + random.in(0, 2), random.chance(70)));
    const Layout l = must(compose(s, tile));
    const auto all = all_places(tile);
    for (std::size_t x = 0; x < all.size(); ++x) {
      std::set<std::int64_t> expected, found;
      for (const Spot& p : all[x])
        expected.insert(formula(p.empty() ? 0 : p.at("m"), s.per_element(), s.swizzle_len(), s.atom_len(), s.inner()));
      for (const Place& p : places(l, static_cast<std::int64_t>(x))) found.insert(p[Axis::memory()]);
      ASSERT_EQ(found, expected);
      ASSERT_TRUE(found.contains(base_place(l, static_cast<std::int64_t>(x))[Axis::memory()]));
    }
  }
}

}  // namespace
}  // namespace kir::layout
