// Which operations of a kernel have a physical form.
#pragma once

#include "core/base/diagnostics.h"
#include "core/kir/kernel.h"

namespace kir::lowering {

// False when an operation has none; the errors (L-05) say which. What construction reads is only kernels of the others.
bool check_supported(const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace kir::lowering
