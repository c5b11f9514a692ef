#include "tools/layout/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layout/text.h"
#include "tools/layout/grid.h"
#include "tools/layout/json.h"
#include "tools/layout/presets.h"

namespace kir::tools {
namespace {

constexpr std::int64_t kCells = 4096;   // of one window
constexpr std::size_t kListed = 32;     // elements of a physical cell; their number is always given
constexpr std::int64_t kOwners = 4096;  // places of one element

// Typed reading: what is absent or of another type is the default.
std::string text_in(const Json& o, const char* name) {
  const auto it = o.find(name);
  return it != o.end() && it->is_string() ? it->get<std::string>() : std::string();
}
std::int64_t number_in(const Json& o, const char* name, std::int64_t otherwise) {
  const auto it = o.find(name);
  if (it == o.end() || !it->is_number_integer()) return otherwise;
  constexpr std::int64_t kFar = std::int64_t{1} << 62;  // whatever it counts, there are fewer
  if (it->is_number_unsigned() && it->get<std::uint64_t>() > std::uint64_t{kFar}) return kFar;
  return std::max(it->get<std::int64_t>(), -kFar);
}

Json complain(std::string field, std::string message) { return json_of(Complaint{std::move(field), 0, std::move(message)}); }

SubjectText subject_text(const Json& o) {
  SubjectText t{text_in(o, "layout"), text_in(o, "shape"), text_in(o, "sizes")};
  t.dtype_bits = static_cast<int>(std::clamp<std::int64_t>(number_in(o, "dtype_bits", 16), 0, 4096));
  t.mode_bytes = static_cast<int>(std::clamp<std::int64_t>(number_in(o, "mode", 0), 0, 4096));
  return t;
}

Checked<Window> window_in(const Json& o, const char* row0, const char* rows) {
  Window w;
  w.row0 = number_in(o, row0, 0);
  w.col0 = number_in(o, "col0", 0);
  w.rows = number_in(o, rows, 16);
  w.cols = number_in(o, "cols", 32);
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  if (w.rows < 1 || w.cols < 1 || w.rows > kCells || w.cols > kCells || w.rows * w.cols > kCells || w.row0 < -kFar ||
      w.col0 < -kFar || w.row0 > kFar - kCells || w.col0 > kFar - kCells)
    return tl::unexpected(Complaint{"window", 0, fmt::format("a window has 1 to {} cells", kCells)});
  return w;
}

Json presets_answer() {
  Json list = Json::array();
  for (const Preset& p : presets())
    list.push_back({{"name", p.name},
                    {"title", p.title},
                    {"layout", p.layout},
                    {"shape", p.shape},
                    {"dtype_bits", p.dtype_bits},
                    {"mode", p.mode_bytes},
                    {"note", p.note}});
  return {{"ok", true}, {"presets", std::move(list)}};
}

Json describe(const Subject& s, const SubjectText& text) {
  Json out = {{"ok", true}};
  out.update(json_of(s.layout));
  out["as_given"] = to_string(*read_layout(text));
  out["shape"] = json_of(s.shape);
  out["rows"] = json_of(s.rows());
  out["columns"] = json_of(s.columns());
  out["drawn_whole"] = drawn_elements(s, {}, kDrawn).size() == static_cast<std::size_t>(s.size());
  out["claims"] = Json::array();
  const layout::Shape shape(s.shape.begin(), s.shape.end());
  for (const Claim& c : claims_of(s.layout, shape)) out["claims"].push_back(json_of(c, &s));
  const Checked<void> banks = has_banks(s);
  out["banks"] = banks.has_value();
  if (banks) out["lines"] = json_of(bank_lines(s));
  if (s.layout.swizzle) out["period"] = json_of(s.layout.swizzle->period());
  return out;
}

// Places as one number an axis, in the order of the axes of `describe`.
Json places_row(const Subject& s, const std::vector<layout::Axis>& axes, std::int64_t flat) {
  Json list = Json::array();
  for (const layout::Place& p : places(s.layout, flat)) {
    Json row = Json::array();
    for (layout::Axis a : axes) row.push_back(json_of(p[a]));
    list.push_back(std::move(row));
  }
  return list;
}

Json window_answer(const Subject& s, const Json& request) {
  const Checked<Window> w = window_in(request, "row0", "rows");
  if (!w) return json_of(w.error());
  if (*s.layout.tile.copies().constant() > kDrawn / std::max<std::int64_t>(w->rows * w->cols, 1))
    return complain("window", "too many copies to draw in a window of this size");
  const std::vector<layout::Axis> axes = s.layout.tile.axes();
  Json cells = Json::array();
  for (std::int64_t r = std::max<std::int64_t>(w->row0, 0); r < std::min(w->row_end(), s.rows()); ++r)
    for (std::int64_t c = std::max<std::int64_t>(w->col0, 0); c < std::min(w->col_end(), s.columns()); ++c) {
      const std::int64_t flat = r * s.columns() + c;
      cells.push_back({json_of(flat), places_row(s, axes, flat)});
    }
  return {{"ok", true}, {"cells", std::move(cells)}};
}

Json bank_json(const Subject& s, std::int64_t flat) {
  const layout::BankPlace b = layout::bank_of(base_place(s.layout, flat)[layout::Axis::memory()], s.dtype_bits);
  return {{"address", json_of(b.address)}, {"word", json_of(b.word)}, {"bank", json_of(b.bank)}, {"line", json_of(b.line)}};
}

Json element_answer(const Subject& s, const Json& request) {
  const std::int64_t flat = number_in(request, "flat", -1);
  if (flat < 0 || flat >= s.size()) return complain("flat", fmt::format("no element: they are 0 to {}", s.size() - 1));
  Json out = {{"ok", true},
              {"flat", json_of(flat)},
              {"coordinate", json_of(s.coordinate(flat))},
              {"digits", json_of(split(s.layout.tile, flat))}};
  out["base"] = json_of(base_place(s.layout, flat));
  out["places"] = Json::array();
  out["copies"] = s.layout.tile.copies().text();
  if (*s.layout.tile.copies().constant() <= kOwners)
    for (const layout::Place& p : places(s.layout, flat)) out["places"].push_back(json_of(p));
  if (has_banks(s)) out["bank"] = bank_json(s, flat);
  return out;
}

Json cells_json(const Cells& cells) {
  Json out = Json::array();
  for (const auto& [where, elements] : cells) {
    const std::vector<std::int64_t> listed(elements.begin(), elements.begin() + std::min(elements.size(), kListed));
    out.push_back({json_of(where.first), json_of(where.second), elements.size(), json_of(listed)});
  }
  return out;
}

// The logical window that stands in where not everything is drawn.
Window logical_in(const Json& request) {
  Window w;
  w.row0 = std::max<std::int64_t>(number_in(request, "logical_row0", 0), 0);
  w.col0 = std::max<std::int64_t>(number_in(request, "logical_col0", 0), 0);
  w.rows = std::clamp<std::int64_t>(number_in(request, "logical_rows", 16), 1, kCells);
  w.cols = std::clamp<std::int64_t>(number_in(request, "logical_cols", 32), 1, kCells);
  w.row0 = std::min(w.row0, std::int64_t{1} << 61);
  w.col0 = std::min(w.col0, std::int64_t{1} << 61);
  return w;
}

Json physical_answer(const Subject& s, const Json& request) {
  const Checked<Window> w = window_in(request, "row0", "rows");
  if (!w) return json_of(w.error());
  std::optional<layout::Axis> axes[2];
  for (int i = 0; i < 2; ++i) {
    const std::string name = text_in(request, i == 0 ? "row_axis" : "col_axis");
    if (name.empty()) continue;
    axes[i] = layout::Axis::find(name);
    if (!axes[i]) return complain(i == 0 ? "row_axis" : "col_axis", fmt::format("there is no axis {}", name));
  }
  return {{"ok", true},
          {"cells", cells_json(physical_cells(s, drawn_elements(s, logical_in(request), kDrawn), axes[0], axes[1], *w))}};
}

Json banks_answer(const Subject& s, const Json& request) {
  if (const Checked<void> banks = has_banks(s); !banks) return json_of(banks.error());
  const std::int64_t line0 = std::max<std::int64_t>(number_in(request, "line0", 0), 0);
  const std::int64_t lines = std::clamp<std::int64_t>(number_in(request, "lines", 16), 1, kCells / 32);
  Json out = {{"ok", true}};
  out["lines"] = json_of(bank_lines(s));
  out["cells"] =
      cells_json(bank_cells(s, drawn_elements(s, logical_in(request), kDrawn), std::min(line0, std::int64_t{1} << 61), lines));
  const std::int64_t flat = number_in(request, "flat", -1);
  if (flat < 0 || flat >= s.size()) return out;
  const Checked<AccessReport> a =
      access_at(s, flat, text_in(request, "access") == "column" ? Access::column : Access::column16);
  if (!a) {
    out["access"] = json_of(a.error());
    return out;
  }
  out["access"] = {{"ok", true}, {"bytes", a->bytes}, {"degree", a->report.degree}, {"phases", a->report.phases}};
  out["access"]["elements"] = json_of(a->elements);
  out["access"]["words"] = json_of(std::vector<std::int64_t>(a->words.begin(), a->words.end()));
  out["access"]["conflicts"] = json_of(std::vector<std::int64_t>(a->conflicts.begin(), a->conflicts.end()));
  return out;
}

Json respond(std::string_view text) {
  const Json request = Json::parse(text, nullptr, false);
  if (!request.is_object()) return complain("request", "a JSON object");
  const std::string op = text_in(request, "op");
  if (op == "presets") return presets_answer();
  const SubjectText subject = subject_text(request);
  const Checked<Subject> s = read_subject(subject);
  if (!s) return json_of(s.error());
  if (op == "describe") return describe(*s, subject);
  if (op == "window") return window_answer(*s, request);
  if (op == "element") return element_answer(*s, request);
  if (op == "physical") return physical_answer(*s, request);
  if (op == "banks") return banks_answer(*s, request);
  return complain("op", fmt::format("there is no question '{}'", op));
}

}  // namespace

std::string answer(std::string_view request) { return respond(request).dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace kir::tools
