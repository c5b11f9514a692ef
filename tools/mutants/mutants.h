// Damaged programs: every way in which one place of a physical program can be wrong, for testing what guards against it.
// A mutant may be malformed, wrong, or by chance as good as the original; judge.h tells which.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/pir/program.h"

namespace kir::mutants {

struct Mutant {
  std::string_view damage;  // "store dropped"
  std::string_view check;   // the check of the construction verifier that it is aimed at: "K9.1"
  std::string place;        // "store y[%m] at softmax.pir:12:3"
  PhysicalPtr program;
};

// All of them, in the order of the text; deterministic. O(places) copies of the program.
std::vector<Mutant> mutants_of(const PhysicalProgram& program);

// The damages that are known, with the check each is aimed at.
struct Damage {
  std::string_view name, check;
};
std::vector<Damage> damages();

}  // namespace kir::mutants
