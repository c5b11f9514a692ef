// Damaged kernels and programs: every way in which one place of them can be wrong, for testing what guards against it.
// A mutant may be malformed, wrong, or by chance as good as the original; judge.h tells which.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir::mutants {

using KernelPtr = std::shared_ptr<const Kernel>;

// The damages that are known stand in damages.h.
struct Damage {
  std::string_view name;    // "effect dropped"
  std::string_view family;  // "write dropped"
  std::string_view checks;  // those of the construction verifier that it is aimed at: "K9.2 K9.4"
};
std::span<const Damage> damages();
std::vector<std::string_view> families();  // of them, each once, in their order

// Which of the two is damaged. The other one stays as it is: a damaged kernel is to be told from the program of the original.
enum class Form : std::uint8_t { physical, kir };
std::string_view name(Form f);  // "physical"

struct Mutant {
  Form form = Form::physical;
  Damage damage;
  std::string place;    // "store y[%m] at softmax.pir:12:3"
  OpId op;              // of the undamaged body: what has to be executed for the damage to show; none: everything
  bool abi = false;     // the parameters or what they must satisfy are damaged
  PhysicalPtr program;  // physical: the damaged one
  KernelPtr kernel;     // kir: the damaged one
};

// All of them, those of one operation together; deterministic. O(places) copies.
std::vector<Mutant> mutants_of(const PhysicalProgram& program);
std::vector<Mutant> mutants_of(const Kernel& kernel);

}  // namespace kir::mutants
