// How deep a JSON text nests. The library that reads JSON builds any depth, but copies, compares and prints by recursion, so a
// hostile file would end the process. Whoever reads a file that others wrote asks first.
#pragma once

#include <cstddef>
#include <string_view>

namespace kir {

inline constexpr std::size_t kMostJsonDepth = 100;

// Brackets outside of strings, whether or not the rest is JSON. O(size).
inline bool json_too_deep(std::string_view text, std::size_t most = kMostJsonDepth) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > most)
      return true;
    else if (!quoted && (c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return false;
}

}  // namespace kir
