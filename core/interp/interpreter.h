// The two interpreters. The reference interpreter is the executable meaning of KIR; the physical interpreter executes a
// physical program without KIR. Both report every erroneous execution with its source range and the concrete indices,
// and never crash, hang (step limit) or touch memory outside the arguments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/interp/launch_args.h"
#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir {

enum class RuntimeErrorKind : std::uint8_t {
  out_of_bounds,
  uninitialized_read,
  division,
  conversion,
  empty_reduction,
  failed_assume,
  zero_divisor,
  bad_step,
  race,
  index_overflow,    // physical: an intermediate of an integer expression leaves its type
  arbitrary_value,   // an observable result depends on an unfilled masked lane
  shape_mismatch,    // a reshape to another number of elements; a concat along a negative extent
  launch_overflow,   // physical: a definition overflows 64 bits, or the grid is above the provider's limit
  violated_licence,  // permitted executions differ by more than rounding
  step_limit,
  refused_launch,  // a plan: a launch, or the memory between launches, is refused
  unsupported,
};
std::string_view name(RuntimeErrorKind k);

struct NamedValue {
  std::string name;
  Integer value = 0;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

// An operation at work: which one, and where in the execution.
struct RuntimeEvent {
  OpId op;                              // of the body that runs; none: outside any operation
  std::optional<std::int64_t> program;  // the program id, in a physical program
  std::optional<std::int64_t> element;  // of the fragment that is loaded or stored, in row-major order
  std::vector<NamedValue> variables;    // of the loops, domains and groups around it, outermost first
  std::string access;                   // "load x[4]"; "" of what accesses no element
  bool writes = false;
  std::optional<Scalar> value;  // read or written, where there is one
};

// An element of memory: views of the ABI in order, then the buffers as they are made; an element's offset.
struct MemoryElement {
  std::size_t view = 0;
  std::int64_t address = 0;
};

// Follows one element through an execution.
struct Watch {
  static constexpr std::size_t kMostEvents = 4096;
  MemoryElement element;
  std::vector<RuntimeEvent> events;  // its accesses in the order they ran, the last kMostEvents at least half of them
};

struct RuntimeError {
  RuntimeErrorKind kind;
  SourceRange range;
  std::string message;                        // "load x[4] is outside [0, 4)", with "m = 3, n = 4" of the enclosing variables
  std::string what;                           // the same without these; "" where that is all of the message
  RuntimeEvent at;                            // the operation at fault
  std::string rival = {};                     // of a race: the instance it was with, "program 3"
  std::optional<MemoryElement> element = {};  // of a race or of a read of what was never written
  // Of a race, when its element is watched: the earlier access.
  std::optional<RuntimeEvent> earlier = {};

  void append(const std::string& text) {
    message += text;
    if (!what.empty()) what += text;
  }
};

struct InterpretOptions {
  std::uint64_t max_steps = 1u << 30;  // operations executed
  // Order in which members of `parallel` (or program ids) run: 0 is ascending; other seeds shuffle. Results of programs
  // that are not erroneous do not depend on it, licensed orders aside.
  std::uint64_t order_seed = 0;
  bool detect_races = true;
  // Of the body's operations those that were executed, by id: set to true, never to false. As many as the body has; null: not
  // wanted. What nothing executes by itself (terminators, coordinate relations) is never set.
  std::vector<bool>* executed = nullptr;
  Watch* watch = nullptr;  // null: none
};

struct InterpretResult {
  std::optional<RuntimeError> error;
  std::uint64_t steps = 0;
  bool ok() const { return !error; }
};

// Views of the launch are updated in place; on an error their contents are unspecified.
InterpretResult interpret(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options = {});
InterpretResult interpret(const PhysicalProgram& program, const BoundLaunch& launch, const InterpretOptions& options = {});
// A plan's launches in order, each bound and checked as bind_launch does. The message of an error names the launch.
InterpretResult interpret(const Plan& plan, const BoundLaunch& launch, const InterpretOptions& options = {});

// --- replay of a point -------------------------------------------------------------------------------------------------
// Counterexamples name sizes at which nothing can be allocated or run whole. A replay runs only the instances and loop
// iterations that matter, over memory that exists only where it is touched.

// A launch without tensors: extents and strides follow from the symbols. Contents of elements that are not given are
// random_scalar(dtype, seed + 2 * view, address, special).
struct SparseLaunch {
  std::map<std::string, std::int64_t> symbols;  // every symbol of the ABI
  std::vector<Scalar> scalars;                  // in ABI order; those left out are random
  std::uint64_t seed = 0;
  bool special = false;
  std::vector<std::map<std::int64_t, Scalar>> cells;           // given contents per view, by address; may be shorter
  std::vector<std::pair<std::size_t, std::size_t>> identical;  // views declared may_alias that are one memory here
};

// Variables of `parallel`, `for`, `reduce` or `tensor` and the values that run, ascending; all others are left out. What may
// depend on a part left out (carried values, results, contents of views stored to there) is unknown: when such a thing is
// observed the replay ends with `unsupported`. So every other error is an error of the whole execution, provided that
// the execution gets there.
using Focus = std::map<ValueId, std::vector<std::int64_t>>;

struct ReplayResult {
  std::optional<RuntimeError> error;
  std::string outside_contract;  // "" or why the ABI refuses such a launch; nothing has run then
  std::uint64_t steps = 0;
  std::vector<std::map<std::int64_t, Scalar>> written;  // per view, by address
};

// One member, or some, of the kernel's top-level parallels: those whose variables are in the focus (an empty list of values
// skips a parallel altogether). Everything else of the kernel runs.
ReplayResult interpret_instances(const Kernel& kernel, const SparseLaunch& launch, const Focus& focus,
                                 const InterpretOptions& options = {});
// The given program ids, as unordered instances of one launch.
ReplayResult interpret_instances(const PhysicalProgram& program, const SparseLaunch& launch,
                                 std::span<const std::int64_t> program_ids, const Focus& focus = {},
                                 const InterpretOptions& options = {});
ReplayResult interpret_instance(const PhysicalProgram& program, const SparseLaunch& launch, std::int64_t program_id,
                                const Focus& focus = {}, const InterpretOptions& options = {});

}  // namespace kir
