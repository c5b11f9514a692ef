// Executing one concrete launch on both interpreters, to see whether a program misbehaves: the only way a refutation
// becomes REFUTED.
#pragma once

#include <optional>
#include <string>

#include "core/interp/interpreter.h"
#include "proof/obligation.h"
#include "smt/launches.h"

namespace kir::smt {

enum class Misbehaviour : std::uint8_t {
  none,
  not_run,           // too large, too long, or an operation that an interpreter does not execute
  overlapping_view,  // two elements of a written view are one address; the launcher refuses
  kir_error,         // the kernel's own execution is erroneous
  refused,           // the program refuses a launch that the kernel accepts
  physical_error,    // the program's execution is erroneous, the kernel's is not
  different_output,  // an element differs from the value that the kernel defines
};

struct Trial {
  Misbehaviour what = Misbehaviour::none;
  std::string reason;  // of not_run, refused, overlapping_view
  std::optional<RuntimeError> error;
  std::string view;   // of different_output
  std::string story;  // sizes, instance, coordinates, values, for a reader; without the source line
  bool found() const { return what > Misbehaviour::not_run; }
};

struct TrialLimits {
  std::uint64_t kir_steps = 4'000'000;
  std::uint64_t physical_steps = 16'000'000;
};

// Runs the kernel, then (when it is given and the kernel is not erroneous) the program on a copy of the same arguments, and
// compares the views by core/interp/oracle.h.
Trial try_launch(const Kernel& kernel, const PhysicalProgram* program, const LaunchArgs& args, const TrialLimits& limits);

// A replay of the instances that a model names, over sparse memory: for launches that are too large to be run whole. The
// model's leaves are read as hints: `name$7 = 5` runs iteration or program id 5 of what has that name. An error is an error of
// the whole execution whatever the hints were. `of_program`: the program's instances, else the kernel's.
Trial try_point(const Kernel& kernel, const PhysicalProgram* program, bool of_program, const Symbols& symbols,
                const std::vector<proof::Binding>& model, const TrialLimits& limits);

// Could this trial be what the obligation's failure predicts: do the kinds agree, and do the source ranges overlap (or the
// names of the views agree)?
bool explains(const Trial& trial, const proof::Obligation& o);
bool same_place(const Trial& trial, const proof::Obligation& o);

}  // namespace kir::smt
