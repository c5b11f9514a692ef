// A whole validation: derive, decide, replay, report. What kir-validate and kirc --proofs call.
//
// Verdicts of the outcome's decisions are final: REFUTED only where a concrete execution misbehaved, a model that did not
// replay is UNKNOWN and says so. Deterministic, whatever the number of jobs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "proof/validate.h"
#include "smt/counterexample.h"
#include "smt/decide.h"
#include "smt/minimise.h"

namespace kir::smt {

struct RunOptions {
  DecideOptions decide;
  proof::DeriveOptions derive;
  int replay_attempts = 64;  // concrete launches tried before solving, to refute cheaply
  MinimiseLimits minimise;   // of each counterexample; verdicts do not depend on it
};

struct Outcome {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  proof::Ledger ledger;
  std::vector<proof::Decision> decisions;       // aligned with ledger.obligations
  std::vector<std::size_t> counterexample_of;   // aligned with ledger.obligations: index into counterexamples, or kNone
  std::vector<Counterexample> counterexamples;  // replayed in the interpreters, made small
  std::string malformed;                        // contradictory preconditions: nothing was derived, exit code 2
  std::string witness;                          // "M = 1, N = 1": one launch that satisfies all preconditions
  proof::Verdict verdict = proof::Verdict::missing;
  int exit_code = 5;
};

// program may be null: only the KIR is checked. `extra` (may be null) adds claims of lowering steps to the set.
Outcome run(const Kernel& kernel, const PhysicalProgram* program, const proof::Ledger* extra, const RunOptions& options);

// The same for a ledger that is already derived.
Outcome judge(const Kernel& kernel, const PhysicalProgram* program, proof::Ledger ledger, const RunOptions& options);

}  // namespace kir::smt
