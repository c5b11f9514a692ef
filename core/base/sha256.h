#pragma once

#include <string>
#include <string_view>

namespace kir {
std::string sha256_hex(std::string_view bytes);  // 64 lower-case hex digits
}
