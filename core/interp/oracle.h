// What a correct provider may answer, and the comparison of an answer with it.
//
// A kernel without an order licence on a float reduction and without an operation of an accuracy class has one answer,
// bit for bit (NaN payloads aside). Else each element has a radius around the reference's value (bound_rules.h). An element
// that differs where the radius is infinite is not decided: neither called wrong nor called right. Where control depends on
// values within a radius all are infinite. The reference's own bits are always a permitted answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interp/interpreter.h"

namespace kir {

// Orders that are free and show in the result: licensed float folds, unordered updates and atomics, `unit`.
bool has_free_orders(const Kernel& kernel);
// These, or operations of an accuracy class: results need bounds.
bool has_several_answers(const Kernel& kernel);

struct Reference {
  InterpretResult result;
  bool exact = true;       // one answer; else `radius` holds a radius per element, by address
  bool undecided = false;  // control depends on values within a radius: the views hold what one permitted execution gives
  std::vector<std::vector<double>> radius;  // in ABI order
  std::string basis;                        // what bounds were made of: "orders of up to 33 terms, functions within 2 ulp"
};
// Interprets the kernel; the launch's views are updated in place and hold the reference's values.
Reference interpret_reference(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options = {});

struct Comparison {
  enum class Verdict : std::uint8_t { equal, within, undecided, different } verdict = Verdict::equal;  // the worst element's
  std::int64_t elements = 0, undecided = 0;
  // Of the first difference beyond the radius:
  std::vector<std::int64_t> coordinate;
  std::string wanted, got;  // as literals
  double radius = 0;
};
// Compares the logical elements of two tensors of one form. `radius` by address of `reference`; null: bit for bit.
Comparison compare(const Tensor& reference, const Tensor& other, const std::vector<double>* radius);
// "equal bit for bit", "within the bound", "not decided: 3 of 128 elements ...", "different: first at ..."
std::string describe(const Comparison& c);

}  // namespace kir
