// Which mutants of which kernels are judged: a sample spread evenly over kernels, forms and families of damages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/mutants/mutants.h"

namespace kir::mutants {

// A kernel and a program of it, which are to be damaged.
struct Subject {
  std::string name;  // "softmax", "softmax by softmax_tiled"
  KernelPtr kernel;
  PhysicalPtr program;
  std::vector<Form> forms = {Form::physical, Form::kir};
};

struct Choice {
  std::size_t subject = 0;
  Form form = Form::physical;
  std::size_t number = 0;  // of the mutant among those of its form
  Damage damage;
};

struct SelectionOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 0;            // at most; 0: all
  std::vector<std::string> families;  // only these; empty: all
};

// In the order of subjects, forms and numbers. The mutants of one subject, form and family are in an order that the seed
// decides; the sample takes the first of each such group, then the second of each, until it is full. A larger count takes what
// a smaller one does, and more. O(mutants) copies.
std::vector<Choice> select(const std::vector<Subject>& subjects, const SelectionOptions& options);

}  // namespace kir::mutants
