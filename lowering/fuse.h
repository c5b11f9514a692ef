// Fusing of tensor values. A `tensor` is a snapshot: its loads see the memory of its `let`. Construction reads its elements
// again where they are used, which is the same value when no store to what it loads lies in between; else it keeps them.
#pragma once

#include "core/base/diagnostics.h"
#include "lowering/facts.h"

namespace kir::lowering {

// Has `facts` keep every tensor whose elements cannot be read again where they are used. Reports every tensor or view value
// that nothing stands behind whose elements can be reached (L-02), kernels where reading again takes too many operations
// (L-03), and what is to be kept inside a computation that writes nothing (L-07). True when there is none.
bool settle_tensors(KernelFacts& facts, Diagnostics& diagnostics);

}  // namespace kir::lowering
