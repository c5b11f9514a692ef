// Arguments for a random kernel: extents 0, 1, 2, 7, 33 and 128, contents with NaN, infinities, -0, denormals and extremes, and
// integers that satisfy the kernel's data preconditions: segments of random lengths, some of them empty; keys in range.
#pragma once

#include <optional>

#include "core/interp/launch_args.h"
#include "core/kir/kernel.h"
#include "tools/fuzz/choices.h"

namespace kir::fuzz {

// Empty when the drawn arguments break a relation of the kernel. `largest`: no extent parameter is above it.
std::optional<LaunchArgs> draw_arguments(const Kernel& kernel, Choices& choices, std::int64_t largest);

}  // namespace kir::fuzz
