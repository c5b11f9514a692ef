// Each rule of core/index/simplify.h: where it applies and where it does not.
#include <gtest/gtest.h>

#include "core/index/simplify.h"
#include "tests/smt/formula.h"

namespace kir {
namespace {

struct Case {
  std::vector<std::string> facts;
  std::string expression, simplified;
};

class SimplifyRule : public ::testing::Test {
 protected:
  std::string simplified(const std::vector<std::string>& facts, const std::string& text) {
    ExprPool pool;
    test::Formulas f(pool);
    Facts context(pool);
    for (const std::string& fact : facts) context.assume(f(fact));
    return to_string(context.simplify(f(text)),
                     [](Expr leaf) { return leaf.is(ExprKind::variable) ? leaf.name() : std::string(); });
  }
  void expect(const Case& c) { EXPECT_EQ(simplified(c.facts, c.expression), c.simplified) << c.expression; }
  // The rule does not apply: what is left still holds what it would have removed.
  void expect_kept(const std::vector<std::string>& facts, const std::string& text, const std::string& part) {
    EXPECT_NE(simplified(facts, text).find(part), std::string::npos) << text << " became " << simplified(facts, text);
  }
};

// What was assumed, in its order: the bounds first, then equations, each without what is known.
TEST(Facts, ConjunctionImpliesWhatWasAssumed) {
  ExprPool pool;
  test::Formulas f(pool);
  Facts facts(pool);
  for (const char* fact : {"n == 4*m", "0 <= m < M", "m*4 < 4*M", "x mod 4 == 1 or m >= 3"}) facts.assume(f(fact));
  std::string all;
  for (Expr e : facts.conjunction()) all += to_string(e, [](Expr l) { return l.name(); }) + "; ";
  EXPECT_EQ(all, "n == 4 * m; 0 <= m; m < M; x mod 4 == 1 or 2 < m; ");
  facts.assume(f("m < 0"));
  ASSERT_EQ(facts.conjunction().size(), 1u);
  EXPECT_TRUE(facts.conjunction()[0].is_false());
}

TEST_F(SimplifyRule, S1_polynomials) {
  expect({{}, "N + 2*N - 3*N", "0"});
  expect({{}, "(N + 1)*(N + 1) - N*N - 2*N", "1"});
  expect({{}, "(m + n)*K - m*K", "n * K"});
  expect_kept({}, "N*N - N", "N * N");
}

TEST_F(SimplifyRule, S1_constants_that_leave_64_bits_are_not_folded) {
  expect_kept({}, "9223372036854775807 + 1", "9223372036854775807 + 1");
  expect_kept({}, "9223372036854775807*N + 9223372036854775807*N", "9223372036854775807");
  expect({{}, "9223372036854775807 + 1 - 1", "9223372036854775807"});
}

TEST_F(SimplifyRule, S1_coefficients_beyond_128_bits_are_kept_as_they_stand) {
  std::string p = "9223372036854775807*9223372036854775807*9223372036854775807*N";
  expect_kept({}, p, "9223372036854775807 * 9223372036854775807");
}

TEST_F(SimplifyRule, S2_divisors_of_one_and_negative_ones) {
  expect({{}, "n floordiv 1", "n"});
  expect({{}, "(-6*n) floordiv -3", "2 * n"});
  expect_kept({}, "n floordiv D", "floordiv D");
}

TEST_F(SimplifyRule, S3_multiples_split_off) {
  expect({{}, "(4*m + n) floordiv 4", "m + n floordiv 4"});
  expect({{"N >= 1"}, "(m*N + n) floordiv N", "m + n floordiv N"});
  expect_kept({"N >= 0"}, "(m*N + n) floordiv N", "floordiv N");  // N may be 0
  expect_kept({"N >= 0"}, "(m*N + n) floordiv N", "N * m");
  expect_kept({}, "(3*m + n) floordiv 4", "3 * m");
}

// shows: K4.1
TEST_F(SimplifyRule, S4_mixed_radix) {
  expect({{"0 <= n < N", "0 <= k < K"}, "((m*N + n)*K + k) floordiv (N*K)", "m"});
  expect({{"0 <= n < N"}, "(m*N + n) mod N", "n"});
  expect({{"0 <= l < 128"}, "(t*128 + l + 256) floordiv 128", "t + 2"});
  expect({{"8 <= x <= 11"}, "x floordiv 4", "2"});
  expect_kept({"0 <= n <= N", "N >= 1"}, "(m*N + n) floordiv N", "n floordiv N");
  expect_kept({"8 <= x <= 12"}, "x floordiv 4", "floordiv 4");
  expect_kept({"0 <= n < N", "0 <= k <= K", "K >= 1"}, "((m*N + n)*K + k) floordiv (N*K)", "floordiv");
}

TEST_F(SimplifyRule, S5_common_factor) {
  expect({{"0 <= y < 4"}, "(4*x + y) floordiv 8", "x floordiv 2"});
  expect({{"0 <= k < K", "N >= 1"}, "(x*K + k) floordiv (N*K)", "x floordiv N"});
  expect_kept({"0 <= y < 5"}, "(4*x + y) floordiv 8", "4 * x");
}

TEST_F(SimplifyRule, S6_nested_division) {
  expect({{}, "x floordiv 4 floordiv 8", "x floordiv 32"});
  expect({{"A >= 1", "B >= 1"}, "x floordiv A floordiv B", "x floordiv (A * B)"});
  expect_kept({"A >= 1"}, "x floordiv A floordiv B", "floordiv A floordiv B");
}

// What is left of a quotient by a further divisor is a digit, whatever it is multiplied with.
TEST_F(SimplifyRule, S6_the_remainder_of_a_quotient_is_a_digit) {
  const std::vector<std::string> facts = {"A >= 1", "B >= 1", "s >= 1", "B*s <= H"};
  expect({facts, "0 <= s*(x floordiv A mod B)", "true"});
  expect({facts, "s*(x floordiv A mod B) < H", "true"});
  expect_kept(facts, "s*(x floordiv A mod B) + s < H", "H");
  expect_kept({"A >= 1", "s >= 1", "B*s <= H"}, "s*(x floordiv A mod B) < H", "H");
}

TEST_F(SimplifyRule, S7_leading_coefficient_is_positive) {
  expect({{}, "ceildiv(N, 128) - (N + 127) floordiv 128", "0"});
  expect({{"B >= 1"}, "ceildiv(n, B) - ((n - 1) floordiv B + 1)", "0"});
  expect_kept({}, "ceildiv(n, B) - ((n - 1) floordiv B + 1)", "B");
}

TEST_F(SimplifyRule, S8_S9_quotient_and_remainder) {
  expect({{}, "x floordiv 8*8 + x mod 8", "x"});
  expect({{"N >= 1"}, "w floordiv N*N + w mod N - w", "0"});
  expect_kept({}, "w floordiv N*N + w mod N - w", "mod");  // nothing is known when N is 0
  expect({{"N <= -1"}, "w floordiv N*N + w mod N - w", "0"});
}

TEST_F(SimplifyRule, S10_min_max) {
  expect({{"0 <= i < N"}, "min(max(i, 0), N - 1)", "i"});
  expect_kept({"0 <= i <= N"}, "min(i, N - 1)", "min");
}

TEST_F(SimplifyRule, S11_conditional) {
  expect({{"n >= 1"}, "ite(n > 0, a, b)", "a"});
  expect({{}, "ite(n > 0, max(n, 0), n) - ite(n > 0, n, n)", "0"});
  expect_kept({"n >= 0"}, "ite(n > 0, a, b)", "ite");
}

TEST_F(SimplifyRule, S12_comparisons) {
  expect({{"0 <= m < M", "0 <= n < N"}, "m*N + n < M*N", "true"});
  expect({{"0 <= m < M", "0 <= n < N"}, "m*N + n >= 0", "true"});
  expect({{"0 <= n < N", "N <= K"}, "n >= K", "false"});
  expect_kept({"0 <= m < M", "0 <= n <= N"}, "m*N + n < M*N", "<");
}

TEST_F(SimplifyRule, S12_relations_have_one_form) {
  expect({{}, "n + 1 <= N", "n < N"});
  expect({{}, "not (N <= n)", "n < N"});
  expect({{}, "2*n < 2*N", "n < N"});
  expect({{}, "3*n <= 3*N + 2", "n <= N"});
}

TEST_F(SimplifyRule, S13_equations) {
  expect({{}, "2*m == 2*n + 1", "false"});
  expect({{"0 <= n < N", "0 <= k < N"}, "m*N + n == l*N + k", "m == l and n == k"});
  expect({{"0 <= n < N", "0 <= k < N", "m < l"}, "m*N + n == l*N + k", "false"});
  expect_kept({"0 <= n <= N", "0 <= k < N"}, "m*N + n == l*N + k", "N * m");
}

TEST_F(SimplifyRule, S13_an_assumed_equation_is_taken_apart) {
  expect({{"0 <= n < N", "0 <= k < N", "m*N + n == l*N + k"}, "m == l and n == k", "true"});
  expect({{"0 <= n < N", "0 <= k < N", "m*N + n == l*N + k"}, "m == l + 1", "false"});
  expect_kept({"0 <= n <= N", "0 <= k < N", "m*N + n == l*N + k"}, "m == l", "==");
}

TEST_F(SimplifyRule, S14_connectives) {
  expect({{}, "n < N and n < N + 1", "n < N"});
  expect({{}, "n < N implies n <= N", "true"});
  expect({{}, "n < N or n >= N", "true"});
  expect({{}, "not (n < N and k < K)", "N <= n or K <= k"});
  expect_kept({}, "n < N + 1 and n < N", "and");  // what comes later says nothing about what stands before
}

TEST_F(SimplifyRule, S15_facts) {
  expect({{"m == 3*k + 1"}, "m mod 3", "1"});
  expect({{"N <= 4", "N >= 4"}, "N*n", "4 * n"});
  expect({{"n + 2*k <= 10", "k >= 3"}, "n <= 4", "true"});
  expect_kept({"m*m == k"}, "m", "m");
}

TEST_F(SimplifyRule, S15_a_factor_of_a_product_stays) {
  expect({{"M >= 1", "M == 3*k - n", "b == M*N"}, "(M*k) mod M + b", "M * N"});
}

TEST_F(SimplifyRule, S16_what_lies_below_a_product_makes_its_factors_positive) {
  expect({{"0 <= n < M*N", "M >= 0", "N >= 0"}, "M >= 1 and N >= 1", "true"});
  expect(
      {{"0 <= n < K*M*N", "K >= 0", "M >= 0", "N >= 0"}, "n floordiv (M*N) * (M*N) + n floordiv N mod M * N + n mod N", "n"});
  expect_kept({"0 <= n < M*N"}, "M >= 1", "0 < M");  // both may be negative
  expect_kept({"0 <= n <= M*N", "M >= 0", "N >= 0"}, "M >= 1", "0 < M");
}

TEST(SimplifyFacts, contradictions_are_seen) {
  for (const auto& facts : std::vector<std::vector<std::string>>{{"n < N", "N <= n"},
                                                                 {"2*n == 1"},
                                                                 {"b_x", "not b_x"},
                                                                 {"0 <= n < N", "N == 0"},
                                                                 {"n < 0 or n > 3", "n == 2"},
                                                                 {"false"}}) {
    ExprPool pool;
    test::Formulas f(pool);
    Facts context(pool);
    for (const std::string& fact : facts) context.assume(f(fact));
    EXPECT_TRUE(context.contradictory()) << facts.front();
  }
  ExprPool pool;
  test::Formulas f(pool);
  Facts context(pool);
  for (const char* fact : {"0 <= n < N", "N <= 1", "b_x or b_y"}) context.assume(f(fact));
  EXPECT_FALSE(context.contradictory());
}

TEST(SimplifyFacts, ranges) {
  ExprPool pool;
  test::Formulas f(pool);
  Facts context(pool);
  for (const char* fact : {"0 <= n < N", "N <= 100", "0 <= t"}) context.assume(f(fact));
  EXPECT_EQ(context.range(f("n")), (Range{0, 99}));
  EXPECT_EQ(context.range(f("n floordiv 8")), (Range{0, 12}));
  EXPECT_EQ(context.range(f("t mod 8")), (Range{0, 7}));
  EXPECT_EQ(context.range(f("-t")), (Range{std::nullopt, 0}));
  EXPECT_EQ(context.range(f("n*n")), (Range{0, 9801}));
  EXPECT_EQ(context.range(f("k")), (Range{}));
  EXPECT_EQ(context.range(f("min(t, 5)")), (Range{0, 5}));
}

TEST(SimplifyFacts, copies_are_independent) {
  ExprPool pool;
  test::Formulas f(pool);
  Facts a(pool);
  a.assume(f("n >= 0"));
  Facts b = a;
  b.assume(f("n <= -1"));
  EXPECT_TRUE(b.contradictory());
  EXPECT_FALSE(a.contradictory());
}

}  // namespace
}  // namespace kir
