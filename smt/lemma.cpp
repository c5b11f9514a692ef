#include "smt/lemma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/check.h"
#include "core/index/parse_expr.h"

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
  const std::vector<GroupedOrder> orders = grouped_orders(subterms(problem), facts);
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
