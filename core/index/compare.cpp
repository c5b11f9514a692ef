// Boolean expressions: rules S12 to S14 of simplify.h.
#include <limits>

#include "core/base/check.h"
#include "core/index/simplify_engine.h"

namespace kir {
namespace {
Polynomial one() { return Polynomial::constant(1); }
constexpr int kMaxNesting = 192;
}  // namespace

// `positive terms on one side`, so that equal relations have equal expressions.
Expr SimplifyEngine::render_relation(ExprKind kind, const Polynomial& p, Expr original) {
  Polynomial left, right;
  for (const auto& [m, c] : p.terms()) (c > 0 ? right : left) = (c > 0 ? right : left) + Polynomial::term(m, c > 0 ? c : -c);
  if (kind == ExprKind::ge && left.constant_term() >= 1) {
    left = left - one();
    Expr l = render(left), r = render(right);
    return present(l, r) ? less(l, r) : original;
  }
  Expr l = render(left), r = render(right);
  if (!present(l, r)) return original;
  if (kind == ExprKind::ge) return less_equal(l, r);
  return pool_.make(kind, {r, l});
}

Expr SimplifyEngine::at_least_zero(const Polynomial& q, Expr original) {
  if (!q.ok()) return original;
  Polynomial p = q;
  if (Integer g = p.content(); g > 1) {
    Polynomial tight = Polynomial::constant(floor_quotient(p.constant_term(), g));
    for (const auto& [m, c] : p.terms())
      if (!m.empty()) tight = tight + Polynomial::term(m, c / g);
    p = tight;
  }
  if (nonneg(p)) return pool_.boolean(true);
  if (nonneg(-p - one())) return pool_.boolean(false);
  return render_relation(ExprKind::ge, p, original);
}

// S13: p = d*a + b with -d < b < d, for a divisor d that is a term of p or a factor of one.
std::optional<std::pair<Polynomial, Polynomial>> SimplifyEngine::unique_digits(const Polynomial& p) {
  std::unordered_set<Polynomial::Terms, TermsHash> tried;
  std::vector<Polynomial> candidates;
  for (const auto& [m, c] : p.terms()) {
    if (m.empty()) continue;
    Integer size = c < 0 ? -c : c;
    for (std::size_t i = 0; i < m.size() && m.size() > 1; ++i) {
      Monomial d = m;
      d.erase(i);
      candidates.push_back(Polynomial::term(d, size));
    }
    if (size > 1) candidates.push_back(Polynomial::constant(size));
  }
  for (const Polynomial& d : candidates) {
    if (!tried.insert(d.terms()).second) continue;
    auto [a, b] = p.split(d);
    if (a.is_zero() || a.as_constant()) continue;
    if (nonneg(d - one()) && nonneg(d - one() - b) && nonneg(d - one() + b)) return std::pair(a, b);
  }
  return {};
}

Expr SimplifyEngine::is_zero(const Polynomial& q, Expr original) {
  if (!q.ok()) return original;
  if (auto c = q.as_constant()) return pool_.boolean(*c == 0);
  Polynomial p = q.terms().begin()->second < 0 ? -q : q;
  if (Integer g = p.content(); g > 1) {
    if (p.constant_term() % g != 0) return pool_.boolean(false);
    p = *p.exact_quotient(Polynomial::constant(g));
  }
  bool up = nonneg(p), down = nonneg(-p);
  if (up && down) return pool_.boolean(true);
  if (nonneg(p - one()) || nonneg(-p - one())) return pool_.boolean(false);
  for (const Polynomial& z : nonzero_)
    if (z == p || z == -p) return pool_.boolean(false);
  if (up) return at_least_zero(-p, original);
  if (down) return at_least_zero(p, original);
  if (auto digits = unique_digits(p)) {
    lemma_ = true;
    Expr high = is_zero(digits->first, {});
    Expr low = present(high) && !high.is_false() ? is_zero(digits->second, {}) : high;
    if (!present(high, low)) return original;
    return pool_.all_of(std::vector{high, low});
  }
  if (by_contradiction_ && !taking_in_ && spend(1)) {
    Expr fact = render_relation(ExprKind::eq, p, {});
    if (present(fact)) {
      by_contradiction_ = false;
      SimplifyEngine assumed = child(fact);
      by_contradiction_ = true;
      if (assumed.contradictory()) {
        lemma_ = lemma_ || assumed.lemma_;
        return pool_.boolean(false);
      }
    }
  }
  return render_relation(ExprKind::eq, p, original);
}

Expr SimplifyEngine::negate(Expr e) {
  switch (e.kind()) {
    case ExprKind::boolean: return pool_.boolean(e.number() == 0);
    case ExprKind::logical_not: return e.kid(0);
    case ExprKind::eq: return pool_.make(ExprKind::ne, e.kids());
    case ExprKind::ne: return pool_.make(ExprKind::eq, e.kids());
    case ExprKind::lt: return less_equal(e.kid(1), e.kid(0));
    case ExprKind::le: return less(e.kid(1), e.kid(0));
    case ExprKind::gt: return less_equal(e.kid(0), e.kid(1));
    case ExprKind::ge: return less(e.kid(0), e.kid(1));
    case ExprKind::logical_and: return either(negate(e.kid(0)), negate(e.kid(1)));
    case ExprKind::logical_or: return both(negate(e.kid(0)), negate(e.kid(1)));
    case ExprKind::implies: return both(e.kid(0), negate(e.kid(1)));
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable:
    case ExprKind::ite: return negation(e);
    case ExprKind::constant:
    case ExprKind::add:
    case ExprKind::sub:
    case ExprKind::mul:
    case ExprKind::neg:
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max: KIR_UNREACHABLE("an integer where a boolean is wanted");
  }
  KIR_UNREACHABLE("expression kind");
}

Expr SimplifyEngine::connective(Expr e) {
  Expr a = boolean(e.kid(0));
  auto under = [&](Expr fact, Expr rest) {
    if (fact.is_true()) return boolean(rest);
    if (!spend(1)) return rest;
    SimplifyEngine c = child(fact);
    Expr r = c.contradictory() ? Expr() : c.boolean(rest);
    lemma_ = lemma_ || c.lemma_;
    return r;
  };
  switch (e.kind()) {
    case ExprKind::logical_and: {
      if (a.is_false()) return a;
      Expr b = under(a, e.kid(1));
      if (!present(b)) return pool_.boolean(false);
      return pool_.all_of(std::vector{a, b});
    }
    case ExprKind::logical_or: {
      if (a.is_true()) return a;
      Expr b = under(negate(a), e.kid(1));
      if (!present(b)) return pool_.boolean(true);
      return pool_.any_of(std::vector{a, b});
    }
    case ExprKind::implies: {
      if (a.is_false()) return pool_.boolean(true);
      Expr b = under(a, e.kid(1));
      if (!present(b) || b.is_true()) return pool_.boolean(true);
      if (a.is_true()) return b;
      if (b.is_false()) return negate(a);
      return implies(a, b);
    }
    default: KIR_UNREACHABLE("not a connective");
  }
}

Expr SimplifyEngine::boolean(Expr e) {
  KIR_CHECK(e.sort() == Sort::boolean, "a boolean expression is wanted");
  if (auto it = booleans_.find(e); it != booleans_.end()) return it->second;
  if (depth_ >= kMaxNesting) return e;
  ++depth_;
  Expr out = e;
  auto difference = [&](int minuend, int subtrahend) {
    return reduce(poly(e.kid(static_cast<std::size_t>(minuend))) - poly(e.kid(static_cast<std::size_t>(subtrahend))));
  };
  switch (e.kind()) {
    case ExprKind::boolean: break;
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: break;
    case ExprKind::lt: out = at_least_zero(difference(1, 0) - one(), e); break;
    case ExprKind::le: out = at_least_zero(difference(1, 0), e); break;
    case ExprKind::gt: out = at_least_zero(difference(0, 1) - one(), e); break;
    case ExprKind::ge: out = at_least_zero(difference(0, 1), e); break;
    case ExprKind::eq:
    case ExprKind::ne: {
      bool positive = e.is(ExprKind::eq);
      if (e.kid(0).sort() == Sort::integer) {
        out = is_zero(difference(0, 1), positive ? e : equal(e.kid(0), e.kid(1)));
      } else {
        Expr a = boolean(e.kid(0)), b = boolean(e.kid(1));
        if (a == b)
          out = pool_.boolean(true);
        else if (a == negate(b))
          out = pool_.boolean(false);
        else if (a.is(ExprKind::boolean))
          out = a.is_true() ? b : negate(b);
        else if (b.is(ExprKind::boolean))
          out = b.is_true() ? a : negate(a);
        else
          out = equal(a, b);
      }
      if (!positive) out = negate(out);
      break;
    }
    case ExprKind::logical_not: out = negate(boolean(e.kid(0))); break;
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies: out = connective(e); break;
    case ExprKind::ite: {
      Expr c = boolean(e.kid(0));
      if (c.is(ExprKind::boolean)) {
        out = boolean(c.is_true() ? e.kid(1) : e.kid(2));
        break;
      }
      if (!spend(1)) {
        out = ite(c, e.kid(1), e.kid(2));
        break;
      }
      SimplifyEngine yes = child(c), no = child(negate(c));
      if (yes.contradictory() || no.contradictory()) {
        out = boolean(yes.contradictory() ? e.kid(2) : e.kid(1));
        break;
      }
      Expr a = yes.boolean(e.kid(1)), b = no.boolean(e.kid(2));
      lemma_ = lemma_ || yes.lemma_ || no.lemma_;
      out = a == b ? a : ite(c, a, b);
      break;
    }
    case ExprKind::constant:
    case ExprKind::add:
    case ExprKind::sub:
    case ExprKind::mul:
    case ExprKind::neg:
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max: KIR_UNREACHABLE("an integer where a boolean is wanted");
  }
  if (auto it = truths_.find(out); it != truths_.end()) out = pool_.boolean(it->second);
  --depth_;
  booleans_.insert_or_assign(e, out);
  return out;
}

}  // namespace kir
