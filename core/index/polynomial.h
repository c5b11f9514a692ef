// Polynomials with exact integer coefficients over atoms (integer expressions taken as opaque). The normal form of the
// simplifier: two expressions with equal polynomials are equal for all values of the atoms.
//
// Coefficients are 128-bit and checked: an operation that would overflow, or grow beyond kMaxTerms terms or kMaxDegree,
// gives a polynomial with ok() == false, which absorbs everything, so that no rewrite is made from it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/index/expr.h"

namespace kir {

class Polynomial {
 public:
  using Monomial = std::vector<Expr>;  // ascending serial numbers, repeated for powers; empty: the constant term
  struct Order {                       // higher degree first, then by serial numbers; the constant term comes last
    bool operator()(const Monomial& a, const Monomial& b) const;
  };
  using Terms = std::map<Monomial, Integer, Order>;

  static constexpr std::size_t kMaxTerms = 128;
  static constexpr std::size_t kMaxDegree = 10;

  Polynomial() = default;  // 0
  static Polynomial constant(Integer c);
  static Polynomial atom(Expr a);
  static Polynomial term(Monomial m, Integer coefficient);
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
  void put(const Monomial& m, Integer c);
  Terms terms_;
  bool ok_ = true;
};

std::optional<Polynomial::Monomial> monomial_quotient(const Polynomial::Monomial& a, const Polynomial::Monomial& b);
Polynomial::Monomial monomial_product(const Polynomial::Monomial& a, const Polynomial::Monomial& b);
Integer gcd(Integer a, Integer b);             // of the absolute values
Integer floor_quotient(Integer a, Integer b);  // b > 0

}  // namespace kir
