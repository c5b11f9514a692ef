// Files of facts about layouts (docs/layouts.md has the schema): each case is computed and compared with what it expects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace kir::tools {

struct CaseResult {
  std::string id, kind;
  bool passed = false;
  std::string difference;  // of a failure: where the values differ. Of a passed suspect one: what is not as the file has it
};

// Every case, in the file's order. Error: the file is malformed; which case, and why.
tl::expected<std::vector<CaseResult>, std::string> run_cases(std::string_view json_text);

}  // namespace kir::tools
