// The launch of a physical program: its definitions, and the dispatch of program ids to groups.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/interp/code.h"
#include "core/interp/interpreter.h"
#include "core/interp/machine.h"

namespace kir {

// Limits of the providers.
inline constexpr std::int64_t kMaxGrid = (std::int64_t{1} << 31) - 1;
inline constexpr std::int64_t kMaxBlockThreads = 1024;

struct ProgramLaunch {
  std::map<std::string, std::int64_t> symbols;       // of the ABI, and the definitions
  std::int64_t grid = 0;                             // blocks
  std::int64_t programs = 0;                         // grid * pack
  std::vector<std::vector<std::int64_t>> workspace;  // shapes of its buffers
};

// Evaluates the definitions and the extents of the workspace in checked 64-bit arithmetic. An error: launch_overflow or
// zero_divisor; unsupported where this machine does not hold the workspace.
std::optional<RuntimeError> resolve_launch(const PhysicalProgram& program, const std::map<std::string, std::int64_t>& symbols,
                                           ProgramLaunch& out);

class ProgramRun {
 public:
  ProgramRun(const PhysicalProgram& program, const ProgramLaunch& launch, Memory& memory, const InterpretOptions& options);
  Machine& machine() { return machine_; }
  bool run_all(std::uint64_t order_seed);
  bool run_some(std::span<const std::int64_t> program_ids);  // as unordered instances of one launch

 private:
  bool run_program(std::int64_t id);
  bool evaluate(const IndexCode& code, SourceRange range, Integer& out);

  struct Arm {
    IndexCode guard;
    std::vector<IndexCode> coordinates;
  };
  struct GroupRange {
    IndexCode low, high;
  };
  const PhysicalProgram& program_;
  ProgramLaunch launch_;
  Code code_;
  Machine machine_;
  std::vector<Arm> arms_;
  std::vector<std::vector<GroupRange>> ranges_;  // of each group's arguments
};

}  // namespace kir
