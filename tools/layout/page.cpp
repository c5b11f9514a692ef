#include "tools/layout/page.h"

#include <nlohmann/json.hpp>

#include "core/base/check.h"

namespace kir::tools {

// Embedded by tools/layout/page/page.cmake.
namespace page {
std::string_view html();
std::string_view css();
std::string_view js();
std::string_view wasm();
}  // namespace page

namespace {

void put(std::string& text, std::string_view marker, std::string_view value) {
  const std::size_t at = text.find(marker);
  KIR_CHECK(at != std::string::npos, "the page has no {}", marker);
  text.replace(at, marker.size(), value);
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::optional<std::string> page_html(const std::optional<SubjectText>& initial) {
  if (page::wasm().empty()) return std::nullopt;
  nlohmann::ordered_json start;
  if (initial)
    start = {{"layout", initial->layout},
             {"shape", initial->shape},
             {"sizes", initial->sizes},
             {"dtype_bits", initial->dtype_bits},
             {"mode", initial->mode_bytes}};
  std::string json = start.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) json.replace(at, 1, "\\u003c");  // no "</script>"
  std::string out(page::html());
  put(out, "/*PAGE_INITIAL*/", json);
  put(out, "/*PAGE_JS*/", page::js());
  put(out, "/*PAGE_CSS*/", page::css());
  put(out, "/*PAGE_WASM*/", base64(page::wasm()));
  return out;
}

}  // namespace kir::tools
