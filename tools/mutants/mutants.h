// Damaged programs: every way in which one place of a physical program can be wrong, for testing what guards against it.
// A mutant may be malformed, wrong, or by chance as good as the original; judge.h tells which.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pir/program.h"

namespace kir::mutants {

struct Mutant {
  std::string_view damage;  // "effect dropped"
  std::string_view checks;  // those of the construction verifier that it is aimed at: "K9.2 K9.4"
  std::string place;        // "store y[%m] at softmax.pir:12:3"
  PhysicalPtr program;
};

// All of them, those of one operation together; deterministic. O(places) copies of the program.
std::vector<Mutant> mutants_of(const PhysicalProgram& program);

// The damages that are known (damages.h), with the checks each is aimed at.
struct Damage {
  std::string_view name, checks;
};
std::span<const Damage> damages();

}  // namespace kir::mutants
