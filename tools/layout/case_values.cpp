#include "tools/layout/case_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layout/algebra.h"
#include "core/layout/text.h"

namespace kir::tools::cases {

namespace {

bool is_layout(const Json& j) { return j.is_object() && (j.contains("shard") || j.contains("swizzle")); }

std::string shown(const Json& j) {
  constexpr std::size_t kMost = 240;
  std::string s =
      is_layout(j) && j.contains("offset") ? to_string(layout_of(j)) : j.dump(-1, ' ', false, Json::error_handler_t::replace);
  return s.size() > kMost ? s.substr(0, kMost) + "..." : s;
}

[[noreturn]] void malformed(const char* what, const char* kind, const Json& j) {
  throw Malformed{fmt::format("{} is {}, not {}", what, kind, shown(j))};
}

const Json& list(const Json& j, const char* what) {
  if (!j.is_array()) malformed(what, "a list", j);
  return j;
}

// {"laneid": 3}: axis names with integers.
bool is_place(const Json& j) {
  if (!j.is_object() || j.empty()) return false;
  for (const auto& [name, value] : j.items())
    if (!value.is_number_integer() || !layout::Axis::find(name)) return false;
  return true;
}

std::vector<layout::Iter> iters(const Json& j, const char* what) {
  std::vector<layout::Iter> out;
  for (const Json& i : list(j, what)) {
    if (!i.is_array() || i.size() != 3) malformed(what, "a list of [extent, stride, axis]", i);
    out.push_back({integer(i[0], "an extent"), integer(i[1], "a stride"), axis(i[2])});
  }
  return out;
}

Json iters_json(const std::vector<layout::Iter>& iters) {
  auto number = [](const layout::Size& s) { return s.constant() ? Json(*s.constant()) : Json(s.text()); };
  Json out = Json::array();
  for (const layout::Iter& i : iters) out.push_back({number(i.extent), number(i.stride), i.axis.name()});
  return out;
}

}  // namespace

const Json& field(const Json& object, const char* name) {
  const auto it = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || it == object.end()) throw Malformed{fmt::format("the field '{}' is missing", name)};
  return *it;
}

std::int64_t integer(const Json& j, const char* what) {
  const bool fits = j.is_number_unsigned() ? j.get<std::uint64_t>() <= std::uint64_t{INT64_MAX} : j.is_number_integer();
  if (!fits) malformed(what, "an integer of 64 bits", j);
  return j.get<std::int64_t>();
}

bool boolean(const Json& j, const char* what) {
  if (!j.is_boolean()) malformed(what, "true or false", j);
  return j.get<bool>();
}

std::string text(const Json& j, const char* what) {
  if (!j.is_string()) malformed(what, "a text", j);
  return j.get<std::string>();
}

std::vector<std::int64_t> integers(const Json& j, const char* what) {
  std::vector<std::int64_t> out;
  for (const Json& i : list(j, what)) out.push_back(integer(i, what));
  return out;
}

std::vector<std::size_t> indices(const Json& j, const char* what) {
  std::vector<std::size_t> out;
  for (std::int64_t i : integers(j, what)) {
    if (i < 0) malformed(what, "a list of positions", j);
    out.push_back(static_cast<std::size_t>(i));
  }
  return out;
}

layout::Shape shape(const Json& j, const char* what) {
  const std::vector<std::int64_t> extents = integers(j, what);
  return {extents.begin(), extents.end()};
}

std::vector<std::vector<std::int64_t>> integer_lists(const Json& j, const char* what) {
  std::vector<std::vector<std::int64_t>> out;
  for (const Json& i : list(j, what)) out.push_back(integers(i, what));
  return out;
}

layout::Axis axis(const Json& j) {
  const std::string name = text(j, "an axis");
  const std::optional<layout::Axis> found = layout::Axis::find(name);
  if (!found) throw Refused{fmt::format("there is no axis {}", name)};
  return *found;
}

layout::Swizzle swizzle_of_case(const Json& j) {
  const Json& s = field(j, "swizzle");
  return accept(
      layout::Swizzle::make(integer(field(s, "per_element"), "per_element"), integer(field(s, "swizzle_len"), "swizzle_len"),
                            integer(field(s, "atom_len"), "atom_len"), boolean(field(s, "swizzle_inner"), "swizzle_inner")));
}

