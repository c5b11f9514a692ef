#include "tools/lib/rendering.h"

#include <charconv>

#include "core/base/netstrings.h"

namespace kir::tools {

using Json = nlohmann::ordered_json;

Json Rendering::json() const {
  Json j = Json::parse(data);
  if (!certificate.empty()) j["certificate"] = Json::parse(certificate);
  return j;
}

std::string Rendering::bytes() const {
  return join_netstrings({std::to_string(exit_code), summary, failures, details, checks, data, certificate});
}

std::optional<Rendering> Rendering::from_bytes(std::string_view bytes) {
  auto parts = split_netstrings(bytes);
  if (!parts || parts->size() != 7) return {};
  Rendering r;
  const std::string& code = (*parts)[0];
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), r.exit_code);
  if (error != std::errc() || end != code.data() + code.size()) return {};
  std::size_t i = 1;
  for (std::string* s : {&r.summary, &r.failures, &r.details, &r.checks, &r.data, &r.certificate})
    *s = std::move((*parts)[i++]);
  return r;
}

}  // namespace kir::tools
