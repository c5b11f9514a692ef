// Copies of a physical program, or of a kernel, with changes: what a pass is made of. Neither is ever edited in place.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir::lowering {

// What becomes of one operation, in ids and expressions of the body that is copied, and how often it stands in the copy (at
// most once when it has results).
struct OpEdit {
  OpKind kind;
  std::vector<ValueId> operands;
  Attrs attrs;
  std::vector<Type> types;  // of the results
  std::vector<RegionId> regions;
  int times = 1;
};
using Edit = std::function<void(OpId, OpEdit&)>;

// A copy in a pool of its own. Nothing that stays may use a value of what is left out.
PhysicalPtr copy_with(const PhysicalProgram& program, const Edit& edit);
// The copy does not know which operations came of helper calls.
std::shared_ptr<const Kernel> copy_with(const Kernel& kernel, const Edit& edit);

// A copy without the operations for which `keep` is false.
PhysicalPtr copy_without(const PhysicalProgram& program, const std::function<bool(OpId)>& keep);

}  // namespace kir::lowering
