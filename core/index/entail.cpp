// p >= 0 from the facts. Each step replaces the goal by one that implies it:
//   E1  constants and intervals
//   E2  content: g*p + c >= 0 for g > 0 iff p + floor(c/g) >= 0
//   E3  common factor: m*p >= 0 when m >= 0 and p >= 0
//   E4  elimination: with a fact f >= 0 and lambda >= 0, p >= 0 follows from s*p + (s-1) - lambda*f >= 0, s > 0; lambda is
//       taken such that one atom disappears
//   E5  quotient: p >= 0 iff d*p + d - 1 >= 0, d > 0; the product removes p's quotients by d
//   E6  cases: an atom min(a, b), max(a, b), ite(c, a, b) is one of its operands, under its condition
// The search is bounded by a number of steps and goals.
#include <algorithm>
#include <span>

#include "core/index/simplify_engine.h"

namespace kir {
namespace {

struct Effort {
  int depth, nodes;
};
// A short proof is not to be missed behind a long way that leads nowhere.
constexpr Effort kSearches[] = {{5, 800}, {12, 160}};
// While facts are taken in, each is looked at several times: what they imply of each other is seldom deep.
constexpr Effort kTakingIn[] = {{3, 60}};
constexpr int kCases = 2;

Polynomial one() { return Polynomial::constant(1); }

// Atoms are eliminated from the most dependent to the least: composite ones, loop variables, launch symbols.
std::pair<int, std::uint32_t> rank(Expr e) {
  int kind = e.is(ExprKind::symbol) ? 0 : e.kids().empty() ? 1 : 2;
  return {kind, e.serial()};
}

}  // namespace

bool SimplifyEngine::nonneg(const Polynomial& p) {
  if (!p.ok()) return false;
  if (auto c = p.as_constant()) return *c >= 0;
  if (auto it = proven_.find(p.terms()); it != proven_.end()) return it->second;
  Range r = range(p);
  if (r.lo && *r.lo >= 0) return true;
  if (r.hi && *r.hi < 0) return false;
  proven_[p.terms()] = false;  // while it is being looked at
  bool ok = false;
  for (auto [depth, nodes] : taking_in_ ? std::span<const Effort>(kTakingIn) : kSearches) {
    Search search{nodes >> (2 * cases_), {}};
    ok = prove(p, depth, search);
    if (ok) break;
  }
  proven_[p.terms()] = ok;
  return ok;
}

bool SimplifyEngine::prove(const Polynomial& goal, int depth, Search& search) {
  Polynomial p = goal;
  if (!p.ok()) return false;
  if (auto c = p.as_constant()) return *c >= 0;
  if (depth <= 0 || --search.nodes < 0 || !spend(1)) return false;
  if (Integer g = p.content(); g > 1) {  // E2
    Polynomial tight = Polynomial::constant(floor_quotient(p.constant_term(), g));
    for (const auto& [m, c] : p.terms())
      if (!m.empty()) tight = tight + Polynomial::term(m, c / g);
    p = tight;
  }
  Range r = range(p);  // E1
  if (r.lo && *r.lo >= 0) return true;
  if (r.hi && *r.hi < 0) return false;
  if (auto [it, fresh] = search.seen.emplace(p.terms(), false); !fresh) return it->second;
  bool ok = step(p, depth, search);
  search.seen[p.terms()] = ok;
  return ok;
}

bool SimplifyEngine::step(const Polynomial& p, int depth, Search& search) {
  Monomial common = p.terms().begin()->first;  // E3
  for (const auto& [m, c] : p.terms()) {
    Monomial kept;
    std::set_intersection(common.begin(), common.end(), m.begin(), m.end(), std::back_inserter(kept));
    common = kept;
  }
  if (!common.empty()) {
    bool positive = true;
    for (Expr a : common) positive = positive && prove(Polynomial::atom(a), depth - 1, search);
    if (positive && prove(*p.exact_quotient(Polynomial::term(common, 1)), depth - 1, search)) return true;
  }

  std::vector<Expr> atoms = p.atoms();
  std::sort(atoms.begin(), atoms.end(), [](Expr a, Expr b) { return rank(b) < rank(a); });
  for (Expr a : atoms)
    if (eliminate(p, a, depth, search)) return true;
  for (Expr a : atoms) {  // E5
    auto it = divisions_.find(a);
    if (it == divisions_.end()) continue;
    Polynomial d = it->second.divisor;
    Polynomial scaled = reduce(p * d);
    if (scaled.ok() && !scaled.contains(a) && prove(scaled + d - one(), depth - 1, search)) return true;
  }
  for (Expr a : atoms)
    if (a.is(ExprKind::min) || a.is(ExprKind::max) || a.is(ExprKind::ite))
      if (split_cases(p, a, depth, search)) return true;
  return false;
}

std::vector<Polynomial> SimplifyEngine::atom_facts(Expr a) {
  std::vector<Polynomial> out;
  Polynomial t = Polynomial::atom(a);
  if (auto it = remainders_.find(a); it != remainders_.end()) {
    const Division& division = divisions_.at(it->second);
    out.push_back(division.divisor - one() - t);
    out.push_back(t);
  } else if (a.is(ExprKind::min)) {
    out.push_back(flat(a.kid(0)) - t);
    out.push_back(flat(a.kid(1)) - t);
  } else if (a.is(ExprKind::max)) {
    out.push_back(t - flat(a.kid(0)));
    out.push_back(t - flat(a.kid(1)));
  }
  if (auto it = digits_.find(a); it != digits_.end()) out.insert(out.end(), it->second.begin(), it->second.end());
  Range r = atom_range(a);
  if (r.lo) out.push_back(t - Polynomial::constant(*r.lo));
  if (r.hi) out.push_back(Polynomial::constant(*r.hi) - t);
  return out;
}

bool SimplifyEngine::eliminate(const Polynomial& p, Expr a, int depth, Search& search) {
  auto goal = p.linear_in(a);
  if (!goal || goal->first.is_zero()) return false;
  std::vector<Polynomial> facts = atom_facts(a);
  std::copy_if(nonneg_.begin(), nonneg_.end(), std::back_inserter(facts), [&](const Polynomial& f) { return f.contains(a); });
  // Those first that bring in nothing new.
  const std::vector<Expr> here = p.atoms();
  std::stable_partition(facts.begin(), facts.end(), [&](const Polynomial& f) {
    const std::vector<Expr> atoms = f.atoms();
    return std::all_of(atoms.begin(), atoms.end(),
                       [&](Expr x) { return std::find(here.begin(), here.end(), x) != here.end(); });
  });
  for (const Polynomial& f : facts) {
    if (!f.ok() || !f.contains(a)) continue;
    auto fact = f.linear_in(a);
    if (!fact) continue;
    const Polynomial& cf = fact->first;
    Integer scale = 1;
    Polynomial lambda;
    if (auto q = goal->first.exact_quotient(cf)) {
      lambda = *q;
    } else if (auto k = cf.as_constant()) {
      scale = *k < 0 ? -*k : *k;
      lambda = *k < 0 ? -goal->first : goal->first;
    } else {
      continue;
    }
    if (auto c = lambda.as_constant(); c && *c < 0) continue;
    if (search.nodes < 0) return false;
    if (!lambda.as_constant() && !prove(lambda, std::min(depth - 1, 4), search)) continue;
    Polynomial next = p * Polynomial::constant(scale) + Polynomial::constant(scale - 1) - lambda * f;
    if (prove(reduce(next), depth - 1, search)) return true;
  }
  return false;
}

bool SimplifyEngine::split_cases(const Polynomial& p, Expr a, int depth, Search& search) {
  auto goal = p.linear_in(a);
  if (!goal || depth < 3 || cases_ >= kCases) return false;
  bool choice = a.is(ExprKind::ite);
  Polynomial x = flat(a.kid(choice ? 1 : 0)), y = flat(a.kid(choice ? 2 : 1));
  Expr condition = choice ? a.kid(0) : a.is(ExprKind::min) ? less_equal(a.kid(0), a.kid(1)) : less_equal(a.kid(1), a.kid(0));
  for (bool first : {true, false}) {
    Polynomial replaced = goal->first * (first ? x : y) + goal->second;
    SimplifyEngine c = child(first ? condition : negate(condition), 1);
    Search inner{search.nodes / 2, {}};
    if (!c.contradictory() && !c.prove(c.reduce(replaced), depth - 3, inner)) return false;
  }
  return true;
}

}  // namespace kir
