#include "core/layout/f2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/layout/bounded.h"
#include "core/layout/linear.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// Every map of three bits to three: rank, kernel and solutions against its table of values.
// shows: L3.2
TEST(F2Map, EveryMapOfThreeBits) {
  for (std::uint64_t bits = 0; bits < 512; ++bits) {
    const F2Map map({bits & 7, bits >> 3 & 7, bits >> 6});
    std::set<std::uint64_t> image;
    for (std::uint64_t x = 0; x < 8; ++x) {
      image.insert(map(x));
      for (std::uint64_t y = 0; y < 8; ++y) EXPECT_EQ(map(x ^ y), map(x) ^ map(y));
    }
    EXPECT_EQ(image.size(), std::size_t{1} << map.rank());
    EXPECT_EQ(map.injective(), image.size() == 8);
    const std::optional<std::uint64_t> k = map.kernel();
    ASSERT_EQ(k.has_value(), image.size() < 8);
    if (k) {
      EXPECT_TRUE(*k != 0 && map(*k) == 0);
    }
    for (std::uint64_t y = 0; y < 8; ++y) {
      const std::optional<std::uint64_t> x = map.solve(y);
      ASSERT_EQ(x.has_value(), image.contains(y));
      if (x) {
        EXPECT_EQ(map(*x), y);
      }
    }
    const F2Map twice = map.after(map);
    for (std::uint64_t x = 0; x < 8; ++x) EXPECT_EQ(twice(x), map(map(x)));
  }
}

TEST(F2Map, SixtyFourColumns) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint64_t> columns(64);
    for (std::uint64_t& c : columns) c = random() & random();
    const F2Map map(columns);
    EXPECT_EQ(map.injective(), !map.kernel());
    if (const auto k = map.kernel()) {
      EXPECT_TRUE(*k != 0 && map(*k) == 0);
    }
    const std::uint64_t y = map(random());
    ASSERT_TRUE(map.solve(y));
    EXPECT_EQ(map(*map.solve(y)), y);
  }
}

// shows: L2.1
TEST(LinearView, IsTheForwardMapOrNone) {
  const Layout l = L("swizzle(3,3,3) o S[(8,64):(64,1)] + R[2:512] + 1024");
  const std::optional<LinearView> view = linear_view(l);
  ASSERT_TRUE(view);
  for (std::int64_t x = 0; x < 512; ++x) {
    const std::uint64_t base = view->origin ^ view->elements(static_cast<std::uint64_t>(x));
    EXPECT_EQ(
        places(l, x),
        places(Layout{T(fmt::format("S[1:1] + R[2:{}] + {}",
                                    static_cast<std::int64_t>(base ^ view->copies(1)) - static_cast<std::int64_t>(base), base)),
                      {}},
               0));
  }
  for (const char* text :
       {"S[(8,63):(64,1)]", "S[(8,64):(32,1)]", "S[(8,64):(64,1)] + 1", "S[(8,64):(64@laneid,1)]", "S[8:-1]", "S[N:1]"})
    EXPECT_FALSE(linear_view(L(text))) << text;
}

// Equations against all values.
TEST(Bounded, SolvesOrShowsThatThereIsNoSolution) {
  Random random(7);
  int solved = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<BoundedTerm> terms(static_cast<std::size_t>(random.in(0, 4)));
    for (BoundedTerm& t : terms) {
      t.low = random.in(-4, 3);
      t.high = t.low + random.in(-1, 5);
      t.stride = random.in(-30, 30);
    }
    std::set<std::int64_t> sums{0};
    for (const BoundedTerm& t : terms) {
      std::set<std::int64_t> next;
      for (std::int64_t s : sums)
        for (std::int64_t v = t.low; v <= t.high; ++v) next.insert(s + v * t.stride);
      sums = std::move(next);
    }
    const std::int64_t target = random.in(-40, 40);
    std::int64_t steps = 100'000;
    const Solved s = solve_bounded(terms, target, steps);
    ASSERT_TRUE(s.exhausted);
    ASSERT_EQ(s.values.has_value(), sums.contains(target));
    if (s.values) {
      ++solved;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        ASSERT_TRUE(terms[i].low <= (*s.values)[i] && (*s.values)[i] <= terms[i].high);
        sum += (*s.values)[i] * terms[i].stride;
      }
      ASSERT_EQ(sum, target);
    }
    if (std::ranges::any_of(terms, [](const BoundedTerm& t) { return t.low > t.high; })) continue;
    const std::optional<Sums> all = Sums::make(terms, 5, 100'000);
    ASSERT_TRUE(all);
    ASSERT_EQ(std::set(all->values().begin(), all->values().end()).size(), sums.size());
    for (const std::int64_t v : all->values()) {
      ASSERT_TRUE(sums.contains(v - 5));
      const std::vector<std::int64_t> of = all->terms_of(v);
      std::int64_t sum = 5;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        ASSERT_TRUE(terms[i].low <= of[i] && of[i] <= terms[i].high);
        sum += of[i] * terms[i].stride;
      }
      ASSERT_EQ(sum, v);
    }
  }
  EXPECT_GT(solved, 1000);
}

// What divisibility decides takes a step a term, however large the numbers; what it does not runs out of steps, and says so.
TEST(Bounded, StepsAreFewOrRunOut) {
  const std::int64_t most = 1'000'000'000'000;
  std::int64_t steps = 10;
  EXPECT_FALSE(
      solve_bounded(std::vector<BoundedTerm>{{6, -most, most}, {10, -most, most}, {14, -most, most}}, 7, steps).values);
  EXPECT_GT(steps, 0);
  steps = 10;
  EXPECT_TRUE(solve_bounded(std::vector<BoundedTerm>{{most + 1, -most, most}, {most, 1, most}}, 0, steps).exhausted);
  EXPECT_GT(steps, 0);
  std::vector<BoundedTerm> hard;
  Random random(3);
  for (int i = 0; i < 40; ++i) hard.push_back({random.in(most, 2 * most) * 2, 0, 1});
  steps = 1000;
  EXPECT_FALSE(solve_bounded(hard, Wide(30) * most, steps).exhausted);
  EXPECT_FALSE(Sums::make(hard, 0, 1000));
}

}  // namespace
}  // namespace kir::layout
