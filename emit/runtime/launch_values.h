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

inline constexpr std::int64_t kWorkspaceAlignment = 16;

// Memory of a launch beside its views, in bytes: expressions over symbols and definitions.
struct WorkspaceSize {
  std::vector<Expr> shared;  // of each buffer that all program instances see
  Expr slice;                // of a program instance; empty: it has none
  bool empty() const { return shared.empty() && !slice; }
};

struct LaunchValues {
  std::vector<std::int64_t> integers;  // the ABI's symbols, then the definitions, in order
  std::int64_t grid = 0;
  // The workspace, in bytes: where each shared buffer begins, where the slices begin, how long a slice is.
  std::vector<std::int64_t> shared;
  std::int64_t slices = 0, slice = 0;
};

// "" on success. Refused: a symbol without a value, an evaluation error (zero divisor, overflow of 128 bits), a definition
// outside [0, 2^63), a grid above kMaxGrid, a symbol outside the range that the program's ABI declares for it, a part of the
// workspace outside [0, 2^63) bytes.
std::string evaluate_launch(const Abi& abi, const std::vector<Definition>& definitions, const std::string& grid,
                            const WorkspaceSize& workspace, const std::map<std::string, std::int64_t>& symbols,
                            LaunchValues* out);

// The hidden arguments that say where the parts of a workspace lie that begins at this address.
void append_workspace(const WorkspaceSize& workspace, const LaunchValues& values, std::uint64_t begin,
                      std::vector<std::uint64_t>& arguments);

}  // namespace kir::runtime
