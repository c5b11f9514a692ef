// One case of a bundle: its arguments, and the comparison of its results.
#pragma once

#include <string>

#include "core/interp/launch_args.h"
#include "core/ir/abi.h"
#include "emit/runtime/bundle.h"

namespace kir::runtime {

// The arguments of a case, made as bundle.h says. "" on success.
std::string make_arguments(const Abi& abi, const BundleCase& c, const std::string& bundle, LaunchArgs* args);

struct Comparison {
  bool ok = true;
  std::int64_t elements = 0, undecided = 0;
  double max_error = 0;  // largest absolute difference over decided numbers; 0 when all bits agree
  std::string first;     // the first element that differs, in words
};

// A dense expected tensor against the logical contents of a result; `radius` as BundleExpectation says, null for equal bits.
Comparison compare(const Tensor& expected, const Tensor& got, const Tensor* radius);

}  // namespace kir::runtime
