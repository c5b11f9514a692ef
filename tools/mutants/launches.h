// Launches of an undamaged kernel and its program, drawn once and used for all of their mutants.
//
// Sizes are small and at the edges of what a tile, a block or a loop may do (0, 1, 2, 3, 7, 33, 128, 129), contents exact
// integers, fractions, special values and extremes, views that may alias sometimes one. A function of the kernel, the program
// and the options alone.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/interp/oracle.h"
#include "smt/launches.h"
#include "tools/mutants/mutants.h"

namespace kir::mutants {

struct DrawOptions {
  std::uint64_t seed = 1;
  int draws = 96;                     // launches that are tried, at most
  std::uint64_t max_steps = 300'000;  // of the kernel; longer launches are not used
};

struct Launch {
  std::string text;  // "M = 2, N = 7; special contents, seed 12"
  LaunchArgs args;
  // What the kernel gives; `wanted` holds its views afterwards.
  Reference reference;
  BoundLaunch wanted;
  std::vector<bool> kernel_executes;  // by operation
  // What the program gives, unless it refuses the launch.
  std::string refusal;
  InterpretResult result;
  BoundLaunch got;
  std::vector<bool> program_executes;
};

// "" or the first view that differs from what the kernel gives, and where. Where orders are free, within the reference's
// bounds; else bit for bit, functions of an accuracy class too: both interpreters evaluate them alike, and no proof puts one
// for another.
std::string first_difference(const Kernel& kernel, const BoundLaunch& wanted, const Reference& reference,
                             const BoundLaunch& got);
// An interpreter gave up: that says nothing about what it executed.
bool gives_up(const InterpretResult& r);

class Launches {
 public:
  Launches(KernelPtr kernel, PhysicalPtr program, const DrawOptions& options);
  // The n-th launch that the kernel accepts, on which it and the program agree, and for which neither takes too long; null
  // when the draws are used up.
  const Launch* at(std::size_t n);
  // "" or a launch so far on which the undamaged program gave something else than the kernel.
  const std::string& disagreement() const { return disagreement_; }

 private:
  std::optional<smt::Symbols> draw_symbols(int draw) const;
  bool add(int draw);

  KernelPtr kernel_;
  PhysicalPtr program_;
  DrawOptions options_;
  std::vector<smt::Symbols> small_;  // launches that satisfy the preconditions, where these are hard to meet
  std::deque<Launch> launches_;      // stay where they are
  int drawn_ = 0;
  std::string disagreement_;
};

}  // namespace kir::mutants
