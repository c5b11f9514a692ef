// Fusing of tensor values. A `tensor` is a snapshot: its loads see the memory of its `let`. Construction reads its elements
// again where they are used, which is the same value when no store to what it loads lies in between.
#pragma once

#include "core/base/diagnostics.h"
#include "lowering/facts.h"

namespace kir::lowering {

// Reports (L-01) every tensor whose elements cannot be read again where they are used, with the store in the way, and (L-02)
// every tensor or view value that no tensor, relation or ABI view stands behind. True when there is none.
bool check_fusible(const KernelFacts& facts, Diagnostics& diagnostics);

}  // namespace kir::lowering
