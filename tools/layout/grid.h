// Parts of the two pictures of a subject: the logical grid, and the places as a grid over two axes or over lines and banks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/layout/decide.h"
#include "tools/layout/subject.h"

namespace kir::tools {

struct Window {
  std::int64_t row0 = 0, col0 = 0, rows = 0, cols = 0;
  std::int64_t row_end() const { return row0 + rows; }
  std::int64_t col_end() const { return col0 + cols; }
  bool has(std::int64_t row, std::int64_t col) const {
    return row >= row0 && row < row_end() && col >= col0 && col < col_end();
  }
};

// Elements in a cell of the physical grid.
using Cells = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>>;

// The elements to enumerate for a physical picture: all where they have at most `most` places, else those of the logical
// window.
std::vector<std::int64_t> drawn_elements(const Subject& s, const Window& logical, std::int64_t most);

// Over two axes; none: everything in one row or column. Each element once in a cell.
Cells physical_cells(const Subject& s, const std::vector<std::int64_t>& elements, std::optional<layout::Axis> row_axis,
                     std::optional<layout::Axis> col_axis, const Window& window);

// Shared memory as lines of 32 words. An error says why a layout has no banks: axes besides m, negative addresses, no whole
// bits.
Checked<void> has_banks(const Subject& s);
std::vector<std::int64_t> words_of(const Subject& s, std::int64_t flat);  // of all copies; ascending
Cells bank_cells(const Subject& s, const std::vector<std::int64_t>& elements, std::int64_t line0, std::int64_t lines);
std::int64_t bank_lines(const Subject& s);

// An access of one warp around an element.
enum class Access {
  column16,  // 8 rows x 16 bytes: the 16-byte column of the element, from a row that is a multiple of 8
  column,    // one element of each of 32 rows
};
struct AccessReport {
  std::vector<std::int64_t> elements;  // where each lane starts
  int bytes = 0;                       // of each lane
  std::set<std::int64_t> words;        // all that are touched
  std::set<std::int64_t> conflicts;    // banks with several words in the worst phase
  layout::BankReport report;
};
Checked<AccessReport> access_at(const Subject& s, std::int64_t flat, Access access);

}  // namespace kir::tools
