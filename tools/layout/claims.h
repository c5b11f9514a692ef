// What is decided about a layout, as the command line and the page list it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/layout/decide.h"

namespace kir::tools {

struct Claim {
  std::string_view name;   // "injective"
  std::string_view title;  // in words
  bool demanded;           // counts for the verdict of `check`; the others are shown only
  layout::Decision decision;
};

// admissible, injective, exclusive, replica-consistent, scope and covering, in this order; undecided ones stay undecided.
// `shape` empty: no shape to admit.
std::vector<Claim> claims_of(const layout::Layout& l, const layout::Shape& shape);

}  // namespace kir::tools
