#include "smt/f2_terms.h"

#include <gtest/gtest.h>

#include "proof/layout_claims.h"
#include "smt/decide.h"
#include "smt/lemma.h"

namespace kir {
namespace {

using proof::Verdict;

Integer value_at(Expr e, Expr base, std::int64_t x) {
  const EvalResult r =
      evaluate(e, [&](Expr leaf) -> std::optional<Integer> { return leaf == base ? std::optional<Integer>(x) : std::nullopt; });
  EXPECT_TRUE(r.ok());
  return r.value;
}

// Bit `row` of x, as an expression.
Expr bit(Expr x, int row) { return mod(floordiv(x, x.pool().constant(1 << row)), x.pool().constant(2)); }

// Every map of three bits to three, written in integers: the term is read as this map, and two of its values are equal for
// equal arguments only (with the lemma) exactly when its rank is full. shows: D4
TEST(F2Terms, EveryMapOfThreeBits) {
  int injective = 0;
  for (int bits = 0; bits < 512; ++bits) {
    proof::Ledger ledger;
    ExprPool& pool = *ledger.pool;
    const auto term = [&](Expr x) {
      Expr out = pool.constant(0);
      for (int row = 0; row < 3; ++row) {
        Expr sum = pool.constant(0);
        for (int column = 0; column < 3; ++column)
          if (bits >> (3 * row + column) & 1) sum = sum + bit(x, column);
        out = out + mod(sum, pool.constant(2)) * pool.constant(1 << row);
      }
      return out;
    };
    const Expr x = pool.fresh("x"), y = pool.fresh("y");
    const std::optional<smt::BitTerm> read = smt::bit_term(term(x), x, 3);
    ASSERT_TRUE(read) << bits;
    for (std::int64_t v = 0; v < 8; ++v)
      EXPECT_EQ(value_at(term(x), x, v), static_cast<Integer>(read->map()(static_cast<std::uint64_t>(v)))) << bits;
    injective += read->map().injective();
    if (bits % 7 != 0) continue;  // the solver is asked for some
    proof::Obligation o;
    o.key = "unique";
    for (Expr v : {x, y}) {
      o.hypotheses.push_back(less_equal(pool.constant(0), v));
      o.hypotheses.push_back(less(v, pool.constant(8)));
    }
    o.hypotheses.push_back(equal(term(x), term(y)));
    o.goal = equal(x, y);
    ledger.add(o);
    EXPECT_EQ(smt::decide(ledger, {})[0].verdict, read->map().injective() ? Verdict::proved : Verdict::refuted) << bits;
  }
  EXPECT_EQ(injective, 168) << "the invertible 3x3 matrices over GF(2)";
}

// shows: L2.1
TEST(F2Terms, ReadASwizzleAsItsMap) {
  ExprPool pool;
  const Expr x = pool.fresh("x");
  for (const auto& [m, b, s, inner] :
       std::vector<std::tuple<int, int, int, bool>>{{3, 3, 3, true}, {0, 1, 2, false}, {2, 2, 4, true}, {0, 0, 0, true}}) {
    const layout::Swizzle swizzle = *layout::Swizzle::make(m, b, s, inner);
    const Expr t = proof::swizzled(swizzle, x);
    const std::optional<smt::BitTerm> read = smt::bit_term(t, x, 62);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->map().rank(), 62);
    for (std::int64_t v :
         {std::int64_t{0}, std::int64_t{77}, std::int64_t{511}, std::int64_t{12345}, (std::int64_t{1} << 61) + 4711}) {
      EXPECT_EQ(value_at(t, x, v), swizzle(v));
      EXPECT_EQ(static_cast<std::int64_t>(read->map()(static_cast<std::uint64_t>(v))), swizzle(v));
    }
  }
}

// What carries, or is no bit operation, is not read.
TEST(F2Terms, AnythingElseIsNone) {
  ExprPool pool;
  const Expr x = pool.fresh("x"), y = pool.fresh("y"), two = pool.constant(2), three = pool.constant(3);
  EXPECT_FALSE(smt::bit_term(x + x, x, 8));
  EXPECT_FALSE(smt::bit_term(x + floordiv(x, two), x, 8));
  EXPECT_FALSE(smt::bit_term(mod(x + x * two, pool.constant(4)), x, 8)) << "a carry into the second bit";
  EXPECT_TRUE(smt::bit_term(mod(x + x * two, two), x, 8)) << "the lowest bit alone has none";
  EXPECT_FALSE(smt::bit_term(x + pool.constant(1), x, 8));
  EXPECT_FALSE(smt::bit_term(x * three, x, 8));
  EXPECT_FALSE(smt::bit_term(mod(x, three), x, 8));
  EXPECT_FALSE(smt::bit_term(x + y, x, 8));
  EXPECT_FALSE(smt::bit_term(x * pool.constant(std::int64_t{1} << 60), x, 8)) << "beyond 62 bits";
}

// An instance needs the range of the argument: without it an address is no vector of bits.
// shows: D4
TEST(F2Terms, TheLemmaNeedsARangeAndFullRank) {
  const auto tier = [](bool range, bool rank) {
    proof::Ledger ledger;
    ExprPool& pool = *ledger.pool;
    const Expr n = pool.symbol("N");
    proof::Obligation o;
    o.key = "unique";
    std::vector<Expr> values, terms;
    for (const char* name : {"x", "y"}) {
      const Expr x = pool.fresh(name), two = pool.constant(2);
      if (range) o.hypotheses.push_back(less_equal(pool.constant(0), x));
      o.hypotheses.push_back(less(x, pool.constant(1 << 30)));
      terms.push_back(floordiv(x, two) * two + mod(bit(x, 0) + bit(x, rank ? 5 : 0), two));
      values.push_back(x);
    }
    o.hypotheses.push_back(equal(terms[0] * n, terms[1] * n));
    o.hypotheses.push_back(greater(n, pool.constant(0)));
    o.goal = equal(values[0], values[1]);
    ledger.add(o);
    const proof::Decision d = smt::decide(ledger, {})[0];
    return std::pair(d.verdict, d.tier);
  };
  EXPECT_EQ(tier(true, true).first, Verdict::proved);
  EXPECT_NE(tier(true, true).second.find("lemma:f2-rank"), std::string::npos) << tier(true, true).second;
  EXPECT_EQ(tier(false, true).second.find("lemma"), std::string::npos);
  EXPECT_EQ(tier(true, false).first, Verdict::refuted) << "bit 0 plus itself is 0";
}

}  // namespace
}  // namespace kir
