// Hypotheses of the simplifier: how a fact is taken in (S13, S15) and what ranges follow.
#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/index/simplify_engine.h"

namespace kir {
namespace {

constexpr int kMaxPasses = 48;
constexpr int kPropagationRounds = 4;

Polynomial one() { return Polynomial::constant(1); }

bool is_leaf(Expr e) {
  return e.is(ExprKind::symbol) || e.is(ExprKind::value) || e.is(ExprKind::position) || e.is(ExprKind::variable);
}

enum class Taken : std::uint8_t { bounds, relations, equations, connectives };

Taken taken_as(Expr e) {
  if (e.kids().size() != 2 || e.kid(0).sort() != Sort::integer) return e.kids().empty() ? Taken::relations : Taken::connectives;
  if (e.is(ExprKind::eq)) return Taken::equations;
  const Expr a = e.kid(0), b = e.kid(1);
  const bool bound = (is_leaf(a) || is_leaf(b) || a.is(ExprKind::constant)) && a.kids().size() < 2 && b.kids().size() < 2;
  return bound ? Taken::bounds : Taken::relations;
}

}  // namespace

SimplifyEngine SimplifyEngine::child(Expr fact, int cases) const {
  SimplifyEngine c(pool_);
  c.raw_ = raw_;
  c.solved_ = solved_;
  c.nonneg_ = nonneg_;
  c.nonzero_ = nonzero_;
  c.clauses_ = clauses_;
  c.truths_ = truths_;
  c.ranges_ = ranges_;
  c.contradiction_ = contradiction_;
  c.by_contradiction_ = by_contradiction_;
  c.fuel_ = fuel_;
  c.cases_ = cases_ + cases;
  c.depth_ = depth_;
  c.divisions_ = divisions_;
  c.remainders_ = remainders_;
  c.digits_ = digits_;
  spend(8);
  c.raw_.push_back(fact);
  c.taking_in_ = true;
  c.absorb(fact);
  c.close();
  for (int i = 0; i < kMaxPasses && c.restart_ && !c.contradiction_; ++i) c.pass();
  c.taking_in_ = taking_in_;
  c.forget();
  return c;
}

void SimplifyEngine::forget() {
  polys_.clear();
  booleans_.clear();
  atom_ranges_.clear();
  proven_.clear();
}

void SimplifyEngine::assume(Expr fact) {
  append_conjuncts(fact, raw_);
  dirty_ = true;
}

void SimplifyEngine::settle() {
  if (!dirty_) return;
  dirty_ = false;
  taking_in_ = true;
  solved_.clear();
  factors_.clear();
  std::unordered_set<Expr> seen;
  for (Expr e : raw_) note_factors(e, seen);
  for (int i = 0; i < kMaxPasses && !contradiction_; ++i) {
    pass();
    // What was learnt may say something about facts that were taken in before.
    for (Expr fact : std::exchange(learnt_, {})) {
      if (std::find(raw_.begin(), raw_.end(), fact) != raw_.end()) continue;
      raw_.push_back(fact);
      restart_ = true;
    }
    if (!restart_) break;
  }
  taking_in_ = false;
  forget();
}

std::vector<Expr> SimplifyEngine::conjunction() {
  if (contradiction_) return {pool_.boolean(false)};
  std::vector<Expr> out;
  for (const auto& [leaf, value] : solved_) out.push_back(equal(leaf, value));
  std::copy_if(taken_.begin(), taken_.end(), std::back_inserter(out), [](Expr e) { return !e.is_true(); });
  return out;
}

void SimplifyEngine::note_factors(Expr e, std::unordered_set<Expr>& seen) {
  if (!seen.insert(e).second) return;
  if (e.is(ExprKind::mul))
    for (Expr k : e.kids())
      if (is_leaf(k)) factors_.insert(k);
  for (Expr k : e.kids()) note_factors(k, seen);
}

void SimplifyEngine::pass() {
  restart_ = false;
  taken_.clear();
  nonneg_.clear();
  nonzero_.clear();
  clauses_.clear();
  truths_.clear();
  ranges_.clear();
  forget();
  // Constant bounds first: they are what the others are simplified with. Connectives last: each is a search of its own.
  for (Taken group : {Taken::bounds, Taken::relations, Taken::equations, Taken::connectives}) {
    for (Expr e : raw_) {
      if (contradiction_ || restart_ || taken_as(e) != group) continue;
      if (group == Taken::equations) {
        const Polynomial p = reduce(poly(e.kid(0)) - poly(e.kid(1)));
        taken_.push_back(p.is_zero() ? pool_.boolean(true) : p.ok() ? render_relation(ExprKind::eq, p, e) : e);
        absorb_equation(p);
      } else {
        const Expr fact = boolean(e);
        taken_.push_back(fact);
        absorb(fact);
        if (group == Taken::connectives && fact.is(ExprKind::logical_and)) append_conjuncts(fact, learnt_);
        if (group == Taken::connectives && taken_as(fact) != Taken::connectives) learnt_.push_back(fact);
      }
      forget();
    }
    close();
  }
  if (!contradiction_ && !restart_) positive_factors();
}

void SimplifyEngine::absorb(Expr e) {
  if (contradiction_) return;
  auto difference = [&](int a, int b) {
    return reduce(poly(e.kid(static_cast<std::size_t>(a))) - poly(e.kid(static_cast<std::size_t>(b))));
  };
  switch (e.kind()) {
    case ExprKind::boolean:
      if (e.is_false()) contradiction_ = true;
      return;
    case ExprKind::logical_and:
      absorb(e.kid(0));
      absorb(e.kid(1));
      return;
    case ExprKind::logical_not: truths_[e.kid(0)] = false; return;
    case ExprKind::logical_or:
    case ExprKind::implies:
      clauses_.push_back(e);
      truths_[e] = true;
      return;
    case ExprKind::eq:
      if (e.kid(0).sort() == Sort::integer) return absorb_equation(difference(0, 1));
      truths_[e] = true;
      truths_[negate(e)] = false;
      return;
    case ExprKind::ne:
      truths_[e] = true;
      truths_[negate(e)] = false;
      if (e.kid(0).sort() == Sort::integer)
        if (Polynomial p = difference(0, 1); p.ok()) nonzero_.push_back(p);
      return;
    case ExprKind::lt: return add_nonneg(difference(1, 0) - one());
    case ExprKind::le: return add_nonneg(difference(1, 0));
    case ExprKind::gt: return add_nonneg(difference(0, 1) - one());
    case ExprKind::ge: return add_nonneg(difference(0, 1));
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable:
    case ExprKind::ite: truths_[e] = true; return;
    case ExprKind::constant:
    case ExprKind::add:
    case ExprKind::sub:
    case ExprKind::mul:
    case ExprKind::neg:
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max: KIR_UNREACHABLE("an integer fact");
  }
}

void SimplifyEngine::absorb_equation(const Polynomial& p) {
  if (contradiction_ || !p.ok()) return;
  if (auto c = p.as_constant()) {
    contradiction_ = contradiction_ || *c != 0;
    return;
  }
  if (Integer g = p.content(); g > 1) {
    if (p.constant_term() % g != 0) {
      contradiction_ = true;
      return;
    }
    return absorb_equation(*p.exact_quotient(Polynomial::constant(g)));
  }
  if (auto digits = unique_digits(p)) {
    lemma_ = true;
    absorb_equation(digits->first);
    if (restart_) return;  // the rest comes with the next pass
    return absorb_equation(digits->second);
  }
  if (solve(p)) return;
  add_nonneg(p);
  add_nonneg(-p);
}

// S15. The leaf must not occur anywhere else in the equation.
bool SimplifyEngine::solve(const Polynomial& p) {
  Expr best;
  Integer sign = 0;
  for (const auto& [m, c] : p.terms()) {
    if (m.size() != 1 || !is_leaf(m[0]) || (c != 1 && c != -1) || solved_.contains(m[0])) continue;
    int occurrences = 0;
    for (const auto& [m2, c2] : p.terms())
      for (Expr a : m2)
        if (a == m[0] || (!is_leaf(a) && mentions(a, [&](Expr l) { return l == m[0]; }))) ++occurrences;
    if (occurrences != 1) continue;
    // Not for a factor of a product, where there is a choice: products are radices.
    auto rank = [&](Expr e) { return std::tuple(!e.is(ExprKind::symbol), !factors_.contains(e), e.serial()); };
    if (!present(best) || rank(best) < rank(m[0])) {
      best = m[0];
      sign = c;
    }
  }
  if (!present(best)) return false;
  Polynomial rest = p - Polynomial::term({best}, sign);
  Expr e = render(sign == 1 ? -rest : rest);
  if (!present(e)) return false;
  solved_.emplace(best, e);
  restart_ = true;
  return true;
}

void SimplifyEngine::add_nonneg(Polynomial p) {
  if (contradiction_ || !p.ok()) return;
  if (Integer g = p.content(); g > 1) {
    Polynomial tight = Polynomial::constant(floor_quotient(p.constant_term(), g));
    for (const auto& [m, c] : p.terms())
      if (!m.empty()) tight = tight + Polynomial::term(m, c / g);
    p = tight;
  }
  if (auto c = p.as_constant()) {
    contradiction_ = contradiction_ || *c < 0;
    return;
  }
  // Of facts that differ in the constant alone the strongest says it all.
  const auto sibling =
      std::find_if(nonneg_.begin(), nonneg_.end(), [&](const Polynomial& f) { return f.differs_in_constant(p); });
  if (sibling != nonneg_.end() && sibling->constant_term() <= p.constant_term()) return;
  if (nonneg(-p - one())) {
    contradiction_ = true;
    return;
  }
  if (sibling != nonneg_.end())
    *sibling = p;
  else
    nonneg_.push_back(p);
  // d*p says about the dividend what p says about its quotient.
  for (Expr a : p.atoms()) {
    auto it = divisions_.find(a);
    if (it == divisions_.end()) continue;
    Polynomial scaled = reduce(p * it->second.divisor);
    if (scaled.ok() && !scaled.contains(a) && std::find(nonneg_.begin(), nonneg_.end(), scaled) == nonneg_.end())
      nonneg_.push_back(scaled);
  }
  proven_.clear();
}

void SimplifyEngine::close() {
  if (contradiction_ || restart_) return;
  propagate();
  std::vector<Polynomial> zeros = nonzero_;
  for (const Polynomial& z : zeros) {
    if (nonneg(z))
      add_nonneg(z - one());
    else if (nonneg(-z))
      add_nonneg(-z - one());
  }
  propagate();
  for (const auto& [a, r] : ranges_)
    if (is_leaf(a) && r.lo && r.hi && *r.lo == *r.hi && !solved_.contains(a)) {
      Expr value = render(Polynomial::constant(*r.lo));
      if (!present(value)) continue;
      solved_.emplace(a, value);
      restart_ = true;
    }
}

// S16. What lies below a product makes it positive: 0 <= x < m * n with m, n >= 0.
void SimplifyEngine::positive_factors() {
  auto at_least = [&](Expr a, int least) {
    const Range r = range(Polynomial::term({a}, 1));
    return r.lo && *r.lo >= least;
  };
  std::vector<Expr> positive;
  for (const Polynomial& f : nonneg_)
    for (const auto& [m, c] : f.terms()) {
      if (m.size() < 2 || c < 0 || std::all_of(m.begin(), m.end(), [&](Expr a) { return at_least(a, 1); })) continue;
      if (!std::all_of(m.begin(), m.end(), [&](Expr a) { return at_least(a, 0); })) continue;
      const Polynomial below = Polynomial::term(m, c) - f;  // at most c * m
      const Range r = range(below);
      if ((r.lo && *r.lo >= 1) || nonneg(below - one())) positive.insert(positive.end(), m.begin(), m.end());
    }
  for (Expr a : positive) {
    add_nonneg(Polynomial::term({a}, 1) - one());
    if (is_leaf(a) && !solved_.contains(a)) learnt_.push_back(less_equal(pool_.constant(1), a));
  }
  if (!positive.empty()) propagate();
}

void SimplifyEngine::propagate() {
  for (int round = 0; round < kPropagationRounds; ++round) {
    bool changed = false;
    for (const Polynomial& f : nonneg_)
      for (const auto& [m, c] : f.terms()) {
        if (m.size() != 1) continue;
        Range rest = range(f - Polynomial::term(m, c));
        if (!rest.hi) continue;  // c*x + rest >= 0
        Range& r = ranges_[m[0]];
        Range next = c > 0 ? intersect(r, Range{-floor_quotient(*rest.hi, c), {}})
                           : intersect(r, Range{{}, floor_quotient(*rest.hi, -c)});
        if (next == r) continue;
        r = next;
        changed = true;
        atom_ranges_.clear();
        if (r.lo && r.hi && *r.lo > *r.hi) {
          contradiction_ = true;
          return;
        }
      }
    if (!changed) break;
  }
  proven_.clear();
}

}  // namespace kir
