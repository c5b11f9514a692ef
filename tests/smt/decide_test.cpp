#include "smt/decide.h"

#include <gtest/gtest.h>

#include "families.h"
#include "formula.h"
#include "smt/problem.h"

namespace kir {
namespace {

using proof::Decision;
using proof::Verdict;

Decision decide_one(const std::vector<std::string>& hypotheses, const std::string& goal, smt::DecideOptions options = {}) {
  proof::Ledger ledger;
  test::add(ledger, "one", hypotheses, goal);
  return smt::decide(ledger, options).at(0);
}

// shows: D4
TEST(Decide, each_tier_says_its_name) {
  EXPECT_EQ(decide_one({"n < N"}, "n + 1 <= N").tier, "simplifier");
  EXPECT_EQ(decide_one({"0 <= n < N"}, "(m*N + n) floordiv N == m").tier, "lemma:mixed-radix");
  EXPECT_EQ(decide_one({"0 <= a < 4", "0 <= b < 4"}, "(a*a + b*b) mod 4 != 3").tier, "enumeration");
  EXPECT_EQ(decide_one({}, "a*a + b*b >= 2*a*b").tier, "smt");
  EXPECT_EQ(decide_one({"a != b"}, "a < b or b < a").verdict, Verdict::proved);
}

// shows: D4
TEST(Decide, a_verdict_depends_on_neither_names_nor_order_nor_seed) {
  proof::Ledger ledger;
  for (const test::Family& f : test::families()) {
    test::add(ledger, f.name, f.hypotheses, f.goal);
    test::add(ledger, f.name, f.wrong_hypotheses.empty() ? f.hypotheses : f.wrong_hypotheses,
              f.wrong_goal.empty() ? f.goal : f.wrong_goal);
  }
  const auto first = smt::decide(ledger, {.jobs = 2});
  for (unsigned variant : {1u, 2u, 3u}) {
    const auto other = smt::decide(ledger, {.jobs = 2, .variant = variant});
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].verdict, other[i].verdict) << ledger.obligations[i].key << " " << other[i].reason;
      EXPECT_EQ(first[i].premise, other[i].premise) << ledger.obligations[i].key;
    }
  }
}

TEST(Decide, variants_are_the_same_formula_in_other_words) {
  proof::Ledger ledger;
  test::add(ledger, "k", {"0 <= m < M", "0 <= n < N", "L == M*N"}, "m*N + n < L");
  const smt::Problem one = smt::make_problem(ledger.obligations[0], 1), two = smt::make_problem(ledger.obligations[0], 2);
  auto text = [](const smt::Problem& p) {
    std::string s;
    for (Expr h : p.hypotheses) s += to_string(h) + "; ";
    return s;
  };
  EXPECT_NE(text(one), text(two));
  EXPECT_EQ(text(one), text(smt::make_problem(ledger.obligations[0], 1)));
  EXPECT_EQ(one.hypotheses.size(), two.hypotheses.size());
}

TEST(Decide, a_preset_stands_and_is_never_a_proof) {
  proof::Ledger ledger;
  test::add(ledger, "k", {}, "true").preset = proof::Obligation::Preset{Verdict::unsupported, "an unknown operation"};
  Decision d = smt::decide(ledger, {})[0];
  EXPECT_EQ(d.verdict, Verdict::unsupported);
  EXPECT_EQ(d.tier, "preset");
  EXPECT_EQ(d.reason, "an unknown operation");
}

TEST(Decide, an_obligation_without_a_formula_is_missing) {
  proof::Ledger ledger;
  ledger.add({.key = "empty"});
  EXPECT_EQ(smt::decide(ledger, {})[0].verdict, Verdict::missing);
}

