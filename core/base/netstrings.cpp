#include "core/base/netstrings.h"

#include <fmt/format.h>

#include <charconv>

namespace kir {

void append_netstring(std::string& to, std::string_view part) {
  to += fmt::format("{}:", part.size());
  to += part;
  to += ',';
}

std::string join_netstrings(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (std::string_view p : parts) append_netstring(out, p);
  return out;
}

std::optional<std::vector<std::string>> split_netstrings(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc()) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.size() < 2 || text[0] != ':' || length > text.size() - 2 || text[length + 1] != ',') return {};
    out.emplace_back(text.substr(1, length));
    text.remove_prefix(length + 2);
  }
  return out;
}

}  // namespace kir
