// What is claimed of layouts, as questions to the decisions of core/layout and, where these leave them open, as obligations:
// for all sizes of the symbols, in the integer language, over the digits of elements and copies.
//
// Formulas speak of differences of digits, never of divisions of an element's position, so they are linear where the strides
// are numbers. A swizzle on both sides is left out, since it is a permutation; on one side it is written in floordiv and mod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/decide.h"
#include "proof/obligation.h"

namespace kir::proof {

enum class LayoutClaim : std::uint8_t { injective, exclusive, replica_consistent, covering, equal, disjoint, bijective };
std::string_view name(LayoutClaim c);   // "injective"
ObligationKind kind_of(LayoutClaim c);  // disjoint is layout-injective for two, equal is relation-equal

struct LayoutQuestion {
  LayoutClaim claim = LayoutClaim::injective;
  layout::Layout layout;                  // of bijective: its swizzle
  std::optional<layout::Layout> other;    // equal, disjoint
  std::optional<layout::Box> box;         // covering
  std::int64_t block = 0, alignment = 0;  // bijective
};
std::string sentence(const LayoutQuestion& q);  // "S[(N,4):(4@m,1@m)] gives different elements different places"

// By the procedures of core/layout alone.
layout::Decision decide_by_arguments(const LayoutQuestion& q);

// The obligation, and how a model of its negation is read.
struct LayoutFormula {
  Obligation obligation;
  // Of each iter: the difference of its digits in the two copies (injective, exclusive, replica-consistent, covering), or the
  // digit in the first and the second layout (equal, disjoint). In the order shard, replica, and first layout, second layout.
  std::vector<Expr> digits;
};
// None: the claim has no formula here, and *why says what it lacks. A proof of the formula proves the claim; of covering (a
// layout that is injective, copies included, and as large as its box) and of equal with replicas the converse fails.
std::optional<LayoutFormula> formula_of(const LayoutQuestion& q, ExprPool& pool, std::string* why);

// The counterexample that a model of the negation stands for, put through the forward map; none when it is none.
std::optional<layout::Decision> refutation_of(const LayoutQuestion& q, const LayoutFormula& f,
                                              const std::vector<Binding>& model);

// The address behind a swizzle: the bits of the two groups added modulo 2.
Expr swizzled(const layout::Swizzle& s, Expr address);

}  // namespace kir::proof
