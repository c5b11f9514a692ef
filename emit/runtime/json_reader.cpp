#include "emit/runtime/json_reader.h"

#include "core/base/diagnostics.h"
#include "core/base/json_depth.h"

namespace kir::runtime {

Json parse_json(const std::string& text, const std::string& name, std::string* error) {
  if (json_too_deep(text)) {
    if (error) *error = fmt::format("{}: error [J-01]: it nests more than {} levels deep", name, kMostJsonDepth);
    return Json(Json::value_t::discarded);
  }
  // The library tells the place only by an exception; it ends here.
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    std::size_t place = std::min(text.size(), e.byte > 0 ? e.byte - 1 : 0);
    while (place > 0 && (place == text.size() || text[place] == '\n'))
      --place;  // an end that came too soon: what stands before
    const auto at = static_cast<std::uint32_t>(place);
    std::string why = e.what();
    if (const std::size_t what = why.find("syntax error"); what != std::string::npos) why = why.substr(what);
    Diagnostics diagnostics;
    diagnostics.error("J-01", {at, at + 1}, "this is no JSON: " + why);
    if (error) *error = diagnostics.render(SourceFile(name, text));
    return Json(Json::value_t::discarded);
  }
}

const Json& JsonReader::at(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object() || !object.contains(key)) {
    fail(fmt::format("\"{}\" is missing", key));
    return kNothing;
  }
  return object.at(key);
}

std::string JsonReader::as_text(const Json& value, const std::string& what) {
  if (!value.is_string()) fail(fmt::format("{} is no string", what));
  return good_ ? value.get<std::string>() : "";
}

std::string JsonReader::text(const Json& object, const char* key) {
  return as_text(at(object, key), fmt::format("\"{}\"", key));
}

std::int64_t JsonReader::as_integer(const Json& value, const std::string& what, std::int64_t low, std::int64_t high) {
  // Values above 2^63 - 1 are kept unsigned.
  const bool wide = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || wide) fail(fmt::format("{} is no integer of 64 bits", what));
  const std::int64_t n = good_ ? value.get<std::int64_t>() : low;
  if (n < low || n > high) fail(fmt::format("{} is {}, outside {} to {}", what, n, low, high));
  return good_ ? n : low;
}

std::int64_t JsonReader::integer(const Json& object, const char* key, std::int64_t low, std::int64_t high) {
  return as_integer(at(object, key), fmt::format("\"{}\"", key), low, high);
}

bool JsonReader::boolean(const Json& object, const char* key) {
  const Json& v = at(object, key);
  if (!v.is_boolean()) fail(fmt::format("\"{}\" is neither true nor false", key));
  return good_ && v.get<bool>();
}

const Json& JsonReader::list(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& v = at(object, key);
  if (!v.is_array()) fail(fmt::format("\"{}\" is no list", key));
  return good_ ? v : kEmpty;
}

const Json& JsonReader::object(const Json& object, const char* key) {
  static const Json kEmpty = Json::object();
  const Json& v = at(object, key);
  if (!v.is_object()) fail(fmt::format("\"{}\" is no object", key));
  return good_ ? v : kEmpty;
}

}  // namespace kir::runtime
