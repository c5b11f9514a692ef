// What a mutant is worth: whether it is told from the kernel by running it, and whether anything refuses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/interp/launch_args.h"
#include "core/kir/kernel.h"
#include "smt/run.h"
#include "tools/mutants/mutants.h"

namespace kir::mutants {

enum class Fate : std::uint8_t {
  malformed,   // the structural verifier refuses it
  refuted,     // the validator shows a counterexample
  unproved,    // UNKNOWN, UNSUPPORTED or INCONSISTENT
  equivalent,  // PROVED, and no run told it from the kernel
  survivor,    // PROVED, and a run told it from the kernel: an unsound proof
};
std::string_view name(Fate f);

struct Judgement {
  Fate fate = Fate::malformed;
  bool told = false;                         // some run gave another result than the kernel, or an error
  std::string reason;                        // rule id, or obligation kind with its verdict
  std::vector<std::string_view> refused_by;  // the checks of the construction verifier that fail
  std::string run;                           // the run that told it
};

struct JudgeOptions {
  int launches = 6;
  std::int64_t largest_extent = 7;
  std::uint64_t seed = 1;
  std::uint64_t max_steps = 2'000'000;
  std::uint64_t rlimit = 4'000'000;
};

Judgement judge(const Kernel& kernel, const Mutant& mutant, const JudgeOptions& options);

}  // namespace kir::mutants
