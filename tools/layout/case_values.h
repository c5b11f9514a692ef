// The values of case files: reading with errors that name the field, and normal forms in which equal values are equal JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::tools::cases {

using Json = nlohmann::ordered_json;

// The file is not in the schema.
struct Malformed {
  std::string what;
};
// The layout or the operation refuses: the value of a `reject` case.
struct Refused {
  std::string why;
};

template <class T>
T accept(layout::Result<T> result) {
  if (!result) throw Refused{result.error()};
  return *std::move(result);
}

const Json& field(const Json& object, const char* name);  // Malformed when absent
std::int64_t integer(const Json& j, const char* what);
bool boolean(const Json& j, const char* what);
std::string text(const Json& j, const char* what);
std::vector<std::int64_t> integers(const Json& j, const char* what);
std::vector<std::size_t> indices(const Json& j, const char* what);
layout::Shape shape(const Json& j, const char* what);
std::vector<std::vector<std::int64_t>> integer_lists(const Json& j, const char* what);
layout::Axis axis(const Json& j);           // Refused when unknown
layout::Layout layout_of(const Json& j);    // Refused when it is none
layout::TileLayout tile_of(const Json& j);  // Refused when swizzled
layout::Swizzle swizzle_of_case(const Json& j);

Json json_of(const layout::Layout& l);
Json json_of(const layout::TileLayout& l);
Json json_of(const layout::Place& p);

// Layouts with their replica in order, canonical ones where said; coordinates without zeros; sets in order.
Json normal(const Json& value, bool canonical);

// Where two normal values differ: "[3].set: expected ..., is ...". Empty when equal. Keys of `ignored` are not compared.
std::string difference(const Json& expected, const Json& actual, const std::vector<std::string_view>& ignored,
                       const std::string& where = "");

}  // namespace kir::tools::cases
