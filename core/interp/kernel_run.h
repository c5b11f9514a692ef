// Internal: one kernel within a larger execution.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/interp/interpreter.h"

namespace kir {

// Tensors that began uninitialised, and which of their elements have contents by now, by address.
using Contents = std::map<const Tensor*, std::vector<bool>>;

// As interpret(); a read of an element without contents is erroneous, and what the kernel stores has contents afterwards.
InterpretResult interpret_within(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options,
                                 Contents& contents);

// Why this is no launch that bind_launch made for the ABI, or "".
std::string mismatch(const Abi& abi, const BoundLaunch& launch);

}  // namespace kir
