// Several byte strings as one, each as "<length>:<bytes>,": different lists have different texts, whatever bytes they hold.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kir {

void append_netstring(std::string& to, std::string_view part);
std::string join_netstrings(std::initializer_list<std::string_view> parts);

// Empty when the text is not exactly such a list.
std::optional<std::vector<std::string>> split_netstrings(std::string_view text);

}  // namespace kir
