// The construction verifier as a whole: structure first, then every obligation, then the results by check.
#pragma once

#include "proof/construction.h"
#include "smt/run.h"

namespace kir::smt {

struct ConstructionVerdict {
  Diagnostics structure;  // of kernel and program; with errors nothing is derived
  Outcome outcome;        // empty then
  std::vector<proof::CheckResult> checks;
  // Every check holds, and so does what belongs to none.
  bool holds() const { return !structure.has_errors() && outcome.exit_code == 0; }
};

ConstructionVerdict verify_construction(const Kernel& kernel, const PhysicalProgram& program, const RunOptions& options);

}  // namespace kir::smt
