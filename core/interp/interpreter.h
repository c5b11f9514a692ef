// The two interpreters. The reference interpreter is the executable meaning of KIR; the physical interpreter executes a
// physical program without KIR. Both report every erroneous execution with its source range and the concrete indices,
// and never crash, hang (step limit) or touch memory outside the arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/interp/launch_args.h"
#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir {

enum class RuntimeErrorKind : std::uint8_t {
  out_of_bounds, uninitialized_read, division, conversion, empty_reduction, failed_assume, zero_divisor, bad_step, race,
  index_overflow,     // physical: an intermediate of an integer expression leaves its type
  arbitrary_value,    // an observable result depends on an unfilled masked lane
  launch_overflow,    // physical: a definition overflows 64 bits, or the grid is above the provider's limit
  step_limit, unsupported,
};
std::string_view name(RuntimeErrorKind k);

struct RuntimeError {
  RuntimeErrorKind kind;
  SourceRange range;
  std::string message;  // "load x[4] is outside [0, 4)", with "m = 3, n = 4" of the enclosing variables
};

struct InterpretOptions {
  std::uint64_t max_steps = 1u << 30;  // operations executed
  // Order in which members of `parallel` (or program ids) run: 0 is ascending; other seeds shuffle. Results of programs
  // that are not erroneous do not depend on it, licensed orders aside.
  std::uint64_t order_seed = 0;
  bool detect_races = true;
};

struct InterpretResult {
  std::optional<RuntimeError> error;
  std::uint64_t steps = 0;
  bool ok() const { return !error; }
};

// Views of the launch are updated in place; on an error their contents are unspecified.
InterpretResult interpret(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options = {});
InterpretResult interpret(const PhysicalProgram& program, const BoundLaunch& launch, const InterpretOptions& options = {});

}  // namespace kir
