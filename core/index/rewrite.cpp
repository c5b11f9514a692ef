// Integer expressions to polynomial normal form: rules S1 to S11 of simplify.h.
#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/index/simplify_engine.h"

namespace kir {
namespace {

constexpr int kMaxNesting = 24;
constexpr int kMaxReductions = 64;

bool fits(Integer v) { return v >= std::numeric_limits<std::int64_t>::min() && v <= std::numeric_limits<std::int64_t>::max(); }

Polynomial one() { return Polynomial::constant(1); }

}  // namespace

Expr SimplifyEngine::render(const Polynomial& p) {
  if (!p.ok()) return {};
  for (const auto& [m, c] : p.terms())
    if (!fits(c) || !fits(-c)) return {};
  Expr sum;
  auto product = [&](const Monomial& m, Integer c) {
    Expr t;
    if (c != 1 || m.empty()) t = pool_.constant(static_cast<std::int64_t>(c));
    for (Expr a : m) t = t ? t * a : a;
    return t;
  };
  for (const auto& [m, c] : p.terms())
    if (c > 0) sum = sum ? sum + product(m, c) : product(m, c);
  for (const auto& [m, c] : p.terms())
    if (c < 0) sum = sum ? sum - product(m, -c) : product(m, c);
  return sum ? sum : pool_.constant(0);
}

Expr SimplifyEngine::integer(Expr e) {
  Expr r = render(poly(e));
  return r ? r : e;
}

Polynomial SimplifyEngine::poly(Expr e) {
  KIR_CHECK(e.sort() == Sort::integer, "an integer expression is wanted");
  if (auto it = polys_.find(e); it != polys_.end()) return it->second;
  if (depth_ >= kMaxNesting * 8) return Polynomial::atom(e);
  ++depth_;
  Polynomial p;
  switch (e.kind()) {
    case ExprKind::constant: p = Polynomial::constant(e.number()); break;
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: {
      auto it = solved_.find(e);
      p = it == solved_.end() ? Polynomial::atom(e) : poly(it->second);
      break;
    }
    case ExprKind::add: p = reduce(poly(e.kid(0)) + poly(e.kid(1))); break;
    case ExprKind::sub: p = reduce(poly(e.kid(0)) - poly(e.kid(1))); break;
    case ExprKind::mul: p = reduce(poly(e.kid(0)) * poly(e.kid(1))); break;
    case ExprKind::neg: p = -poly(e.kid(0)); break;
    case ExprKind::floordiv: p = floordiv(poly(e.kid(0)), poly(e.kid(1))); break;
    case ExprKind::ceildiv: p = -floordiv(-poly(e.kid(0)), poly(e.kid(1))); break;
    case ExprKind::mod: p = modulo(poly(e.kid(0)), poly(e.kid(1))); break;
    case ExprKind::min:
    case ExprKind::max: p = extreme(e.kind(), poly(e.kid(0)), poly(e.kid(1))); break;
    case ExprKind::ite: p = conditional(e); break;
    case ExprKind::boolean:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge:
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies: KIR_UNREACHABLE("a boolean where an integer is wanted");
  }
  --depth_;
  if (!p.ok()) p = Polynomial::atom(e);
  polys_.insert_or_assign(e, p);
  return p;
}

Polynomial SimplifyEngine::flat(Expr e) {
  switch (e.kind()) {
    case ExprKind::constant: return Polynomial::constant(e.number());
    case ExprKind::add: return flat(e.kid(0)) + flat(e.kid(1));
    case ExprKind::sub: return flat(e.kid(0)) - flat(e.kid(1));
    case ExprKind::mul: return flat(e.kid(0)) * flat(e.kid(1));
    case ExprKind::neg: return -flat(e.kid(0));
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: {
      auto it = solved_.find(e);
      return it == solved_.end() ? Polynomial::atom(e) : flat(it->second);
    }
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max:
    case ExprKind::ite: return Polynomial::atom(e);
    case ExprKind::boolean:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge:
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies: KIR_UNREACHABLE("a boolean where an integer is wanted");
  }
  KIR_UNREACHABLE("expression kind");
}

// S9. Each step is an equality, so stopping early is sound.
Polynomial SimplifyEngine::reduce(Polynomial p) {
  for (int round = 0; round < kMaxReductions && p.ok(); ++round) {
    bool changed = false;
    for (const auto& [m, c] : p.terms()) {
      for (Expr q : m) {
        auto it = divisions_.find(q);
        if (it == divisions_.end()) continue;
        const Division& division = it->second;
        const auto& [lead, lead_c] = *division.divisor.terms().begin();
        auto rest = monomial_quotient(m, monomial_product(lead, {q}));
        Integer k = c / lead_c;
        if (!rest || k == 0) continue;
        Polynomial t = Polynomial::term(*rest, k);
        Polynomial next =
            p - t * division.divisor * Polynomial::atom(q) + t * (division.dividend - Polynomial::atom(division.remainder));
        if (!next.ok()) continue;
        p = next;
        changed = true;
        break;
      }
      if (changed) break;
    }
    if (!changed) break;
  }
  return p;
}

// Not ok() when a limit is met: the caller then keeps the expression as it was.
Polynomial SimplifyEngine::floordiv(Polynomial n, Polynomial d) {
  if (depth_ >= kMaxNesting * 8 || !n.ok() || !d.ok() || d.is_zero()) return Polynomial::overflowed();
  ++depth_;
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (!nonneg(d - one())) {
    if (!nonneg(-d - one())) {
      Expr a = render(n), b = render(d);
      return present(a, b) ? Polynomial::atom(pool_.make(ExprKind::floordiv, {a, b})) : Polynomial::overflowed();
    }
    n = -n;  // S2
    d = -d;
  }
  if (d == one()) return n;
  auto [a, b] = n.split(d);  // S3
  a = reduce(a);
  b = reduce(b);
  if (b.is_zero() || !a.ok() || !b.ok()) return a + b;
  if (auto k = d.as_constant()) {  // S4 by intervals
    Range r = range(b);
    if (r.lo && r.hi && floor_quotient(*r.lo, *k) == floor_quotient(*r.hi, *k)) {
      if (!b.as_constant()) lemma_ = true;
      return a + Polynomial::constant(floor_quotient(*r.lo, *k));
    }
  }
  if (nonneg(b) && nonneg(d - one() - b)) {  // S4
    lemma_ = true;
    return a;
  }
  if (auto f = common_factor(b, d)) return a + *f;
  if (auto q = b.as_atom()) {  // S6
    auto it = divisions_.find(*q);
    if (it != divisions_.end()) {
      Division inner = it->second;
      const Polynomial outer = floordiv(inner.dividend, reduce(inner.divisor * d));
      note_digit(*q, outer, d);
      return a + outer;
    }
  }
  const auto& lead = *b.terms().begin();
  if (!lead.first.empty() && lead.second < 0) return a - one() - floordiv(-b - one(), d);  // S7
  Expr dividend = render(b), divisor = render(d);
  if (!present(dividend, divisor)) return Polynomial::overflowed();
  Expr quotient = pool_.make(ExprKind::floordiv, {dividend, divisor});
  Expr remainder = pool_.make(ExprKind::mod, {dividend, divisor});
  if (divisions_.emplace(quotient, Division{b, d, remainder}).second) remainders_.emplace(remainder, quotient);
  return a + Polynomial::atom(quotient);
}

// What S6 would lose: q - d * outer is the remainder of q by d.
void SimplifyEngine::note_digit(Expr q, const Polynomial& outer, const Polynomial& d) {
  const Polynomial digit = reduce(Polynomial::atom(q) - d * outer);
  if (!digit.ok()) return;
  for (const Polynomial& f : {digit, d - one() - digit})
    for (Expr a : f.atoms()) {
      if (!divisions_.contains(a)) continue;
      std::vector<Polynomial>& known = digits_[a];
      if (std::find(known.begin(), known.end(), f) == known.end()) known.push_back(f);
    }
}

// S5. Candidates for g: what the coefficients share with a constant divisor, the factors of a product.
std::optional<Polynomial> SimplifyEngine::common_factor(const Polynomial& n, const Polynomial& d) {
  std::vector<Polynomial> candidates;
  if (d.terms().size() != 1) return {};
  const auto& [m, c] = *d.terms().begin();
  for (const auto& [nm, nc] : n.terms()) {
    Integer g = gcd(nc, c);
    if (g > 1 && (g < c || !m.empty())) candidates.push_back(Polynomial::constant(g));
    if (!m.empty()) {
      Monomial shared;
      std::set_intersection(m.begin(), m.end(), nm.begin(), nm.end(), std::back_inserter(shared));
      if (!shared.empty()) {
        candidates.push_back(Polynomial::term(shared, g));
        if (g > 1) candidates.push_back(Polynomial::term(shared, 1));
      }
    }
  }
  for (const Polynomial& g : candidates) {
    auto e = d.exact_quotient(g);
    if (!e || *e == d) continue;
    auto [x, y] = n.split(g);
    if (x.is_zero() || !nonneg(g - one()) || !nonneg(y) || !nonneg(g - one() - y) || !nonneg(*e - one())) continue;
    lemma_ = true;
    return floordiv(x, *e);
  }
  return {};
}

Polynomial SimplifyEngine::modulo(const Polynomial& n, const Polynomial& d) {
  if (!n.ok() || !d.ok()) return Polynomial::overflowed();
  if (nonneg(d - one()) || nonneg(-d - one())) return reduce(n - d * floordiv(n, d));  // S8
  Expr a = render(n), b = render(d);
  return present(a, b) ? Polynomial::atom(pool_.make(ExprKind::mod, {a, b})) : Polynomial::overflowed();
}

Polynomial SimplifyEngine::extreme(ExprKind kind, const Polynomial& a, const Polynomial& b) {
  bool smaller = kind == ExprKind::min;
  if (nonneg(b - a)) return smaller ? a : b;  // S10
  if (nonneg(a - b)) return smaller ? b : a;
  Expr x = render(a), y = render(b);
  if (!present(x, y)) return Polynomial::overflowed();
  if (y < x) std::swap(x, y);
  return Polynomial::atom(pool_.make(kind, {x, y}));
}

Polynomial SimplifyEngine::conditional(Expr e) {
  Expr c = boolean(e.kid(0));
  if (c.is_true()) return poly(e.kid(1));
  if (c.is_false()) return poly(e.kid(2));
  if (!spend(1)) return Polynomial::atom(ite(c, e.kid(1), e.kid(2)));
  SimplifyEngine yes = child(c), no = child(negate(c));
  if (yes.contradictory()) return poly(e.kid(2));
  if (no.contradictory()) return poly(e.kid(1));
  Polynomial a = yes.poly(e.kid(1)), b = no.poly(e.kid(2));
  lemma_ = lemma_ || yes.lemma_ || no.lemma_;
  if (a == b) return a;
  Expr x = render(a), y = render(b);
  return present(x, y) ? Polynomial::atom(ite(c, x, y)) : Polynomial::overflowed();
}

}  // namespace kir
