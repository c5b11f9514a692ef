// One question to Z3: does a conjunction of boolean expressions have a model over the mathematical integers?
//
// Each question gets a fresh context and the deterministic resource limit; the same question with the same library gives
// the same answer. A wall clock only ends runaways: such an answer is `unknown` with `runaway` set, and is no verdict.
//
// floordiv, mod and ceildiv are encoded exactly for divisors of any sign. A zero divisor leaves the value free, so that
// what is proven holds for every meaning of a division by zero.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/index/expr.h"

namespace kir::smt {

enum class DivisionEncoding : std::uint8_t {
  native,   // SMT-LIB's Euclidean div and mod, turned for negative divisors
  witness,  // fresh q, r with (d > 0 => a = d*q + r, 0 <= r < d) and (d < 0 => a = d*q + r, d < r <= 0)
};

// Only what runs in the calling thread without sub-limits of wall-clock time: Z3's default solver and its `qfnia` tactic try
// sub-solvers for some milliseconds each, so that their answers depend on the load of the machine.
struct Strategy {
  std::string_view name;
  DivisionEncoding division = DivisionEncoding::native;
  int arithmetic_solver = -1;  // smt.arith.solver; -1 for the default
  unsigned seed = 0;
};

enum class Answer : std::uint8_t { unsatisfiable, satisfiable, unknown };

struct ModelValue {
  Expr leaf;
  std::string value;  // decimal, or true/false
};

struct Reply {
  Answer answer = Answer::unknown;
  std::string reason;  // of an unknown
  bool runaway = false;
  std::uint64_t resource = 0;
  std::vector<ModelValue> model;  // every leaf of the conjunction, in order of first appearance
};

// `positive` (may be empty) names divisors that the conjunction forces to be positive.
Reply ask(std::span<const Expr> conjunction, const Strategy& strategy, std::uint64_t rlimit,
          const std::function<bool(Expr divisor)>& positive = {});

// The conjunction as an SMT-LIB 2 file that any solver runs: `unsat` is what a proof wants.
std::string smtlib(std::span<const Expr> conjunction, std::string_view comment);

std::string z3_version();  // "5.4.1"

}  // namespace kir::smt
