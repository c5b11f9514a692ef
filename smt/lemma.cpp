#include "smt/lemma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/check.h"
#include "core/index/parse_expr.h"
#include "smt/f2_terms.h"

namespace kir::smt {
namespace {

constexpr std::array kLemmas = {
    Lemma{"mixed-radix-range", "0 <= a and a < A and 0 <= b and b < B", "0 <= a * B + b and a * B + b < A * B",
          "simplifier: E3, E4 (core/index/entail.cpp)", ""},
    Lemma{"mixed-radix-decode", "0 <= b and b < B", "(a * B + b) floordiv B == a and (a * B + b) mod B == b",
          "simplifier: S3, S4", ""},
    Lemma{"mixed-radix-unique", "0 <= b and b < B and 0 <= d and d < B and a * B + b == c * B + d", "a == c and b == d",
          "simplifier: S13", ""},
    Lemma{"tile-split", "T >= 1", "x == T * (x floordiv T) + x mod T and 0 <= x mod T and x mod T < T", "simplifier: S8, S9",
          ""},
    Lemma{"tile-cover", "T >= 1 and 0 <= x and x < N", "0 <= x floordiv T and x floordiv T < ceildiv(N, T)",
          "simplifier: S8, E5", ""},
    Lemma{"nested-split", "S >= 1 and T >= 1", "(x floordiv S) floordiv T == x floordiv (S * T)", "simplifier: S6", ""},
    Lemma{"common-factor", "G >= 1 and E >= 1 and 0 <= y and y < G", "(G * x + y) floordiv (G * E) == x floordiv E",
          "simplifier: S5", ""},
    Lemma{"persistent-unique", "0 <= p and p < P and 0 <= q and q < P and p + t * P == q + u * P", "p == q and t == u",
          "simplifier: S13; ids p, p + P, p + 2 * P, ... of a persistent loop over P programs", ""},
    Lemma{"persistent-cover", "P >= 1 and 0 <= i and i < L",
          "0 <= i mod P and i mod P < P and i floordiv P < ceildiv(L - i mod P, P) and i == i mod P + i floordiv P * P",
          "simplifier: S8, S9, E5; the same loop", ""},
    Lemma{"ragged-disjoint", "a <= i and i < b and c <= j and j < d and b <= c", "i != j",
          "segments [a, b) and [c, d) of ascending offsets (proof/data.cpp)", ""},
    Lemma{"ragged-inside", "0 <= a and a <= b and b <= T and 0 <= i and i < b - a", "0 <= a + i and a + i < T",
          "member i of the segment [a, b) (proof/data.cpp)", ""},
    Lemma{
        "grouped-order-range", "G >= 1 and A >= 0 and B >= 0 and 0 <= p and p < A * B",
        "min(A - G * (p floordiv (G * B)), G) >= 1 and "
        "p mod (G * B) floordiv min(A - G * (p floordiv (G * B)), G) >= 0 and "
        "p mod (G * B) floordiv min(A - G * (p floordiv (G * B)), G) < B and "
        "G * (p floordiv (G * B)) + p mod (G * B) mod min(A - G * (p floordiv (G * B)), G) >= 0 and "
        "G * (p floordiv (G * B)) + p mod (G * B) mod min(A - G * (p floordiv (G * B)), G) < A",
        "instance for each such minimum (lemma_instances)",
        "Let g = p floordiv (G*B), r = p mod (G*B), s = min(A - G*g, G). From g*G*B <= p < A*B follows G*g < A, so s >= 1. If "
        "s "
        "= G, r < G*B = s*B. Else s = A - G*g and r = p - g*G*B < A*B - g*G*B = s*B. So r floordiv s < B, and G*g + r mod s < "
        "G*g + s <= A."},
    Lemma{"grouped-order-unique",
          "G >= 1 and A >= 0 and B >= 0 and 0 <= p and p < A * B and 0 <= q and q < A * B and "
          "p mod (G * B) floordiv min(A - G * (p floordiv (G * B)), G) == "
          "q mod (G * B) floordiv min(A - G * (q floordiv (G * B)), G) and "
          "G * (p floordiv (G * B)) + p mod (G * B) mod min(A - G * (p floordiv (G * B)), G) == "
          "G * (q floordiv (G * B)) + q mod (G * B) mod min(A - G * (q floordiv (G * B)), G)",
          "p == q", "instance for each two such minima (lemma_instances)",
          "With g, r, s of p as above, r mod s < s <= G: the row G*g + r mod s determines g, so s, and then r mod s; the "
          "column is "
          "r floordiv s. So row and column determine r, and p = g*G*B + r."},
    Lemma{"f2-rank",
          "0 <= a and a <= 1 and 0 <= b and b <= 1 and 0 <= c and c <= 1 and 0 <= d and d <= 1 and (a * d + b * c) mod 2 == 1 "
          "and 0 <= x and x <= 1 and 0 <= y and y <= 1 and 0 <= u and u <= 1 and 0 <= v and v <= 1",
          "(a * x + b * y) mod 2 == (a * u + b * v) mod 2 and (c * x + d * y) mod 2 == (c * u + d * v) mod 2 implies "
          "x == u and y == v",
          "instance for each two terms that are one linear map of full rank over the bits of their arguments, as XOR swizzles "
          "are, "
          "and for the bits that such a map keeps (smt/f2_terms.h)",
          "For n bits: let t(e) have as bit i the sum modulo 2 of the bits of e in row i, for e in [0, 2^n). Sums modulo 2 are "
          "linear: "
          "the bits of t(e) and t(f) differ by A times those by which e and f differ. With rank n (Gaussian elimination: n "
          "columns in "
          "echelon form, none of them 0) A times a vector is 0 for the vector 0 alone. So t(e) = t(f) implies e = f. Where row "
          "i is "
          "bit i of e alone for all i >= j, t(e) floordiv 2^j = e floordiv 2^j. The row of the table is n = 2."},
};

std::vector<Expr> subterms(const Problem& problem) {
  std::vector<Expr> out;
  std::unordered_set<Expr> seen;
  auto visit = [&](auto& self, Expr e) -> void {
    if (!seen.insert(e).second) return;
    for (Expr k : e.kids()) self(self, k);
    out.push_back(e);
  };
  for (Expr h : problem.hypotheses) visit(visit, h);
  visit(visit, problem.goal);
  return out;
}

bool contains(Expr e, Expr part) {
  const auto kids = e.kids();
  return e == part || std::any_of(kids.begin(), kids.end(), [&](Expr k) { return contains(k, part); });
}

// Program ids p in [0, A * B) in groups of G rows: min(A - G * g, G) with g = p floordiv (G * B).
struct GroupedOrder {
  Expr rows, columns, group, id;  // A, B, G, p
  Expr column, row;               // as the lemma has them
};

std::vector<GroupedOrder> grouped_orders(const std::vector<Expr>& terms, Facts& facts) {
  std::vector<GroupedOrder> out;
  auto holds = [&](Expr e) { return facts.decide(e).value_or(false); };
  for (Expr smaller : terms) {
    if (!smaller.is(ExprKind::min)) continue;
    for (bool first : {true, false}) {
      const Expr left = smaller.kid(first ? 0 : 1), group = smaller.kid(first ? 1 : 0);
      for (Expr g : terms) {
        if (!g.is(ExprKind::floordiv) || !contains(left, g)) continue;
        ExprPool& pool = g.pool();
        const Expr zero = pool.constant(0), one = pool.constant(1), id = g.kid(0), width = g.kid(1);
        if (!holds(less_equal(one, group))) continue;
        const Expr rows = facts.simplify(left + group * g), columns = facts.simplify(floordiv(width, group));
        if (contains(rows, g) || !holds(equal(width, group * columns)) || !holds(less_equal(zero, columns))) continue;
        if (!holds(less_equal(zero, rows)) || !holds(less_equal(zero, id)) || !holds(less(id, rows * columns))) continue;
        const Expr rest = mod(id, width);
        GroupedOrder o{rows, columns, group, id, floordiv(rest, smaller), group * g + mod(rest, smaller)};
        if (std::none_of(out.begin(), out.end(), [&](const GroupedOrder& x) { return x.id == id && x.group == group; }))
          out.push_back(o);
      }
    }
  }
  return out;
}

// Terms of full rank over what they take bits of.
std::vector<BitTerm> full_rank_terms(const std::vector<Expr>& terms, Facts& facts) {
  const auto is_exclusive_or = [](Expr e) {
    return e.is(ExprKind::mod) && e.kid(1).is_constant(2) && e.kid(0).is(ExprKind::add);
  };
  std::vector<BitTerm> out;
  if (std::none_of(terms.begin(), terms.end(), is_exclusive_or)) return out;
  std::vector<Expr> bases;
  for (Expr t : terms)
    if ((t.is(ExprKind::floordiv) || t.is(ExprKind::mod)) && t.kid(1).is(ExprKind::constant) && t.kid(1).number() > 1)
      if (std::find(bases.begin(), bases.end(), t.kid(0)) == bases.end()) bases.push_back(t.kid(0));
  for (Expr base : bases) {
    const auto below = [&](int bits) {
      return facts.decide(less(base, base.pool().constant(std::int64_t{1} << bits))).value_or(false);
    };
    if (!facts.decide(less_equal(base.pool().constant(0), base)).value_or(false) || !below(62)) continue;
    int few = 0, bits = 62;  // not below 2^few, as far as is known, but below 2^bits
    while (bits - few > 1) (below((few + bits) / 2) ? bits : few) = (few + bits) / 2;
    for (Expr t : terms)
      if (t.is(ExprKind::add) && t != base && contains(t, base))
        if (std::optional<BitTerm> b = bit_term(t, base, bits); b && b->map().injective()) out.push_back(*std::move(b));
  }
  return out;
}

// From this bit on the term has the bits of its base.
int kept_from(const BitTerm& t) {
  int j = t.bits;
  if (static_cast<int>(t.rows.size()) != t.bits) return 62;  // of both nothing is left there
  while (j > 0 && t.rows[static_cast<std::size_t>(j - 1)] == std::uint64_t{1} << (j - 1)) --j;
  return j;
}

}  // namespace

std::span<const Lemma> lemmas() { return kLemmas; }

std::string lemmas_markdown() {
  std::string text =
      "# Lemmas\n\n"
      "Made by `kir-validate --list-lemmas` from the table in `smt/lemma.cpp`. All variables are integers. The tests have each "
      "of\n"
      "them proven by the tiers, where no proof on paper stands below, and evaluated at every point of a small box.\n\n"
      "| lemma | supposes | concludes | used |\n|---|---|---|---|\n";
  for (const Lemma& l : kLemmas) text += fmt::format("| {} | `{}` | `{}` | {} |\n", l.name, l.supposes, l.concludes, l.used);
  text += "\n## On paper\n";
  for (const Lemma& l : kLemmas)
    if (!l.proof.empty()) text += fmt::format("\n**{}.** {}\n", l.name, l.proof);
  return text;
}

proof::Obligation obligation_of(const Lemma& lemma, ExprPool& pool) {
  std::string error;
  proof::Obligation o;
  o.key = std::string(lemma.name);
  o.sentence = fmt::format("{} imply {}", lemma.supposes, lemma.concludes);
  const Expr supposes = parse_expr(pool, lemma.supposes, &error), concludes = parse_expr(pool, lemma.concludes, &error);
  KIR_CHECK(supposes && concludes, "lemma {}: {}", lemma.name, error);
  o.hypotheses = {supposes};
  o.goal = concludes;
  return o;
}

std::vector<LemmaInstance> lemma_instances(const Problem& problem, Facts& facts) {
  std::vector<LemmaInstance> out;
  const std::vector<Expr> terms = subterms(problem);
  const std::vector<BitTerm> maps = full_rank_terms(terms, facts);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const BitTerm& t = maps[i];
    const Expr unit = t.base.pool().constant(std::int64_t{1} << kept_from(t));
    out.push_back({"f2-rank", equal(floordiv(t.term, unit), floordiv(t.base, unit))});
    for (std::size_t j = i + 1; j < maps.size(); ++j)
      if (maps[j].rows == t.rows && maps[j].bits == t.bits && maps[j].base != t.base)
        out.push_back({"f2-rank", implies(equal(t.term, maps[j].term), equal(t.base, maps[j].base))});
  }
  const std::vector<GroupedOrder> orders = grouped_orders(terms, facts);
  for (const GroupedOrder& p : orders) {
    ExprPool& pool = p.id.pool();
    const Expr zero = pool.constant(0);
    out.push_back({"grouped-order-range", both(both(less_equal(zero, p.column), less(p.column, p.columns)),
                                               both(less_equal(zero, p.row), less(p.row, p.rows)))});
  }
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (std::size_t j = i + 1; j < orders.size(); ++j) {
      const GroupedOrder &p = orders[i], &q = orders[j];
      if (p.rows != q.rows || p.columns != q.columns || p.group != q.group) continue;
      out.push_back({"grouped-order-unique", implies(both(equal(p.row, q.row), equal(p.column, q.column)), equal(p.id, q.id))});
    }
  return out;
}

}  // namespace kir::smt
