// What each kind of case computes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tools/layout/case_values.h"

namespace kir::tools::cases {

struct Case {
  std::string id, kind;
  Json layout, shape, input, expect;
  bool suspect = false;  // the file's value looks like a leftover of its source
};

struct Kind {
  std::string_view name;
  Json (*compute)(const Case& c);                    // in the form of `expect`; throws Refused or Malformed
  bool canonical = false;                            // layouts are compared in canonical form
  std::vector<std::string_view> ignored = {};        // keys of `expect` that say nothing about the result
  std::optional<std::string_view> suspect_key = {};  // what may differ in a suspect case
};

std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);

}  // namespace kir::tools::cases
