// Decides obligations: tiers (simplifier and intervals, enumeration, lemmas, Z3), the satisfiability of what each proof
// supposes, and, where asked for, a second solver. Deterministic: a decision is a function of the obligation, the solvers'
// versions and the options; never of time, thread count or order.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "proof/obligation.h"
#include "smt/second_solver.h"

namespace kir {
class ContentStore;
}

namespace kir::smt {

struct DecideOptions {
  int jobs = 1;
  std::uint64_t rlimit = 40'000'000;          // Z3 resource units per obligation
  std::optional<SecondSolver> second_solver;  // cross-checks each proof that multiplies or divides unknowns
  unsigned variant = 0;                       // the same formulas in other words (smt/problem.h), and another seed for Z3
  std::function<void(std::size_t done, std::size_t total)> progress;  // may be empty; called from one thread at a time
  // Proofs of earlier runs, and of this one for later ones (smt/memory.h). Null: everything is decided here and now, as release
  // builds and rechecks have it. decide throws StoreError when it cannot be written.
  ContentStore* store = nullptr;
};

// PROVED needs a premise that is satisfiable or proven unreachable, and no contradiction by the second solver (INCONSISTENT).
// One decision per obligation, in order. `refuted` here means: a model of the negation exists. Whether that is a
// counterexample of the program is decided by replay (smt/run.h).
std::vector<proof::Decision> decide(const proof::Ledger& ledger, const DecideOptions& options);

// The obligation before any simplification as a standalone SMT-LIB 2 file whose answer `unsat` means PROVED. "" for presets.
// The ledger's pool grows: not while decide runs.
std::string dump_smtlib(const proof::Obligation& o);

std::string solver_version();  // "Z3 5.4.1"

}  // namespace kir::smt
