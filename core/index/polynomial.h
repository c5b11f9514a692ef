// Polynomials with exact integer coefficients over atoms (integer expressions taken as opaque). The normal form of the
// simplifier: two expressions with equal polynomials are equal for all values of the atoms.
//
// Coefficients are 128-bit and checked: an operation that would overflow, or grow beyond kMaxTerms terms or kMaxDegree,
// gives a polynomial with ok() == false, which absorbs everything, so that no rewrite is made from it.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "core/index/expr.h"

namespace kir {

// A product of atoms, held in place: ascending serial numbers, repeated for powers; empty: 1.
class Monomial {
 public:
  static constexpr std::size_t kMaxDegree = 10;
  using value_type = Expr;

  Monomial() = default;
  Monomial(std::initializer_list<Expr> ascending) {
    for (Expr a : ascending) push_back(a);
  }

  // A product of more than kMaxDegree factors keeps one more than these: it is no term of a polynomial.
  void push_back(Expr a) {
    if (size_ <= kMaxDegree) factors_[size_++] = a;
  }
  void erase(std::size_t i) {
    std::copy(begin() + i + 1, end(), factors_.begin() + i);
    --size_;
  }

  const Expr* begin() const { return factors_.data(); }
  const Expr* end() const { return factors_.data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Expr operator[](std::size_t i) const { return factors_[i]; }

  friend bool operator==(const Monomial& a, const Monomial& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
  // Higher degree first, then by serial numbers; 1 comes last. Products keep this order.
  friend bool operator<(const Monomial& a, const Monomial& b) {
    if (a.size_ != b.size_) return a.size_ > b.size_;
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<Expr, kMaxDegree + 1> factors_;
  std::size_t size_ = 0;
};

class Polynomial {
 public:
  using Terms = std::vector<std::pair<Monomial, Integer>>;  // ascending, each monomial once, no zero coefficients

  static constexpr std::size_t kMaxTerms = 128;

  Polynomial() = default;  // 0
  static Polynomial constant(Integer c);
  static Polynomial atom(Expr a);
  static Polynomial term(const Monomial& m, Integer coefficient);
  static Polynomial overflowed();

  bool ok() const { return ok_; }
  bool is_zero() const { return ok_ && terms_.empty(); }
  const Terms& terms() const { return terms_; }
  std::optional<Integer> as_constant() const;
  std::optional<Expr> as_atom() const;  // exactly one atom with coefficient 1
  Integer constant_term() const;
  Integer content() const;  // gcd of the coefficients, the constant term left out; 0 for constants
  bool contains(Expr atom) const;
  bool differs_in_constant(const Polynomial& p) const;  // at most: the other terms are the same
  std::vector<Expr> atoms() const;                      // distinct, in order of first appearance

  Polynomial operator-() const;
  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial& a, const Polynomial& b) { return a.ok_ && b.ok_ && a.terms_ == b.terms_; }

  // (coefficient of atom, what is left) when the atom occurs with power at most 1: p = coefficient * atom + rest.
  std::optional<std::pair<Polynomial, Polynomial>> linear_in(Expr atom) const;

  // Quotient when d divides exactly, coefficients staying integers.
  std::optional<Polynomial> exact_quotient(const Polynomial& d) const;

  // (q, r) with p = d * q + r, by division of terms by d's leading term; coefficients round toward minus infinity for
  // the constant term of a constant divisor, toward zero otherwise. d is not zero.
  std::pair<Polynomial, Polynomial> split(const Polynomial& d) const;

 private:
  static Polynomial sum(const Polynomial& a, const Polynomial& b, int sign);
  bool append(const Monomial& m, Integer c);  // behind the others; false, and not ok(), beyond a limit
  Terms terms_;
  bool ok_ = true;
};

// By the terms, for tables.
struct TermsHash {
  std::size_t operator()(const Polynomial::Terms& terms) const;
};

std::optional<Monomial> monomial_quotient(const Monomial& a, const Monomial& b);
Monomial monomial_product(const Monomial& a, const Monomial& b);
Integer gcd(Integer a, Integer b);             // of the absolute values
Integer floor_quotient(Integer a, Integer b);  // b > 0

}  // namespace kir
