// One meaning of an integer expression, three opinions: evaluator, simplifier, solver (both division encodings).
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "core/index/simplify.h"
#include "formula.h"
#include "smt/z3_backend.h"

namespace kir {
namespace {

using smt::Answer;
using smt::DivisionEncoding;

smt::Strategy strategy(DivisionEncoding d) { return {"test", d}; }

Expr random_expression(ExprPool& pool, const std::vector<Expr>& leaves, int depth) {
  int choice = *rc::gen::inRange(0, depth == 0 ? 2 : 13);
  auto sub = [&] { return random_expression(pool, leaves, depth - 1); };
  auto condition = [&] {
    Expr a = sub(), b = sub();
    switch (*rc::gen::inRange(0, 6)) {
      case 0: return less(a, b);
      case 1: return less_equal(a, b);
      case 2: return equal(a, b);
      case 3: return not_equal(a, b);
      case 4: return negation(greater(a, b));
      default: return implies(greater_equal(a, b), less(b, sub()));
    }
  };
  switch (choice) {
    case 0: return pool.constant(*rc::gen::inRange(-5, 9));
    case 1: return leaves[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(leaves.size())))];
    case 2: return sub() + sub();
    case 3: return sub() - sub();
    case 4: return sub() * sub();
    case 5: return -sub();
    case 6:
    case 7: return floordiv(sub(), sub());
    case 8: return mod(sub(), sub());
    case 9: return ceildiv(sub(), sub());
    case 10: return min(sub(), sub());
    case 11: return max(sub(), sub());
    default: return ite(condition(), sub(), sub());
  }
}

RC_GTEST_PROP(Encoder, evaluator_simplifier_and_solver_agree, ()) {
  ExprPool pool;
  std::vector<Expr> leaves = {pool.symbol("N"), pool.value(ValueId(7)), pool.fresh("x")};
  std::map<Expr, Integer> point;
  std::vector<Expr> fixed;
  for (Expr l : leaves) {
    int v = *rc::gen::inRange(-9, 10);
    point[l] = v;
    fixed.push_back(equal(l, pool.constant(v)));
  }
  Expr e = random_expression(pool, leaves, 4);
  EvalResult r = evaluate(e, [&](Expr l) -> std::optional<Integer> { return point.at(l); });
  RC_PRE(r.ok() && r.value < (Integer{1} << 60) && r.value > -(Integer{1} << 60));
  Expr value = pool.constant(static_cast<std::int64_t>(r.value));

  Facts facts(pool);
  for (Expr f : fixed) facts.assume(f);
  RC_ASSERT(facts.simplify(e) == value);
  RC_ASSERT(facts.decide(equal(e, value)) == std::optional(true));
  RC_ASSERT(facts.decide(less(e, value)) == std::optional(false));

  for (DivisionEncoding d : {DivisionEncoding::native, DivisionEncoding::witness}) {
    std::vector<Expr> query = fixed;
    query.push_back(not_equal(e, value));
    RC_ASSERT(smt::ask(query, strategy(d), 10'000'000).answer == Answer::unsatisfiable);
    query.back() = equal(e, value);
    RC_ASSERT(smt::ask(query, strategy(d), 10'000'000).answer == Answer::satisfiable);
  }
}

// Known answers of Python's // and % (floor, sign of the divisor), and ceil as -(-a // b).
TEST(Encoder, divisions_of_all_signs) {
  struct Row {
    int a, b, quotient, remainder, ceiling;
  };
  for (Row row : {Row{7, 2, 3, 1, 4}, Row{-7, 2, -4, 1, -3}, Row{7, -2, -4, -1, -3}, Row{-7, -2, 3, -1, 4}, Row{6, 3, 2, 0, 2},
                  Row{-6, 3, -2, 0, -2}, Row{6, -3, -2, 0, -2}, Row{0, 5, 0, 0, 0}, Row{0, -5, 0, 0, 0}, Row{1, 5, 0, 1, 1},
                  Row{-1, 5, -1, 4, 0}, Row{1, -5, -1, -4, 0}}) {
    ExprPool pool;
    Expr a = pool.symbol("A"), b = pool.symbol("B");
    auto c = [&](int v) { return pool.constant(v); };
    Expr right = both(equal(floordiv(a, b), c(row.quotient)),
                      both(equal(mod(a, b), c(row.remainder)), equal(ceildiv(a, b), c(row.ceiling))));
    for (DivisionEncoding d : {DivisionEncoding::native, DivisionEncoding::witness}) {
      std::vector<Expr> query = {equal(a, c(row.a)), equal(b, c(row.b)), negation(right)};
      EXPECT_EQ(smt::ask(query, strategy(d), 10'000'000).answer, Answer::unsatisfiable) << row.a << " by " << row.b;
    }
  }
}

// shows: D4
TEST(Encoder, a_zero_divisor_leaves_the_value_free) {
  ExprPool pool;
  test::Formulas f(pool);
  for (DivisionEncoding d : {DivisionEncoding::native, DivisionEncoding::witness})
    for (const char* claim : {"5 floordiv D == 0", "5 mod D == 5", "ceildiv(5, D) == 0", "5 floordiv D != 0",
                              "5 floordiv 0 == 0", "5 mod 0 == 0"}) {
      std::vector<Expr> query = {f("D == 0"), negation(f(claim))};
      EXPECT_EQ(smt::ask(query, strategy(d), 10'000'000).answer, Answer::satisfiable) << claim;
    }
}

TEST(Encoder, leaves_of_different_kinds_with_like_names_stay_apart) {
  ExprPool pool;
  Expr a = pool.symbol("v1"), b = pool.value(ValueId(1)), c = pool.fresh("v1"), d = pool.fresh("v1"), p = pool.position(1);
  std::vector<Expr> all = {a, b, c, d, p}, query;
  for (std::size_t i = 0; i < all.size(); ++i) query.push_back(equal(all[i], pool.constant(static_cast<int>(i))));
  smt::Reply r = smt::ask(query, strategy(DivisionEncoding::native), 1'000'000);
  ASSERT_EQ(r.answer, Answer::satisfiable);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(r.model[i].value, std::to_string(i));
}

TEST(Encoder, an_exhausted_resource_limit_is_an_unknown_without_a_runaway) {
  ExprPool pool;
  test::Formulas f(pool);
  std::vector<Expr> query = {f("a*a*a + b*b*b + c*c*c == 114")};  // no solution is known
  smt::Reply r = smt::ask(query, strategy(DivisionEncoding::native), 200'000);
  EXPECT_EQ(r.answer, Answer::unknown);
  EXPECT_FALSE(r.runaway) << r.reason;
  EXPECT_FALSE(r.reason.empty());
}

TEST(Encoder, smtlib_text_is_complete) {
  ExprPool pool;
  test::Formulas f(pool);
  std::vector<Expr> query = {f("0 <= n < N"), f("b_on implies n floordiv D == -3"), f("min(n, 3) mod 4 == 1")};
  std::string text = smt::smtlib(query, "first\nsecond");
  EXPECT_NE(text.find("; first\n; second\n(set-logic QF_NIA)"), std::string::npos) << text;
  for (const char* part : {"(declare-fun N () Int)", " () Bool)", "(check-sat)", "(assert "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Encoder, version_is_of_the_pinned_line) { EXPECT_EQ(smt::z3_version().substr(0, 2), "5."); }

}  // namespace
}  // namespace kir
