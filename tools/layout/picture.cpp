#include "tools/layout/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/layout/text.h"
#include "tools/layout/answer.h"
#include "tools/layout/grid.h"

namespace kir::tools {
namespace {

using layout::Axis;

constexpr int kCell = 34, kHead = 44, kMargin = 16, kTitle = 26;
constexpr std::int64_t kRows = 32, kCols = 64;

std::string escaped(std::string_view s) {
  std::string out;
  for (char c : s) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// Neighbouring numbers get colours far apart.
std::string colour(std::int64_t n) {
  const double hue = static_cast<double>((n % 24 + 24) % 24) * 137.5;
  return fmt::format("hsl({:.1f} 52% 87%)", hue - 360.0 * static_cast<int>(hue / 360.0));
}

class Drawing {
 public:
  // A grid with its heads; cells come after it.
  void grid(const std::string& title, std::int64_t row0, std::int64_t col0, std::int64_t rows, std::int64_t cols,
            int cell_height) {
    top_ = height_ + kTitle;
    cell_height_ = cell_height;
    row0_ = row0;
    col0_ = col0;
    text(kMargin, height_ + 16, "start", title, 13);
    for (std::int64_t c = 0; c < cols; ++c) text(x(col0 + c) + kCell / 2, top_ + 11, "middle", fmt::format("{}", col0 + c), 9);
    for (std::int64_t r = 0; r < rows; ++r)
      text(kMargin + kHead - 6, y(row0 + r) + cell_height / 2 + 3, "end", fmt::format("{}", row0 + r), 9);
    width_ = std::max(width_, 2 * kMargin + kHead + static_cast<int>(cols) * kCell);
    height_ = top_ + 16 + static_cast<int>(rows) * cell_height + kMargin;
  }
  void cell(std::int64_t row, std::int64_t col, std::int64_t tint, const std::vector<std::string>& lines, bool bad) {
    body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="2" fill="{}" stroke="{}"/>)", x(col) + 1, y(row) + 1,
                         kCell - 2, cell_height_ - 2, bad ? "#fbdcd9" : colour(tint), bad ? "#b3261e" : "none");
    for (std::size_t i = 0; i < lines.size(); ++i)
      text(x(col) + kCell / 2, y(row) + 12 + 10 * static_cast<int>(i), "middle", lines[i], 8);
    body_ += '\n';
  }
  std::string finish() const {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="monospace">
<rect width="100%" height="100%" fill="#ffffff"/>
{2}</svg>
)",
        width_, height_ + kMargin, body_);
  }

 private:
  int x(std::int64_t col) const { return kMargin + kHead + static_cast<int>(col - col0_) * kCell; }
  int y(std::int64_t row) const { return top_ + 16 + static_cast<int>(row - row0_) * cell_height_; }
  void text(int x, int y, const char* anchor, const std::string& s, int size) {
    body_ += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" font-size="{}" fill="#1d2126">{}</text>)", x, y, anchor, size,
                         escaped(s));
  }

  std::string body_;
  int width_ = 640, height_ = kMargin, top_ = 0, cell_height_ = kCell;
  std::int64_t row0_ = 0, col0_ = 0;
};

std::string short_name(const Subject& s, std::int64_t flat) { return fmt::format("{}", fmt::join(s.coordinate(flat), ",")); }

std::vector<std::string> names(const Subject& s, const std::vector<std::int64_t>& elements, std::size_t most) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(elements.size(), most); ++i) out.push_back(short_name(s, elements[i]));
  if (elements.size() > most) out.back() += fmt::format(" +{}", elements.size() - most);
  return out;
}

}  // namespace

std::string svg_of(const Subject& s) {
  const std::vector<Axis> axes = s.layout.tile.axes();
  const bool banks = has_banks(s).has_value();
  // Cells show the first thread or device axis; addresses where there is none.
  std::optional<Axis> shown;
  for (Axis a : axes)
    if (!shown || (shown->is_memory() && !a.is_memory())) shown = a;
  const std::int64_t run = std::max(1, 128 / s.dtype_bits);
  auto tint = [&](std::int64_t flat, std::int64_t value) { return banks ? flat % s.columns() / run : value; };
  const Window logical{0, 0, std::min(s.rows(), kRows), std::min(s.columns(), kCols)};
  Drawing d;
  d.grid(fmt::format("{}   shape {}{}{}", to_string(s.layout), fmt::format("({})", fmt::join(s.shape, ", ")),
                     shown ? fmt::format("   cells: {}", shown->name()) : "",
                     s.rows() > kRows || s.columns() > kCols ? "   (the first rows and columns)" : ""),
         0, 0, logical.rows, logical.cols, kCell);
  const bool few = at_least(layout::Size(kDrawn / (kRows * kCols)), s.layout.tile.copies());
  for (std::int64_t r = 0; r < logical.rows; ++r)
    for (std::int64_t c = 0; c < logical.cols; ++c) {
      const std::int64_t flat = r * s.columns() + c;
      std::set<std::int64_t> values;
      if (!few)
        values.insert(base_place(s.layout, flat)[shown.value_or(Axis::memory())]);
      else
        for (const layout::Place& p : places(s.layout, flat)) values.insert(p[shown.value_or(Axis::memory())]);
      std::vector<std::string> lines;
      for (std::int64_t v : values) {
        if (lines.size() == 3) {
          lines.back() += " ...";
          break;
        }
        lines.push_back(fmt::format("{}", v));
      }
      d.cell(r, c, tint(flat, *values.begin()), lines, false);
    }
  const std::vector<std::int64_t> drawn = drawn_elements(s, logical, kDrawn);
  if (banks) {
    const std::int64_t lines = std::min<std::int64_t>(bank_lines(s), 16);
    const std::size_t listed = static_cast<std::size_t>(std::clamp(32 / s.dtype_bits, 1, 4));
    d.grid("line x bank: a cell is a 4-byte word with its elements", 0, 0, lines, 32, 14 + 10 * static_cast<int>(listed));
    for (const auto& [where, elements] : bank_cells(s, drawn, 0, lines))
      d.cell(where.first, where.second, elements[0] % s.columns() / run, names(s, elements, listed), false);
    return d.finish();
  }
  std::optional<Axis> across, down;
  auto width = [&](Axis a) { return s.layout.tile.reach(a).high - s.layout.tile.reach(a).low; };
  for (Axis a : axes)
    if (!across || width(a) > width(*across)) across = a;
  for (Axis a : axes)
    if (a != *across && (!down || width(a) > width(*down))) down = a;
  if (!across) return d.finish();
  const layout::TileLayout::Reach h = s.layout.tile.reach(*across),
                                  v = down ? s.layout.tile.reach(*down) : layout::TileLayout::Reach{};
  const Window w{v.low, h.low, std::min(v.high - v.low + 1, kRows), std::min(h.high - h.low + 1, kCols)};
  d.grid(fmt::format("places: {} across{}", across->name(), down ? fmt::format(", {} down", down->name()) : ""), w.row0, w.col0,
         w.rows, w.cols, kCell);
  const bool whole = axes.size() <= 2;  // a cell is a place
  for (const auto& [where, elements] : physical_cells(s, drawn, down, across, w))
    d.cell(where.first, where.second, shown == down ? where.first : where.second, names(s, elements, 2),
           whole && elements.size() > 1);
  return d.finish();
}

}  // namespace kir::tools
