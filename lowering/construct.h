// Construction: KIR to the first, conservative physical program (founding document, sections 2 to 9).
// Complete, executable without KIR, unoptimised: one program instance per workset member, one thread per instance, 128
// instances packed in a block, loops scalar, source order kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "proof/obligation.h"

namespace kir::lowering {

// Why a workset looks as it does: for each axis whether it became an instance axis, and the fact that decided it.
struct Explanation {
  std::string group;
  std::vector<std::string> lines;
};

struct Construction {
  PhysicalPtr program;
  proof::Ledger ledger;  // claims of each step, with witnesses; the validator derives its own
  std::vector<Explanation> explanations;
};

std::optional<Construction> construct(const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace kir::lowering
