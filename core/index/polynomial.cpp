#include "core/index/polynomial.h"

#include <algorithm>

namespace kir {
namespace {
using Monomial = Polynomial::Monomial;
}

bool Polynomial::Order::operator()(const Monomial& a, const Monomial& b) const {
  if (a.size() != b.size()) return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

Integer gcd(Integer a, Integer b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    Integer t = a % b;
    a = b;
    b = t;
  }
  return a;
}

Integer floor_quotient(Integer a, Integer b) {
  Integer q = a / b;
  return a % b != 0 && a < 0 ? q - 1 : q;
}

Monomial monomial_product(const Monomial& a, const Monomial& b) {
  Monomial out;
  out.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::optional<Monomial> monomial_quotient(const Monomial& a, const Monomial& b) {
  if (b.size() > a.size() || !std::includes(a.begin(), a.end(), b.begin(), b.end())) return {};
  Monomial out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

void Polynomial::put(const Monomial& m, Integer c) {
  if (!ok_ || c == 0) return;
  // The most negative value has no negation.
  constexpr Integer kLimit = Integer{1} << 126;
  auto [it, fresh] = terms_.emplace(m, 0);
  if (__builtin_add_overflow(it->second, c, &it->second) || it->second > kLimit || it->second < -kLimit ||
      terms_.size() > kMaxTerms || m.size() > kMaxDegree) {
    *this = overflowed();
    return;
  }
  if (it->second == 0) terms_.erase(it);
}

Polynomial Polynomial::overflowed() {
  Polynomial p;
  p.ok_ = false;
  return p;
}

Polynomial Polynomial::constant(Integer c) { return term({}, c); }
Polynomial Polynomial::atom(Expr a) { return term({a}, 1); }
Polynomial Polynomial::term(Monomial m, Integer c) {
  Polynomial p;
  p.put(m, c);
  return p;
}

std::optional<Integer> Polynomial::as_constant() const {
  if (!ok_) return {};
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return {};
}

std::optional<Expr> Polynomial::as_atom() const {
  if (!ok_ || terms_.size() != 1) return {};
  const auto& [m, c] = *terms_.begin();
  if (m.size() != 1 || c != 1) return {};
  return m[0];
}

Integer Polynomial::constant_term() const {
  return !terms_.empty() && terms_.rbegin()->first.empty() ? terms_.rbegin()->second : 0;
}

Integer Polynomial::content() const {
  Integer g = 0;
  for (const auto& [m, c] : terms_)
    if (!m.empty()) g = gcd(g, c);
  return g;
}

bool Polynomial::contains(Expr a) const {
  for (const auto& [m, c] : terms_)
    if (std::binary_search(m.begin(), m.end(), a)) return true;
  return false;
}

bool Polynomial::differs_in_constant(const Polynomial& p) const {
  if (!ok_ || !p.ok_) return false;
  auto end = [](const Terms& t) { return !t.empty() && t.rbegin()->first.empty() ? std::prev(t.end()) : t.end(); };
  return std::equal(terms_.begin(), end(terms_), p.terms_.begin(), end(p.terms_));
}

std::vector<Expr> Polynomial::atoms() const {
  std::vector<Expr> out;
  for (const auto& [m, c] : terms_)
    for (Expr a : m)
      if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(a);
  return out;
}

Polynomial Polynomial::operator-() const {
  Polynomial p = *this;
  for (auto& [m, c] : p.terms_) c = -c;
  return p;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  if (!a.ok_ || !b.ok_) return Polynomial::overflowed();
  Polynomial p = a;
  for (const auto& [m, c] : b.terms_) p.put(m, c);
  return p;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) {
  if (!a.ok_ || !b.ok_) return Polynomial::overflowed();
  Polynomial p = a;
  for (const auto& [m, c] : b.terms_) p.put(m, -c);
  return p;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (!a.ok_ || !b.ok_) return Polynomial::overflowed();
  Polynomial p;
  for (const auto& [ma, ca] : a.terms_)
    for (const auto& [mb, cb] : b.terms_) {
      Integer c;
      if (__builtin_mul_overflow(ca, cb, &c)) return Polynomial::overflowed();
      p.put(monomial_product(ma, mb), c);
      if (!p.ok_) return p;
    }
  return p;
}

std::optional<std::pair<Polynomial, Polynomial>> Polynomial::linear_in(Expr atom) const {
  if (!ok_) return {};
  Polynomial coefficient, rest;
  for (const auto& [m, c] : terms_) {
    auto [first, last] = std::equal_range(m.begin(), m.end(), atom);
    if (first == last) {
      rest.terms_.emplace(m, c);
      continue;
    }
    if (last - first > 1) return {};
    Monomial without(m.begin(), first);
    without.insert(without.end(), last, m.end());
    coefficient.put(without, c);
  }
  return std::pair(coefficient, rest);
}

std::optional<Polynomial> Polynomial::exact_quotient(const Polynomial& d) const {
  if (!ok_ || !d.ok_ || d.terms_.empty()) return {};
  const auto& [lead, lead_c] = *d.terms_.begin();
  Polynomial quotient, rest = *this;
  for (std::size_t steps = 0; !rest.terms_.empty(); ++steps) {
    const auto& [m, c] = *rest.terms_.begin();
    auto q = monomial_quotient(m, lead);
    if (!q || c % lead_c != 0 || steps > kMaxTerms) return {};
    Polynomial t = term(*q, c / lead_c);
    quotient = quotient + t;
    rest = rest - t * d;
    if (!rest.ok_) return {};
  }
  return quotient;
}

std::pair<Polynomial, Polynomial> Polynomial::split(const Polynomial& d) const {
  Polynomial quotient, rest = *this;
  if (!ok_ || !d.ok_ || d.terms_.empty()) return {quotient, rest};
  const auto& [lead, lead_c] = *d.terms_.begin();
  for (std::size_t steps = 0; steps < kMaxTerms; ++steps) {
    bool changed = false;
    for (const auto& [m, c] : rest.terms_) {
      auto q = monomial_quotient(m, lead);
      if (!q) continue;
      Integer k = m.empty() && lead_c > 0 ? floor_quotient(c, lead_c) : c / lead_c;
      if (k == 0) continue;
      Polynomial t = term(*q, k);
      Polynomial next = rest - t * d;
      if (!next.ok_) return {Polynomial(), *this};
      quotient = quotient + t;
      rest = next;
      changed = true;
      break;
    }
    if (!changed) break;
  }
  return {quotient, rest};
}

}  // namespace kir
