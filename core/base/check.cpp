#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kir {

void internal_error(const char* file, int line, std::string_view message) {
  fmt::print(stderr, "internal error at {}:{}: {}\n", file, line, message);
  std::abort();
}

}  // namespace kir
