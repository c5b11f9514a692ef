#include "core/layout/size.h"

#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

Size S(std::string_view text) { return must(parse_size(text)); }

TEST(LayoutSize, IsANormalFormOfPolynomials) {
  EXPECT_EQ(S("(N+1)*(N-1)"), S("N*N-1"));
  EXPECT_EQ(S("N*K - K*N"), Size(0));
  EXPECT_TRUE(S("N-N+3").is(3));
  EXPECT_NE(S("N"), S("K"));
  EXPECT_EQ(S("2*(8*K+4) - K").text(), "15*K+8");
  EXPECT_EQ(S("-N").text(), "-N");
  EXPECT_EQ(S("K + N*K + 7 - 3*N*N").text(), "K*N-3*N*N+K+7");
  EXPECT_EQ(S("b*a+a").symbols(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(S("12*N+8*K").content(), 4);
}

TEST(LayoutSize, DividesExactlyOrNotAtAll) {
  EXPECT_EQ(divide(S("8*K*N+4*N"), S("4*N")), S("2*K+1"));
  EXPECT_EQ(divide(S("N*N-1"), S("N+1")), S("N-1"));
  EXPECT_FALSE(divide(S("N*N"), S("N+1")));
  EXPECT_FALSE(divide(S("N"), S("2")));
  EXPECT_FALSE(divide(S("7"), S("2")));
  EXPECT_FALSE(divide(S("7"), S("0")));
  EXPECT_EQ(divide(S("0"), S("N")), Size(0));
  EXPECT_EQ(divide(S("-12"), S("4")), Size(-3));
}

TEST(LayoutSize, ComparesForAllSizesFromOne) {
  EXPECT_TRUE(at_least(S("N"), 1));
  EXPECT_FALSE(greater(S("N"), 1));
  EXPECT_TRUE(at_least(S("N*K"), S("N+K-1")));
  EXPECT_FALSE(at_least(S("N*K"), S("N+K")));
  EXPECT_TRUE(greater(S("8*N"), S("7*N")));
  EXPECT_FALSE(at_least(S("N-2"), 0));
}

// shows: L1.10
TEST(LayoutSize, OverflowAbsorbs) {
  const Size big = S("4611686018427387904");  // 2^62
  EXPECT_TRUE((big + (big - 1)).is(INT64_MAX));
  for (const Size& over : {big + big, big * 2, -big - big, S("N") * big * 2, (S("N") + big) + big}) {
    EXPECT_FALSE(over.ok() && over.is_constant());
  }
  const Size over = big * 4;
  EXPECT_FALSE(over.ok() || (over - over).ok() || (over * 0).ok() || over == over || at_least(over, 0) || over.constant());
  EXPECT_FALSE(divide(over, 2));
  Size power = S("N");
  while (power.ok()) power = power * S("N");
  Size many;
  for (int i = 0; many.ok() && i < 100; ++i) many = many + Size::symbol("s" + std::to_string(i));
  EXPECT_FALSE(many.ok());
  // (1+a)(1+b)...: the comparison expands to more terms than there may be, and then claims nothing.
  Size product = 1;
  for (char c = 'a'; c <= 't'; ++c) product = product * Size::symbol(std::string(1, c));
  EXPECT_TRUE(product.ok());
  EXPECT_FALSE(at_least(product, 1));
}

// Values of random expressions against the same arithmetic on numbers.
TEST(LayoutSize, ArithmeticCommutesWithBinding) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const Binding binding{{"N", random.in(1, 9)}, {"K", random.in(1, 9)}};
    std::vector<std::pair<Size, std::int64_t>> pool{
        {Size::symbol("N"), binding.at("N")}, {Size::symbol("K"), binding.at("K")}, {3, 3}, {-2, -2}};
    for (int step = 0; step < 6; ++step) {
      const auto [a, x] = random.of(pool);
      const auto [b, y] = random.of(pool);
      switch (random.in(0, 2)) {
        case 0: pool.push_back({a + b, x + y}); break;
        case 1: pool.push_back({a - b, x - y}); break;
        default:
          if (std::abs(x) < 100000 && std::abs(y) < 100000) pool.push_back({a * b, x * y});
      }
    }
    for (const auto& [size, value] : pool) {
      EXPECT_EQ(size.evaluate(binding), value);
      EXPECT_EQ(S(size.text()), size);
      if (at_least(size, 0)) {
        EXPECT_GE(value, 0);
      }
      EXPECT_EQ(size.substitute({{"N", binding.at("N")}}).evaluate({{"K", binding.at("K")}}), value);
    }
    const auto [a, x] = pool.back();
    const auto [b, y] = random.of(pool);
    if (y != 0 && !b.is(0)) {
      EXPECT_EQ(divide(a * b, b), a) << a.text() << " times " << b.text();
    }
    if (const auto q = divide(a, b)) {
      EXPECT_EQ(*q * b, a);
    }
    EXPECT_FALSE(before(a, b) && before(b, a));
    EXPECT_EQ(a == b, !before(a, b) && !before(b, a));
  }
}

}  // namespace
}  // namespace kir::layout
