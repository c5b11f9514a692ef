// States of campaigns say what was found out; a damaged one must not be believed. So each carries a digest of itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_depth.h"
#include "core/base/sha256.h"

namespace kir::fuzz {

inline std::string sealed(nlohmann::ordered_json j, int indent) {
  using Json = nlohmann::ordered_json;
  j["sha256"] = sha256_hex(j.dump(-1, ' ', false, Json::error_handler_t::replace));
  return j.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The object that was sealed; empty for anything else. A digest that is wrong: *damaged.
inline std::optional<nlohmann::ordered_json> unsealed(std::string_view text, bool* damaged) {
  using Json = nlohmann::ordered_json;
  *damaged = false;
  if (json_too_deep(text)) return std::nullopt;
  Json j = Json::parse(text, nullptr, false);
  if (!j.is_object() || !j.contains("sha256")) return std::nullopt;
  const Json digest = j["sha256"];
  j.erase("sha256");
  *damaged = digest != sha256_hex(j.dump(-1, ' ', false, Json::error_handler_t::replace));
  return j;
}

}  // namespace kir::fuzz
