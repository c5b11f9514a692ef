#include "proof/ring.h"

#include <algorithm>

namespace kir::proof {
namespace {

// One value for each component, of no other kin.
std::vector<Polynomial> operand(const Combine& c, TermPool& terms) {
  std::vector<Polynomial> out;
  for (std::size_t i = 0; i < c.results.size(); ++i) out.push_back(Polynomial::atom(terms.exprs().fresh("operand")));
  return out;
}

using Values = std::optional<std::vector<Polynomial>>;

bool same(const Values& a, const Values& b) { return a && b && *a == *b; }

}  // namespace

std::optional<Polynomial> RingTerms::value(Term t) {
  if (auto it = known_.find(t); it != known_.end()) return it->second;
  std::optional<Polynomial> v = compute(t);
  if (v && !v->ok()) v.reset();
  known_.emplace(t, v);
  return v;
}

std::optional<Polynomial> RingTerms::compute(Term t) {
  for (const auto& [argument, value] : values_)
    if (argument == t) return value;
  if (!is_integer(t->type) || t->type == DType::i1) return std::nullopt;
  if (t->kind == TermKind::literal) return Polynomial::constant(t->literal.as_signed());
  if (t->kind == TermKind::pointwise) {
    auto kid = [&](std::size_t i) { return value(t->kids[i]); };
    switch (t->op) {
      case OpKind::neg:
        if (auto a = kid(0)) return -*a;
        return std::nullopt;
      case OpKind::add:
      case OpKind::sub:
      case OpKind::mul: {
        auto a = kid(0), b = kid(1);
        if (!a || !b) return std::nullopt;
        return t->op == OpKind::add ? *a + *b : t->op == OpKind::sub ? *a - *b : *a * *b;
      }
      default: break;
    }
  }
  const bool bound = terms_.mentions(
      t, [&](Term x) { return std::ranges::any_of(values_, [&](const auto& known) { return known.first == x; }); });
  if (bound) return std::nullopt;
  return Polynomial::atom(terms_.leaf_of(t));
}

Values combined(const Combine& c, const std::vector<Polynomial>& x, const std::vector<Polynomial>& y, TermPool& terms) {
  if (c.arguments.size() != x.size() + y.size()) return std::nullopt;
  RingTerms ring(terms);
  for (std::size_t i = 0; i < c.arguments.size(); ++i) ring.bind(c.arguments[i], i < x.size() ? x[i] : y[i - x.size()]);
  std::vector<Polynomial> out;
  for (Term r : c.results) {
    std::optional<Polynomial> v = is_float(r->type) ? std::nullopt : ring.value(r);
    if (!v || !v->ok()) return std::nullopt;
    out.push_back(std::move(*v));
  }
  return out;
}

bool is_associative_in_ring(const Combine& c, TermPool& terms) {
  const std::vector<Polynomial> x = operand(c, terms), y = operand(c, terms), z = operand(c, terms);
  const Values xy = combined(c, x, y, terms), yz = combined(c, y, z, terms);
  return xy && yz && same(combined(c, *xy, z, terms), combined(c, x, *yz, terms));
}

bool is_commutative_in_ring(const Combine& c, TermPool& terms) {
  const std::vector<Polynomial> x = operand(c, terms), y = operand(c, terms);
  return same(combined(c, x, y, terms), combined(c, y, x, terms));
}

bool is_neutral_in_ring(const Combine& c, const std::vector<Scalar>& identity, TermPool& terms) {
  if (identity.size() != c.results.size()) return false;
  const std::vector<Polynomial> x = operand(c, terms);
  std::vector<Polynomial> e;
  for (const Scalar& s : identity) e.push_back(Polynomial::constant(s.as_signed()));
  return same(combined(c, e, x, terms), x) && same(combined(c, x, e, terms), x);
}

}  // namespace kir::proof
