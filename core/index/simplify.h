// The simplifier of integer expressions, with range analysis under hypotheses.
//
// Guarantee: for every assignment under which all assumed facts hold, simplify(e) has the value of e wherever e has one
// (no division by zero on the evaluated path). Sound, not complete: `decide` answers only what it can show. Constants
// are exact; where an intermediate would leave 128 bits or a result constant 64 bits, nothing is rewritten.
// Deterministic: effort is bounded by counted steps, never by time. Not synchronised; uses and grows the pool.
//
// Rules (p, q polynomials; d a divisor; every rule has a test that it applies and one that it does not):
//   S1  polynomial normal form of + - * neg; like terms are collected
//   S2  p floordiv 1 = p;  d < 0: p floordiv d = (-p) floordiv (-d)
//   S3  split: (d*a + b) floordiv d = a + b floordiv d, d != 0 (symbolic divisors included)
//   S4  mixed radix: 0 <= b < d gives b floordiv d = 0, b mod d = b; constants: k*d <= b < (k+1)*d gives k
//   S5  common factor: (g*x + y) floordiv (g*e) = x floordiv e when 0 <= y < g, e > 0
//   S6  nested: (p floordiv a) floordiv b = p floordiv (a*b), a > 0, b > 0; p floordiv a - b*(p floordiv (a*b)), the
//       remainder of the inner quotient by b, is remembered to lie in [0, b)
//   S7  sign: p floordiv d = -1 - (-p-1) floordiv d, d > 0, so that the leading coefficient is positive
//   S8  p mod d = p - d*(p floordiv d), d != 0;  ceildiv(p, d) = -((-p) floordiv d)
//   S9  d*(p floordiv d) = p - p mod d, d != 0
//   S10 min, max: an operand that the facts show to be the smaller (larger) one
//   S11 ite: decided condition; equal branches; each branch under its condition
//   S12 comparisons: decided by the sign of the difference (intervals, then elimination of atoms by facts, see entail.cpp)
//   S13 equations: divisibility by the content; mixed-radix uniqueness: d*a + b = 0 with -d < b < d gives a = 0, b = 0
//   S14 and, or, implies: each operand under what the ones before it say; negation goes inward
//   S15 facts: an equation with a leaf of coefficient +-1 is solved for it; intervals propagate through linear facts
//   S16 a product of factors of at least 0 that is at least 1 has factors of at least 1
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/index/expr.h"

namespace kir {

struct Range {  // lo <= x <= hi; an absent bound is infinite
  std::optional<Integer> lo, hi;
  friend bool operator==(const Range&, const Range&) = default;
};

// Hypotheses. Copies are independent.
class Facts {
 public:
  explicit Facts(ExprPool& pool);
  Facts(const Facts& other);
  Facts& operator=(const Facts& other);
  Facts(Facts&&) noexcept;
  Facts& operator=(Facts&&) noexcept;
  ~Facts();

  void assume(Expr fact);  // boolean
  bool contradictory();    // the facts were seen to have no model
  Expr simplify(Expr e);   // same sort
  std::optional<bool> decide(Expr boolean);
  Range range(Expr integer);
  // What was assumed, simplified: each fact under those taken in before it. All facts imply it; it implies them where no
  // fact's simplification leans on that fact itself.
  std::vector<Expr> conjunction();
  bool used_mixed_radix() const;  // S4, S5 or S13 took part since construction

 private:
  std::unique_ptr<class SimplifyEngine> engine_;
};

Expr simplify(Expr e);  // without hypotheses

}  // namespace kir
