// A law of a combine, and operands at which it seems to fail.
#pragma once

#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/numeric/scalar.h"

namespace kir::proof {

using Operands = std::vector<Scalar>;  // a literal for each component

struct LawWitness {
  enum class Law : std::uint8_t { neutral_left, neutral_right, commutative, associative } law;
  RegionId combine;                // of the kernel's body
  std::vector<Operands> operands;  // the identity and an accumulator (neutral); a and b (commutative); a, b and c (associative)
};

bool same_values(const Operands& a, const Operands& b);  // bits, but for NaN
std::string to_string(const Operands& t);                // "1.0", "(1.0, 2)"

}  // namespace kir::proof
