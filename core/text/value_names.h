// The names under which the printer writes values: unique among the names visible at each place, no reserved words. A
// value keeps its own name where it can; unnamed values are t0, t1, ... Parsing what is printed gives values with just
// these names, so printing is a fixed point.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/ir/body.h"

namespace kir::text {

struct NamingRules {
  bool percent = false;            // values have a sigil, so reserved words and `taken` do not matter
  std::vector<std::string> taken;  // names of symbols, constexprs and (physical) views
  std::vector<ValueId> fixed;      // values that keep their names as they are (views and scalars of the ABI)
};

// One name for each value of the body, without sigil. O(size of the body).
std::vector<std::string> value_names(const Body& body, std::span<const RegionId> roots, const NamingRules& rules);

}  // namespace kir::text
