#include "smt/construction.h"

#include "core/ir/verify.h"

namespace kir::smt {

ConstructionVerdict verify_construction(const Kernel& kernel, const PhysicalProgram& program, const RunOptions& options) {
  ConstructionVerdict v;
  verify(kernel, v.structure);
  verify(program, v.structure);
  if (!v.structure.has_errors()) v.outcome = run(kernel, &program, nullptr, options);
  v.checks = proof::check_results(v.structure, v.outcome.ledger, v.outcome.decisions);
  return v;
}

}  // namespace kir::smt