TEST(Decide, what_exceeds_the_resource_limit_is_unknown_with_a_reason) {
  Decision d = decide_one({}, "a*a*a + b*b*b + c*c*c != 114", {.rlimit = 400'000});
  EXPECT_EQ(d.verdict, Verdict::unknown);
  EXPECT_NE(d.reason.find("resource limit"), std::string::npos) << d.reason;
  EXPECT_GT(d.resource, 0u);
}

TEST(Decide, a_limit_too_small_to_be_shared_out_is_not_no_limit) {
  for (std::uint64_t limit : {0u, 1u, 15u}) {
    Decision d = decide_one({}, "a*a*a + b*b*b + c*c*c != 114", {.rlimit = limit});
    EXPECT_EQ(d.verdict, Verdict::unknown);
    EXPECT_NE(d.reason.find("resource limit"), std::string::npos) << d.reason;
    EXPECT_FALSE(d.runaway);
    EXPECT_EQ(d.resource, 0u);
  }
}

// shows: D4
TEST(Decide, a_zero_divisor_proves_nothing) {
  EXPECT_EQ(decide_one({"N >= 0"}, "n floordiv N*N + n mod N == n").verdict, Verdict::refuted);
  EXPECT_EQ(decide_one({"D == 0"}, "5 floordiv D == 0").verdict, Verdict::refuted);
  EXPECT_EQ(decide_one({"N >= 1"}, "n floordiv N*N + n mod N == n").verdict, Verdict::proved);
}

TEST(Decide, contradictory_hypotheses_prove_anything_and_hypotheses_about_other_leaves_count) {
  EXPECT_EQ(decide_one({"n < N", "N <= n"}, "x == y").verdict, Verdict::proved);
  EXPECT_EQ(decide_one({"b_p or b_q", "not b_p", "not b_q or b_p"}, "x != y + 1").verdict, Verdict::proved);
}

TEST(Decide, conjunctions_are_split_and_one_false_part_refutes) {
  EXPECT_EQ(decide_one({"0 <= n < N"}, "n >= 0 and n < N and (n == 3 implies N > 3)").verdict, Verdict::proved);
  Decision d = decide_one({"0 <= n < N"}, "n >= 0 and n < N - 1");
  EXPECT_EQ(d.verdict, Verdict::refuted);
}

TEST(Decide, counterexamples_are_small) {
  Decision d = decide_one({"0 <= m < M", "0 <= n < N"}, "m*N + n < M*N - 1");
  ASSERT_EQ(d.verdict, Verdict::refuted);
  for (const proof::Binding& b : d.model) EXPECT_LE(std::stoll(b.value), 8) << b.leaf;
  d = decide_one({"0 <= i < N", "N <= 9223372036854775807"}, "i <= 2147483647");
  ASSERT_EQ(d.verdict, Verdict::refuted);
  for (const proof::Binding& b : d.model) EXPECT_GE(std::stoll(b.value), 2147483648) << b.leaf;
}

TEST(Decide, formulas_equal_up_to_names_are_decided_once) {
  proof::Ledger ledger;
  for (int i = 0; i < 5; ++i) test::add(ledger, std::to_string(i), {"0 <= n < N", "0 <= m < M"}, "m*N + n + 1 <= M*N");
  test::add(ledger, "other", {"0 <= n < N", "0 <= m < M"}, "m*N + n + 2 <= M*N");
  std::size_t distinct = 0;
  smt::DecideOptions options;
  options.progress = [&](std::size_t, std::size_t total) { distinct = total; };
  auto decisions = smt::decide(ledger, options);
  EXPECT_EQ(distinct, 2u);
  EXPECT_EQ(decisions[4].verdict, Verdict::proved);
  EXPECT_EQ(decisions[5].verdict, Verdict::refuted);
  // Each names its own leaves.
  EXPECT_EQ(decisions[5].model.at(0).leaf.substr(0, 2), "m$");
}

TEST(Decide, results_do_not_depend_on_the_number_of_threads) {
  proof::Ledger ledger;
  int n = 0;
  for (const test::Family& f : test::families()) {
    if (++n % 3 != 0) continue;
    test::add(ledger, f.name, f.hypotheses, f.goal);
    test::add(ledger, f.name, f.wrong_hypotheses.empty() ? f.hypotheses : f.wrong_hypotheses,
              f.wrong_goal.empty() ? f.goal : f.wrong_goal);
  }
  auto one = smt::decide(ledger, {.jobs = 1}), two = smt::decide(ledger, {.jobs = 2}), again = smt::decide(ledger, {.jobs = 3});
  for (std::size_t i = 0; i < one.size(); ++i)
    for (const auto* other : {&two[i], &again[i]}) {
      EXPECT_EQ(one[i].verdict, other->verdict);
      EXPECT_EQ(one[i].tier, other->tier);
      EXPECT_EQ(one[i].resource, other->resource) << ledger.obligations[i].key;
      EXPECT_EQ(one[i].model.size(), other->model.size());
      for (std::size_t k = 0; k < one[i].model.size(); ++k) EXPECT_EQ(one[i].model[k].value, other->model[k].value);
    }
}

// Products of bounds reach the end of 128 bits, where the least number has no negation: here a * b from -2^127 on.
// shows: D4
TEST(Decide, bounds_at_the_end_of_128_bits_prove_nothing) {
  const std::vector<std::string> far = {"a >= 0 - 9223372036854775807 - 1", "a <= 0",
                                        "b + 9223372036854775807 + 9223372036854775807 + 2 >= 0"};
  std::vector<std::string> low = far;
  low.emplace_back("y <= 5");
  EXPECT_NE(decide_one(low, "max(a*b, y) <= 5").verdict, Verdict::proved);  // a = -1, b = -100
  low.emplace_back("b <= 0");
  EXPECT_EQ(decide_one(low, "a*b >= 0").verdict, Verdict::proved);
}

// The range of a divisor that is positive, in a case where its factors say that it is not.
TEST(Decide, a_case_that_contradicts_a_divisor_is_looked_at) {
  EXPECT_EQ(decide_one({"0 - 3 <= a <= 3", "0 - 3 <= b <= 3", "a*b >= 1", "0 <= n", "n floordiv (a*b) <= m"},
                       "ite(0 <= b, ite(a <= 0, n floordiv (a*b), 3), 4) <= m")
                .verdict,
            Verdict::refuted);
}

TEST(Enumerate, what_is_shared_is_evaluated_once) {
  proof::Ledger ledger;
  test::add(ledger, "one", {"0 <= a < 16", "0 <= b < 16"}, "a >= 0");
  smt::Problem p = smt::make_problem(ledger.obligations[0]);
  const Expr a = p.leaves[0], b = p.leaves[1], three = p.pool->constant(3), two = p.pool->constant(2);
  Expr e = a;
  for (int i = 0; i < 60; ++i) e = ite(equal(mod(e, three), p.pool->constant(1)), floordiv(e, two), e + b);
  p.goal = less_equal(p.pool->constant(0), e);
  Facts hypotheses(*p.pool);
  for (Expr h : p.hypotheses) hypotheses.assume(h);
  EXPECT_TRUE(smt::enumerate(p, hypotheses, 1 << 20)->valid);
}

TEST(Enumerate, decides_finite_domains_and_declines_others) {
  proof::Ledger ledger;
  test::add(ledger, "true", {"0 <= a < 16", "0 <= b < 16"}, "(a*16 + b) floordiv 16 == a");
  test::add(ledger, "false", {"0 <= a < 16", "0 <= b <= 16"}, "(a*16 + b) floordiv 16 == a");
  test::add(ledger, "infinite", {"0 <= a"}, "a >= 0");
  test::add(ledger, "undefined", {"0 <= a < 4"}, "5 floordiv a >= 0");
  test::add(ledger, "empty", {"4 <= a < 4"}, "false");
  auto at = [&](std::size_t i, std::uint64_t limit = 1 << 20) {
    const smt::Problem p = smt::make_problem(ledger.obligations[i]);
    Facts hypotheses(*p.pool);
    for (Expr h : p.hypotheses) hypotheses.assume(h);
    return smt::enumerate(p, hypotheses, limit);
  };
  EXPECT_TRUE(at(0)->valid);
  ASSERT_FALSE(at(1)->valid);
  EXPECT_EQ(at(1)->counterexample.size(), 2u);
  EXPECT_FALSE(at(2).has_value());
  EXPECT_FALSE(at(3).has_value());
  EXPECT_TRUE(at(4)->valid);
  EXPECT_FALSE(at(0, 255).has_value());
}

TEST(DumpSmtlib, is_the_formula_before_simplification) {
  proof::Ledger ledger;
  test::add(ledger, "some/key", {"0 <= n < N"}, "n + 0 < N");
  std::string text = smt::dump_smtlib(ledger.obligations[0]);
  EXPECT_NE(text.find("(+ "), std::string::npos) << text;
  EXPECT_NE(text.find("some/key"), std::string::npos) << text;
}

}  // namespace
}  // namespace kir
