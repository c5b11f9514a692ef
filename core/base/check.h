// Internal errors: a violated invariant of our own code. It aborts with the place and a message, since
// going on could turn a bug into a wrong verdict. User input never reaches these (see diagnostics.h).
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace kir {

[[noreturn]] void internal_error(const char* file, int line, std::string_view message);

}  // namespace kir

#define KIR_CHECK(condition, ...)                                                          \
  do {                                                                                     \
    if (!(condition)) ::kir::internal_error(__FILE__, __LINE__, fmt::format(__VA_ARGS__)); \
  } while (false)

#define KIR_UNREACHABLE(...) ::kir::internal_error(__FILE__, __LINE__, fmt::format(__VA_ARGS__))
