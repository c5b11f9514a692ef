// A whole validation: derive, decide, replay, report. What kir-validate and kirc --proofs call.
#pragma once

#include <memory>
#include <string>

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "proof/validate.h"
#include "smt/decide.h"

namespace kir::smt {

struct RunOptions {
  DecideOptions decide;
  proof::DeriveOptions derive;
  int replay_attempts = 64;  // concrete launches tried before solving, to refute cheaply
};

struct Counterexample {
  std::string text;  // sizes, program id, coordinates, values: the story a kernel author reads
};

struct Outcome {
  proof::Ledger ledger;
  std::vector<proof::Decision> decisions;       // aligned with ledger.obligations
  std::vector<Counterexample> counterexamples;  // replayed in the interpreters
  proof::Verdict verdict = proof::Verdict::missing;
  int exit_code = 5;
};

// program may be null: only the KIR is checked. `extra` (may be null) adds claims of lowering steps to the set.
Outcome run(const Kernel& kernel, const PhysicalProgram* program, const proof::Ledger* extra, const RunOptions& options);

}  // namespace kir::smt
