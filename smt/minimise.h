// Makes a counterexample small: the sizes, then the positions of its instances, then what memory holds.
//
// What is given misbehaves; so does what is returned, in the same way and at the same place, for each smaller one was run
// before it took the place of the last. Sizes are minimal one by one: with one of them less, nothing that was tried misbehaves
// (up to kSmall every smaller value is tried, above that powers of two and then halves of the interval). Deterministic; bounded
// by the limits, which are counts of replays and of steps of the interpreters, never a clock.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "smt/launches.h"
#include "smt/replay.h"

namespace kir::smt {

// The instances that a model names (try_point).
struct PointRecipe {
  Symbols symbols;
  std::vector<proof::Binding> model;
  bool of_program = false;
};
using Recipe = std::variant<LaunchRecipe, PointRecipe>;

struct MinimiseLimits {
  int replays = 400;                // of one counterexample; 0: it is left as it is
  std::uint64_t steps = 8'000'000;  // of both interpreters, and bytes of arguments
};

struct Minimised {
  Trial trial;
  Symbols symbols;
  std::optional<LaunchArgs> args;  // of a whole launch, before it ran
  // Views and data scalars whose contents matter: with others it goes well, or that was not tried. One name of each memory.
  std::vector<std::string> telling;
};

// `found`: the trial that the recipe gave. `launches`: other sizes that may be tried, where sizes depend on each other.
Minimised minimise(const Kernel& kernel, const PhysicalProgram* program, const Recipe& recipe, const Trial& found,
                   const std::vector<Symbols>& launches, const MinimiseLimits& limits);

// A model of the negation of `o`, all values given, with smaller values: still one, and the launch symbols among them
// `permitted`. At most `limits.replays` evaluations.
std::vector<proof::Binding> minimise_model(const proof::Obligation& o, const std::vector<proof::Binding>& model,
                                           const std::function<bool(const std::vector<proof::Binding>&)>& permitted,
                                           const MinimiseLimits& limits);

}  // namespace kir::smt
