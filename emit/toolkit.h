// The CUDA Toolkit, found and never required: ptxas, and libdevice (math functions as LLVM bitcode). Looked for in
// $CUDA_HOME, $CUDA_PATH, beside the ptxas or nvcc on the PATH, and in /usr/local/cuda.
#pragma once

#include <string>

namespace kir::emit {

std::string ptxas_path();      // "" when not found
std::string libdevice_path();  // "" when not found

}  // namespace kir::emit
