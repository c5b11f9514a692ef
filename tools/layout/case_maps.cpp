#include "tools/layout/case_compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/layout/decide.h"
#include "core/layout/text.h"

namespace kir::tools::cases {

using layout::Layout;
using layout::Outcome;
using layout::TileLayout;

static bool decided(const layout::Decision& d) {
  if (d.outcome == Outcome::undecided) throw Refused{fmt::format("undecided: {}", d.why)};
  return d.outcome == Outcome::proved;
}

Json axis_kind(const Case& c) {
  const layout::AxisRow& row = axis(in(c, "axis")).row();
  auto scope = [](const std::optional<layout::Scope>& s) { return s ? Json(name_of(*s)) : Json(); };
  return {{"class", name_of(row.cls)}, {"scope", scope(row.scope)}, {"subscope", scope(row.subscope)}};
}

Json construct(const Case& c) {
  if (!c.input.contains("notation")) return json_of(layout_of(c.layout));
  return json_of(accept(layout::parse_layout(text(in(c, "notation"), "notation"))));
}

Json scope(const Case& c) {
  const auto span = scope_of(layout_of(c.layout).tile);
  Json scopes;
  if (span && *span) scopes = {{"inner", name_of((*span)->inner)}, {"outer", name_of((*span)->outer)}};
  return {{"scope", std::move(scopes)}, {"well_formed", span.has_value()}};
}

Json admits_kind(const Case& c) { return admits(layout_of(c.layout).tile, shape(c.shape, "shape")); }

static Json apply_one(const Layout& l, const std::vector<std::int64_t>& coordinate, const std::vector<std::int64_t>& extents) {
  Json set = Json::array();
  for (const layout::Place& p : accept(apply(l, coordinate, extents))) set.push_back(json_of(p));
  return {{"base", json_of(base_place(l, accept(layout::flatten(coordinate, extents))))}, {"set", std::move(set)}};
}

Json apply_kind(const Case& c) {
  const Layout l = layout_of(c.layout);
  // A reject case has one coordinate, and its shape beside it.
  if (c.input.contains("coord")) return apply_one(l, integers(in(c, "coord"), "coord"), integers(in(c, "shape"), "shape"));
  Json out = Json::array();
  for (const auto& coordinate : integer_lists(in(c, "coords"), "coords")) out.push_back(apply_one(l, coordinate, shape_of(c)));
  return out;
}

Json apply_to_shape(const Case& c) {
  const TileLayout l = tile_of(c.layout);
  return split(l, accept(layout::flatten(integers(in(c, "coord"), "coord"), shape_of(c))));
}

Json apply_out_of_range(const Case& c) {
  const Layout l = layout_of(c.layout);
  Json wrapped = Json::array();
  for (std::int64_t flat : integers(in(c, "flat"), "flat")) wrapped.push_back(base_place(l, flat)[layout::Axis::memory()]);
  return {{"wrapped", std::move(wrapped)}};
}

Json swizzle(const Case& c) {
  const layout::Swizzle s = swizzle_of_case(c.layout);
  Json out = Json::array();
  for (std::int64_t m : integers(in(c, "m"), "m")) {
    if (m < 0) throw Refused{fmt::format("the address {} is negative", m)};
    out.push_back(s(m));
  }
  return out;
}

Json swizzle_params(const Case& c) {
  const std::string mode = text(in(c, "mode"), "mode");
  const int bytes = mode == "32B" ? 32 : mode == "64B" ? 64 : mode == "128B" ? 128 : 0;
  const layout::Swizzle s = accept(layout::swizzle_of(
      static_cast<int>(std::clamp<std::int64_t>(integer(in(c, "dtype_bits"), "dtype_bits"), 0, 4096)), bytes));
  return {
      {"per_element", s.per_element()}, {"swizzle_len", s.swizzle_len()}, {"atom_len", s.atom_len()}, {"period", s.period()}};
}

Json swizzle_period(const Case& c) {
  const layout::Swizzle s = swizzle_of_case(c.layout);
  if (s.period() > layout::kMaxPoints) throw Refused{"the period is not enumerated"};
  bool involution = true;
  for (std::int64_t m = 0; m < s.period(); ++m) involution = involution && s(s(m)) == m;
  return {{"period", s.period()},
          {"bijective_on_period", decided(bijective(s, s.period(), s.period()))},
          {"involution", involution}};
}

Json compose_kind(const Case& c) {
  const Layout l = layout_of(c.layout);
  Json out = Json::array();
  for (const auto& coordinate : integer_lists(in(c, "coords"), "coords")) {
    accept(apply(l, coordinate, shape_of(c)));
    out.push_back(json_of(base_place(l, accept(layout::flatten(coordinate, shape_of(c))))));
  }
  return out;
}

static int bits(const Json& j, const char* what, int each) {
  const std::int64_t v = integer(j, what);
  if (v < 1 || v > 16 * 8 / each) throw Refused{fmt::format("{} is {}", what, v)};
  return static_cast<int>(v) * each;
}

static layout::BankPlace bank_place(const Layout& l, std::int64_t flat, int dtype_bits) {
  const std::int64_t m = base_place(l, flat)[layout::Axis::memory()];
  if (m < 0 || m > std::int64_t{1} << 48) throw Refused{fmt::format("{} is no address of shared memory", m)};
  return layout::bank_of(m, dtype_bits);
}

Json bank(const Case& c) {
  const Layout l = layout_of(c.layout);
  Json out = Json::array();
  for (const auto& coordinate : integer_lists(in(c, "coords"), "coords")) {
    accept(apply(l, coordinate, shape_of(c)));
    const layout::BankPlace b =
        bank_place(l, accept(layout::flatten(coordinate, shape_of(c))), bits(in(c, "dtype_bytes"), "dtype_bytes", 8));
    out.push_back({{"addr", b.address}, {"bankword", b.word}, {"bank", b.bank}, {"line", b.line}});
  }
  return out;
}

// Every column of so many bytes of the first rows.
Json bank_column(const Case& c) {
  const Layout l = layout_of(c.layout);
  const std::vector<std::int64_t> extents = shape_of(c);
  const std::int64_t rows = integer(in(c, "rows"), "rows"), bytes = integer(in(c, "bytes_per_row"), "bytes_per_row");
  const int dtype_bits = bits(in(c, "dtype_bits"), "dtype_bits", 1);
  if (extents.size() != 2 || extents[0] < rows || rows < 1 || bytes < 1 || bytes > 128 || bytes * 8 % dtype_bits != 0 ||
      !admits(l.tile, shape(c.shape, "shape")))
    throw Refused{"no such column"};
  const std::int64_t run = bytes * 8 / dtype_bits;
  bool free = true;
  std::size_t least = 32;
  for (std::int64_t column = 0; column + run <= extents[1]; column += run) {
    std::vector<std::int64_t> lanes;
    for (std::int64_t r = 0; r < rows; ++r) lanes.push_back(r * extents[1] + column);
    const layout::BankReport report = accept(bank_conflicts(l, dtype_bits, lanes, static_cast<int>(bytes)));
    free = free && report.degree == 1;
    std::set<std::int64_t> banks;
    for (std::int64_t lane : lanes)
      for (std::int64_t i = 0; i < run; ++i) banks.insert(bank_place(l, lane + i, dtype_bits).bank);
    least = std::min(least, banks.size());
  }
  return {{"conflict_free", free}, {"distinct_banks", least}};
}

Json equal_kind(const Case& c) { return decided(equal(layout_of(c.layout), layout_of(in(c, "other")))); }
Json injective_kind(const Case& c) { return decided(injective(layout_of(c.layout))); }

Json size_span(const Case& c) {
  const TileLayout l = layout_of(c.layout).tile;
  auto number = [](const layout::Size& s) {
    if (!s.constant()) throw Refused{"the size does not fit 63 bits"};
    return *s.constant();
  };
  if (in(c, "axis").is_null()) return {{"size", number(l.size())}, {"span", number(l.span())}};
  const layout::Axis a = axis(in(c, "axis"));
  return {{"size", number(l.size(a))}, {"span", number(l.span(a))}};
}

}  // namespace kir::tools::cases
