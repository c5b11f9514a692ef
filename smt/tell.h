// From an execution that went wrong to the counterexample that a person is told of.
#pragma once

#include "smt/minimise.h"

namespace kir::smt {

// Runs it once more to see what accesses the element that it is about. `m` is of this kernel and program (may be null).
Counterexample tell(const Kernel& kernel, const PhysicalProgram* program, const Minimised& m);

}  // namespace kir::smt
