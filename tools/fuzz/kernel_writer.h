// Random kernels: the text of one well-formed kernel over every family of KIR, a function of a sequence of choices.
//
// What it writes mostly runs without an error on the inputs of inputs.h: coordinates are made of variables that range over
// the extent, each output has one statement that owns it, memory is read after it was written, divisors are not zero. Some
// kernels err on some inputs anyway (a race through a shifted coordinate, a fold over no member); the reference interpreter
// tells.
#pragma once

#include <string>

#include "tools/fuzz/choices.h"

namespace kir::fuzz {

struct Profile {
  int outputs = 3;       // at most
  int depth = 3;         // of nested blocks
  int expression = 4;    // levels of an expression
  bool floats = true;    // else integers only: every result has one value, bit for bit
  bool licences = true;  // float folds in any order
};

// A `.kir` file with the one kernel `random`.
std::string write_kernel(Choices& choices, const Profile& profile = {});

}  // namespace kir::fuzz
