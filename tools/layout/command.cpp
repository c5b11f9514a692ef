#include "tools/layout/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/layout/text.h"
#include "tools/layout/page.h"
#include "tools/layout/picture.h"
#include "tools/lib/command_line.h"

namespace kir::tools {
namespace {

// Columns count bytes; a caret stands under a character of a line.
std::string caret_lines(const std::string& text, std::size_t column) {
  std::size_t begin = 0, at = std::min(column - 1, text.size());
  for (std::size_t i = 0; i < at; ++i)
    if (text[i] == '\n') begin = i + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string under;
  for (std::size_t i = begin; i < at; ++i)
    if ((text[i] & 0xC0) != 0x80) under += text[i] == '\t' ? '\t' : ' ';
  return fmt::format("  {}\n  {}^\n", text.substr(begin, end - begin), under);
}

void write(const std::string& path, const std::string& contents) {
  std::string error;
  if (!write_file(path, contents, &error)) throw Refusal{{"output", 0, error}, {}};
}

}  // namespace

std::string rendered(const Refusal& r) {
  const bool located = r.complaint.column > 0 && !r.text.empty();
  return fmt::format("error: {}{}: {}\n{}", r.complaint.field, located ? fmt::format(", column {}", r.complaint.column) : "",
                     r.complaint.message, located ? caret_lines(r.text, r.complaint.column) : "");
}

SubjectText SubjectArguments::resolved() const {
  SubjectText out = text;
  out.dtype_bits = need(read_dtype(dtype), dtype);
  out.mode_bytes = need(read_mode(mode), mode);
  return out;
}

Subject SubjectArguments::subject() const {
  const SubjectText t = resolved();
  Checked<Subject> s = read_subject(t);
  if (!s) throw Refusal{s.error(), s.error().field == "shape" ? t.shape : s.error().field == "sizes" ? t.sizes : t.layout};
  return *std::move(s);
}

layout::Layout SubjectArguments::layout() const {
  const SubjectText t = resolved();
  layout::Layout l = need(read_layout(t), t.layout);
  if (t.sizes.empty()) return l;
  l.tile = need(l.tile.bind(need(read_sizes(t.sizes), t.sizes)), "sizes");
  return l;
}

void SubjectArguments::write_pictures() const {
  if (!svg.empty()) write(svg, svg_of(subject()));
  if (html.empty()) return;
  const std::optional<std::string> page = page_html(resolved());
  if (!page)
    throw Refusal{{"--html", 0, "this kir-layout was built without its page; build it where scripts/setup has run"}, {}};
  write(html, *page);
}

void add_subject(CLI::App& app, SubjectArguments& a) {
  app.add_option("LAYOUT", a.text.layout, "\"S[(8,16):(16@m,1@m)] + R[2:1@warpid] + 5@warpid\"")->required();
  app.add_option("--shape", a.text.shape, "the logical shape, as \"8, 16\"; default: the shard extents");
  app.add_option("--sizes", a.text.sizes, "values of the layout's symbols, as \"N=4, K=8\"");
  app.add_option("--dtype", a.dtype, "element type or its bits")->capture_default_str();
  app.add_option("--mode", a.mode, "shared-memory swizzle: none, 32B, 64B or 128B")->capture_default_str();
  add_output(app, "--svg", a.svg, "also write a picture to this file");
  add_output(app, "--html", a.html, "also write the explorer, showing this layout, to this file");
}

layout::Layout layout_argument(const std::string& text) { return need(read_layout({text, "", "", 16, 0}), text); }

layout::TileLayout tile_argument(const std::string& text) {
  layout::Layout l = layout_argument(text);
  if (l.swizzle) throw Refusal{{"layout", 0, fmt::format("{} has a swizzle, which this operation does not take", text)}, {}};
  return std::move(l.tile);
}

layout::Shape shape_argument(const std::string& field, const std::string& text) {
  Checked<std::vector<layout::Size>> shape = read_shape(text);
  if (!shape) shape.error().field = field;
  return need(std::move(shape), text);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string coordinate_text(const std::vector<std::int64_t>& coordinate) {
  return fmt::format("({})", fmt::join(coordinate, ", "));
}

int show_table(const std::vector<std::vector<std::string>>& rows, const Json& data, bool json) {
  fmt::print("{}", json ? data.dump(2) + "\n" : aligned(rows));
  return 0;
}

int show_layout(const layout::Layout& l, bool json) {
  if (json)
    fmt::print("{}\n", Json{{"layout", to_string(l)}}.dump(2));
  else
    fmt::print("{}\n", to_string(l));
  return 0;
}

}  // namespace kir::tools
