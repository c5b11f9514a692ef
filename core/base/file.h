// Whole files. A write goes to a temporary file in the same folder and is renamed, so that a reader sees the old contents or
// the new, never a part.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kir {

// Empty with *error set: not readable, or more than max_bytes.
std::optional<std::string> read_file(const std::string& path, std::size_t max_bytes, std::string* error);

bool write_file(const std::string& path, std::string_view contents, std::string* error);

// Runs a tool's `run` and gives its exit code: 2, with a message, when what it printed to standard output cannot be written
// or memory is exhausted.
int exit_code_of(const std::function<int()>& run);

}  // namespace kir
