// Copies of a physical program with changes: what a pass is made of. A program is never edited in place.
#pragma once

#include <functional>

#include "core/pir/program.h"

namespace kir::lowering {

// A copy, in a pool of its own, without the operations for which `keep` is false. Nothing kept may use a dropped value.
PhysicalPtr copy_without(const PhysicalProgram& program, const std::function<bool(OpId)>& keep);

}  // namespace kir::lowering
