// An obligation copied into a pool of its own, its leaves renamed x0, x1, ... in the order of proof::formula_leaves: what
// one thread works on. Obligations with equal canonical texts give equal problems of each variant.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/index/simplify.h"
#include "proof/obligation.h"

namespace kir::smt {

struct Problem {
  ExprPoolPtr pool;
  std::vector<Expr> leaves;      // launch symbols as symbols, all others as variables
  std::vector<Expr> hypotheses;  // conjunctions taken apart
  Expr goal;
};
// The same formula in other words, for each `variant` above 0: hypotheses in another order, leaves with other names and of
// another age. No verdict may depend on it (Zhou, Bosamiya, Takashima, Li, Heule, Parno 2023: "Mariposa: Measuring SMT
// Instability in Automated Program Verification").
Problem make_problem(const proof::Obligation& o, unsigned variant = 0);

// A goal under further hypotheses; a problem is valid when all of its parts are.
struct Part {
  std::vector<Expr> hypotheses;  // beyond the problem's
  Expr goal;
};
std::vector<Part> split(const Problem& p);

// All assignments of leaves with finite ranges, tried in ascending order. `hypotheses`: the problem's, as facts. Empty
// result: not enumerable within `limit` points, or an evaluation failed (zero divisor, overflow).
struct Enumeration {
  bool valid = false;
  std::vector<Integer> counterexample;  // by leaf, when not valid
};
std::optional<Enumeration> enumerate(const Problem& p, Facts& hypotheses, std::uint64_t limit);

// Do the hypotheses hold and does the goal fail at these values (one per leaf)?
enum class Check : std::uint8_t { counterexample, no_counterexample, zero_divisor, too_large };
Check check_point(const Problem& p, std::span<const Integer> values);

}  // namespace kir::smt
