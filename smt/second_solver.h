// A second solver (cvc5), which shares no code with the first: a process that reads the formula as SMT-LIB 2, before any
// simplification of ours, so that it checks the simplifier and the encoding too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/obligation.h"
#include "smt/problem.h"

namespace kir::smt {

struct SecondSolver {
  std::string path, version;  // version: "cvc5 1.0.3"
  std::string digest;         // of the program and the libraries that its code is loaded from
};

// The program named by $KIR_CVC5, else cvc5 in PATH. Empty with *error saying how to get one.
std::optional<SecondSolver> find_second_solver(std::string* error);

// Is the formula one of those where solvers go wrong: a product of two unknowns, a division?
bool wants_cross_check(const Problem& problem);

// Of a formula that was proved: it agrees when its whole answer is `unsat`, and contradicts when any line of it is `sat`,
// however it ended. A function of the formula, cvc5 and its resource limit, but for a runaway: one that was stopped by the
// clock, was killed, did not start, failed, or says something else. It counts as undecided.
struct SecondOpinion {
  proof::CrossCheck answer = proof::CrossCheck::undecided;
  bool runaway = false;
};
SecondOpinion cross_check(const SecondSolver& solver, const Problem& problem);

}  // namespace kir::smt