layout::Layout layout_of(const Json& j) {
  if (!j.is_object()) malformed("a layout", "an object", j);
  const bool swizzled = j.contains("swizzle");
  if (swizzled && !j.contains("shard")) {
    const layout::Swizzle s = swizzle_of_case(j);
    return accept(compose(s, accept(layout::TileLayout::make({{s.period(), 1}}))));
  }
  std::vector<layout::Offset> offset;
  const Json& offsets = field(j, "offset");
  if (!offsets.is_object()) malformed("offset", "an object", offsets);
  for (const auto& [name, value] : offsets.items()) offset.push_back({axis(Json(name)), integer(value, "an offset")});
  layout::TileLayout tile = accept(
      layout::TileLayout::make(iters(field(j, "shard"), "shard"), iters(field(j, "replica"), "replica"), std::move(offset)));
  if (swizzled) return accept(compose(swizzle_of_case(j), tile));
  return {std::move(tile), {}};
}

layout::TileLayout tile_of(const Json& j) {
  layout::Layout l = layout_of(j);
  if (l.swizzle) throw Refused{"the operation takes no swizzle"};
  return std::move(l.tile);
}

Json json_of(const layout::TileLayout& l) {
  Json out = {{"shard", iters_json(l.shard())}, {"replica", iters_json(l.replica())}, {"offset", Json::object()}};
  for (const layout::Offset& o : l.offset())
    out["offset"][std::string(o.axis.name())] = o.value.constant() ? Json(*o.value.constant()) : Json(o.value.text());
  return out;
}

Json json_of(const layout::Layout& l) {
  Json out = json_of(l.tile);
  if (const auto& s = l.swizzle)
    out["swizzle"] = {{"per_element", s->per_element()},
                      {"swizzle_len", s->swizzle_len()},
                      {"atom_len", s->atom_len()},
                      {"swizzle_inner", s->inner()}};
  return out;
}

Json json_of(const layout::Place& p) {
  Json out = Json::object();
  for (const auto& [a, value] : p.coordinates()) out[std::string(a.name())] = value;
  return out;
}

Json normal(const Json& value, bool canonical) {
  if (is_layout(value)) {
    const layout::Layout l = layout_of(value);
    Json out = json_of(canonical ? canonicalize(l) : l);
    std::sort(out["replica"].begin(), out["replica"].end());
    return out;
  }
  if (is_place(value)) {
    std::vector<std::pair<std::string, Json>> kept;
    for (const auto& [name, v] : value.items())
      if (v != 0) kept.emplace_back(name, v);
    std::sort(kept.begin(), kept.end());
    Json out = Json::object();
    for (auto& [name, v] : kept) out[name] = std::move(v);
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& v : value) out.push_back(normal(v, canonical));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [name, v] : value.items()) {
    out[name] = normal(v, canonical);
    if (name == "set" && v.is_array()) std::sort(out[name].begin(), out[name].end());
  }
  return out;
}

std::string difference(const Json& expected, const Json& actual, const std::vector<std::string_view>& ignored,
                       const std::string& where) {
  if (expected == actual) return {};
  if (expected.is_array() && actual.is_array() && expected.size() == actual.size())
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::string d = difference(expected[i], actual[i], ignored, fmt::format("{}[{}]", where, i)); !d.empty()) return d;
  if (expected.is_object() && actual.is_object() && !is_layout(expected) && !is_place(expected)) {
    for (const auto& [name, value] : expected.items()) {
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      const std::string inner = fmt::format("{}{}{}", where, where.empty() ? "" : ".", name);
      if (!actual.contains(name)) return fmt::format("{}: expected {}, there is none", inner, shown(value));
      if (std::string d = difference(value, actual[name], ignored, inner); !d.empty()) return d;
    }
    return {};
  }
  if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) return {};  // ignored keys only
  return fmt::format("{}{}expected {}, is {}", where, where.empty() ? "" : ": ", shown(expected), shown(actual));
}

}  // namespace kir::tools::cases
