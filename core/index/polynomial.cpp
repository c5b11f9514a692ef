#include "core/index/polynomial.h"

#include <algorithm>
#include <iterator>

namespace kir {
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
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::optional<Monomial> monomial_quotient(const Monomial& a, const Monomial& b) {
  if (b.size() > a.size() || !std::includes(a.begin(), a.end(), b.begin(), b.end())) return {};
  Monomial out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::size_t TermsHash::operator()(const Polynomial::Terms& terms) const {
  std::size_t h = terms.size();
  auto mix = [&](std::uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29); };
  for (const auto& [m, c] : terms) {
    for (Expr a : m) mix(a.serial());
    mix(static_cast<std::uint64_t>(c));
  }
  return h;
}

bool Polynomial::append(const Monomial& m, Integer c) {
  if (c == 0) return true;
  // The most negative value has no negation.
  constexpr Integer kLimit = Integer{1} << 126;
  if (c > kLimit || c < -kLimit || terms_.size() == kMaxTerms || m.size() > Monomial::kMaxDegree) {
    *this = overflowed();
    return false;
  }
  terms_.emplace_back(m, c);
  return true;
}

Polynomial Polynomial::overflowed() {
  Polynomial p;
  p.ok_ = false;
  return p;
}

Polynomial Polynomial::constant(Integer c) { return term({}, c); }
Polynomial Polynomial::atom(Expr a) { return term({a}, 1); }
Polynomial Polynomial::term(const Monomial& m, Integer c) {
  Polynomial p;
  p.append(m, c);
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
    if (std::find(m.begin(), m.end(), a) != m.end()) return true;
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

Polynomial Polynomial::sum(const Polynomial& a, const Polynomial& b, int sign) {
  if (!a.ok_ || !b.ok_) return overflowed();
  Polynomial p;
  p.terms_.reserve(a.terms_.size() + b.terms_.size());
  auto x = a.terms_.begin(), y = b.terms_.begin();
  while (x != a.terms_.end() || y != b.terms_.end()) {
    bool ok;
    if (y == b.terms_.end() || (x != a.terms_.end() && x->first < y->first)) {
      ok = p.append(x->first, x->second);
      ++x;
    } else if (x == a.terms_.end() || y->first < x->first) {
      ok = p.append(y->first, sign * y->second);
      ++y;
    } else {
      Integer c;
      if (__builtin_add_overflow(x->second, sign * y->second, &c)) return overflowed();
      ok = p.append(x->first, c);
      ++x;
      ++y;
    }
    if (!ok) return p;
  }
  return p;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return Polynomial::sum(a, b, 1); }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return Polynomial::sum(a, b, -1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (!a.ok_ || !b.ok_) return Polynomial::overflowed();
  if (a.terms_.size() < b.terms_.size()) return b * a;
  Polynomial p;
  for (const auto& [mb, cb] : b.terms_) {
    Polynomial row;  // in order, since products keep the order
    row.terms_.reserve(a.terms_.size());
    for (const auto& [ma, ca] : a.terms_) {
      Integer c;
      if (__builtin_mul_overflow(ca, cb, &c)) return Polynomial::overflowed();
      if (!row.append(monomial_product(ma, mb), c)) return row;
    }
    p = p.terms_.empty() ? std::move(row) : p + row;
    if (!p.ok_) return p;
  }
  return p;
}

std::optional<std::pair<Polynomial, Polynomial>> Polynomial::linear_in(Expr atom) const {
  if (!ok_) return {};
  std::pair<Polynomial, Polynomial> out;
  auto& [coefficient, rest] = out;
  for (const auto& [m, c] : terms_) {
    const auto first = std::find(m.begin(), m.end(), atom);
    if (first == m.end()) {
      rest.terms_.emplace_back(m, c);
      continue;
    }
    if (first + 1 != m.end() && first[1] == atom) return {};
    Monomial without = m;
    without.erase(static_cast<std::size_t>(first - m.begin()));
    coefficient.terms_.emplace_back(without, c);
  }
  return out;
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
