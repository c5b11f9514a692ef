// Executing one concrete launch on both interpreters, to see whether a program misbehaves: the only way a refutation
// becomes REFUTED.
#pragma once

#include <optional>
#include <string>

#include "core/interp/oracle.h"
#include "smt/counterexample.h"
#include "smt/launches.h"

namespace kir::smt {

struct Trial {
  Misbehaviour what = Misbehaviour::none;
  std::string reason;  // of not_run, refused, overlapping_view
  std::string rule;    // of the check that refuses the launch: "A-12"
  std::optional<RuntimeError> error;
  std::string view;                      // of different_output
  Comparison difference;                 // likewise
  std::optional<InstanceRun> instances;  // of a point: what was run
  std::uint64_t steps = 0;               // of both interpreters
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

// The same misbehaviour at the same place.
bool same_failure(const Trial& a, const Trial& b);

// Could this trial be what the obligation's failure predicts: do the kinds agree, and do the source ranges overlap (or the
// names of the views agree)?
bool explains(const Trial& trial, const proof::Obligation& o);
bool same_place(const Trial& trial, const proof::Obligation& o);

}  // namespace kir::smt
