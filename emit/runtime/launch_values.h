// The integers of a launch: symbols as bound, then the definitions, evaluated once in checked arithmetic and handed to the
// program, which uses these very values. Shared by the host provider and the GPU launcher.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/abi.h"
#include "core/pir/program.h"

namespace kir::runtime {

inline constexpr std::int64_t kMaxGrid = 2147483647;  // of the hardware's x dimension; the host keeps to it too

struct LaunchValues {
  std::vector<std::int64_t> integers;  // the ABI's symbols, then the definitions, in order
  std::int64_t grid = 0;
  std::int64_t slice = 0;  // bytes of workspace of a program instance
};

// "" on success. Refused: a symbol without a value, an evaluation error (zero divisor, overflow of 128 bits), a definition
// outside [0, 2^63), a grid above kMaxGrid, a symbol outside the range that the program's ABI declares for it, a slice of
// workspace (an expression, or empty) outside [0, 2^63).
std::string evaluate_launch(const Abi& abi, const std::vector<Definition>& definitions, const std::string& grid, Expr slice,
                            const std::map<std::string, std::int64_t>& symbols, LaunchValues* out);

}  // namespace kir::runtime
