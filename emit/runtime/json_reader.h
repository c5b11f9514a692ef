// Reading JSON that may be damaged or hostile: every field is checked for presence, kind and range, and the first problem is
// kept as a message; nothing throws.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kir::runtime {

using Json = nlohmann::ordered_json;

// The value of a text. A text that is no JSON: discarded, *error has name:line:column, what was expected, and a caret.
Json parse_json(const std::string& text, const std::string& name, std::string* error);

// Reads fields of JSON objects; after the first problem everything gives defaults.
class JsonReader {
 public:
  // `name` is the file's, for messages; error may be null.
  JsonReader(std::string name, std::string* error) : name_(std::move(name)), error_(error) {}
  bool good() const { return good_; }
  void fail(const std::string& message) {
    if (good_ && error_) *error_ = fmt::format("{}: {}", name_, message);
    good_ = false;
  }

  const Json& at(const Json& object, const char* key);
  std::string text(const Json& object, const char* key);
  std::string as_text(const Json& value, const std::string& what);
  std::int64_t integer(const Json& object, const char* key, std::int64_t low,
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  std::int64_t as_integer(const Json& value, const std::string& what, std::int64_t low, std::int64_t high);
  bool boolean(const Json& object, const char* key);
  const Json& list(const Json& object, const char* key);    // an array
  const Json& object(const Json& object, const char* key);  // an object

 private:
  std::string name_;
  std::string* error_;
  bool good_ = true;
};

}  // namespace kir::runtime
