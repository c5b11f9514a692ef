// Combines of wrapping integers that are made of +, -, * and constants, as polynomials over the integers: arithmetic modulo 2^w
// is a ring, so that equal polynomials are equal values for every operand. Nothing is said of unequal ones.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/index/polynomial.h"
#include "proof/term.h"

namespace kir::proof {

// The value of a term whose arguments have these values; other terms are taken as opaque. Nothing for floats, truth values, and
// operations that are not of the ring over an argument. Each subterm is looked at once.
class RingTerms {
 public:
  explicit RingTerms(TermPool& terms) : terms_(terms) {}
  void bind(Term argument, Polynomial value) { values_.emplace_back(argument, std::move(value)); }
  std::optional<Polynomial> value(Term t);

 private:
  std::optional<Polynomial> compute(Term t);
  TermPool& terms_;
  std::vector<std::pair<Term, Polynomial>> values_;
  std::unordered_map<Term, std::optional<Polynomial>> known_;
};

// combine(x, y): x for the first arguments, y for the others.
std::optional<std::vector<Polynomial>> combined(const Combine& c, const std::vector<Polynomial>& x,
                                                const std::vector<Polynomial>& y, TermPool& terms);

bool is_associative_in_ring(const Combine& c, TermPool& terms);
bool is_commutative_in_ring(const Combine& c, TermPool& terms);
bool is_neutral_in_ring(const Combine& c, const std::vector<Scalar>& identity, TermPool& terms);

}  // namespace kir::proof
