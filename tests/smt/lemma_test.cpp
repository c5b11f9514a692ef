// The lemma library: proven by the tiers, true at every point of a small box, and used where it is wanted.
#include "smt/lemma.h"

#include <gtest/gtest.h>

#include "formula.h"
#include "proof/formula.h"
#include "smt/decide.h"

namespace kir {
namespace {

using proof::Verdict;

// shows: D4
TEST(Lemmas, AreProvenByTheTiersOrOnPaper) {
  for (const smt::Lemma& l : smt::lemmas()) {
    if (!l.proof.empty()) continue;
    proof::Ledger ledger;
    ledger.add(smt::obligation_of(l, *ledger.pool));
    EXPECT_EQ(smt::decide(ledger, {})[0].verdict, Verdict::proved) << l.name;
  }
}

// The box is as wide as some hundred thousand points allow; divisors of zero suppose nothing.
// shows: D4
TEST(Lemmas, HoldAtEveryPointOfASmallBox) {
  for (const smt::Lemma& l : smt::lemmas()) {
    ExprPool pool;
    const proof::Obligation o = smt::obligation_of(l, pool);
    const std::vector<Expr> leaves = proof::formula_leaves(o);
    Integer lo = -3, hi = 9;
    auto points = [&] {
      double n = 1;
      for (std::size_t i = 0; i < leaves.size(); ++i) n *= static_cast<double>(hi - lo + 1);
      return n;
    };
    while (points() > 400'000) (hi + lo > 1 ? hi-- : lo++);
    ASSERT_GE(hi, 2) << l.name;
    std::vector<Integer> at(leaves.size(), lo);
    auto value = [&](Expr leaf) -> std::optional<Integer> {
      for (std::size_t i = 0; i < leaves.size(); ++i)
        if (leaves[i] == leaf) return at[i];
      return {};
    };
    int supposed = 0;
    for (bool more = true; more;) {
      const EvalResult h = evaluate(o.hypotheses[0], value);
      if (h.ok() && h.value == 1) {
        ++supposed;
        const EvalResult g = evaluate(o.goal, value);
        ASSERT_TRUE(g.ok() && g.value == 1)
            << l.name << " at " << ::testing::PrintToString(std::vector<long long>(at.begin(), at.end()));
      }
      more = false;
      for (std::size_t i = 0; i < at.size() && !more; ++i) {
        more = at[i] < hi;
        at[i] = more ? at[i] + 1 : lo;
      }
    }
    EXPECT_GT(supposed, 50) << l.name;
  }
}

// Two program ids of a grouped order with one tile are one, for groups of any number of rows.
// shows: D4
TEST(Lemmas, AGroupedOrderOwnsItsTiles) {
  const std::vector<std::string> ids = {"G >= 1",
                                        "A >= 0",
                                        "B >= 0",
                                        "0 <= p < A*B",
                                        "0 <= q < A*B",
                                        "s == min(A - p floordiv (G*B)*G, G)",
                                        "t == min(A - q floordiv (G*B)*G, G)",
                                        "p floordiv (G*B)*G + p mod (G*B) mod s == q floordiv (G*B)*G + q mod (G*B) mod t",
                                        "p mod (G*B) floordiv s == q mod (G*B) floordiv t"};
  proof::Ledger ledger;
  test::add(ledger, "unique", ids, "p == q");
  test::add(ledger, "inside", {ids[0], ids[1], ids[2], ids[3], ids[5]}, "p floordiv (G*B)*G + p mod (G*B) mod s < A");
  std::vector<std::string> wrong = ids;
  wrong[7] = "p floordiv (G*B)*(G - 1) + p mod (G*B) mod s == q floordiv (G*B)*(G - 1) + q mod (G*B) mod t";
  test::add(ledger, "rows of two groups meet", wrong, "p == q");
  const auto d = smt::decide(ledger, {.jobs = 2});
  EXPECT_EQ(d[0].verdict, Verdict::proved) << d[0].reason;
  EXPECT_NE(d[0].tier.find("lemma:grouped-order-unique"), std::string::npos) << d[0].tier;
  EXPECT_EQ(d[1].verdict, Verdict::proved) << d[1].reason;
  EXPECT_NE(d[1].tier.find("lemma:grouped-order-range"), std::string::npos) << d[1].tier;
  EXPECT_NE(d[2].verdict, Verdict::proved);
}

}  // namespace
}  // namespace kir
