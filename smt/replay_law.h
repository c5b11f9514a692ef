// Executing a combine on concrete operands: the only way a law that a kernel claims becomes REFUTED.
#pragma once

#include <optional>
#include <string>

#include "core/kir/kernel.h"
#include "proof/obligation.h"

namespace kir::smt {

// Runs the combine of the kernel's body in the reference interpreter, as a kernel of its own, at the operands of the witness.
// The sides of the law and their values, for a reader, when they differ; nothing when the law holds there or the combine
// cannot be run alone.
std::optional<std::string> replay_law(const Kernel& kernel, const proof::LawWitness& witness);

}  // namespace kir::smt
