// The outermost frame of every tool.
#pragma once

#include <functional>

namespace kir {

// Runs a tool's `run` and gives its exit code. No failure of the surroundings is a crash or goes unnoticed: 2, with a message,
// when memory is exhausted or a standard stream cannot be written (what was printed has reached standard output, or the code is
// not 0). Standard streams that are closed stay unusable: no file that is opened later takes their place.
int exit_code_of(const std::function<int()>& run);

}  // namespace kir
