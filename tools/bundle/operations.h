// Physical programs that try emission itself, beside the corpus: one for each pointwise operation, conversion mode and
// comparison over every element type it takes, made from the operation table; and ones whose threads work together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kir::tools {

struct Trial {
  std::string name;
  std::string text;  // a .pir file
  std::map<std::string, std::int64_t> symbols;
  std::vector<std::pair<std::uint64_t, bool>> contents;  // seed, special values
  int ulp = 0;                                           // allowed distance of results
};

std::vector<Trial> operation_trials();
std::vector<Trial> thread_trials();

}  // namespace kir::tools
