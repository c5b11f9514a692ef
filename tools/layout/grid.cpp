#include "tools/layout/grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir::tools {
namespace {

using layout::Axis;
using Wrong = tl::unexpected<Complaint>;

constexpr std::int64_t kWordBits = 32, kBanks = 32;

std::int64_t first_word(const Subject& s, std::int64_t address) { return layout::bank_of(address, s.dtype_bits).word; }

}  // namespace

std::vector<std::int64_t> drawn_elements(const Subject& s, const Window& logical, std::int64_t most) {
  std::vector<std::int64_t> out;
  const std::int64_t copies = *s.layout.tile.copies().constant();
  if (copies <= most && s.size() <= most / copies) {
    for (std::int64_t x = 0; x < s.size(); ++x) out.push_back(x);
    return out;
  }
  for (std::int64_t r = std::max<std::int64_t>(logical.row0, 0); r < std::min(logical.row_end(), s.rows()); ++r)
    for (std::int64_t c = std::max<std::int64_t>(logical.col0, 0); c < std::min(logical.col_end(), s.columns()); ++c) {
      if (static_cast<std::int64_t>(out.size() + 1) > most / copies) return out;
      out.push_back(r * s.columns() + c);
    }
  return out;
}

Cells physical_cells(const Subject& s, const std::vector<std::int64_t>& elements, std::optional<Axis> row_axis,
                     std::optional<Axis> col_axis, const Window& window) {
  Cells out;
  for (std::int64_t x : elements)
    for (const layout::Place& p : places(s.layout, x)) {
      const std::int64_t row = row_axis ? p[*row_axis] : 0, col = col_axis ? p[*col_axis] : 0;
      if (!window.has(row, col)) continue;
      std::vector<std::int64_t>& cell = out[{row, col}];
      if (cell.empty() || cell.back() != x) cell.push_back(x);
    }
  return out;
}

Checked<void> has_banks(const Subject& s) {
  const Axis m = Axis::memory();
  for (Axis a : s.layout.tile.axes())
    if (a != m)
      return Wrong(Complaint{"layout", 0, fmt::format("banks are of addresses on axis m; the layout also has {}", a.name())});
  const layout::TileLayout::Reach reach = s.layout.tile.reach(m);
  if (reach.low < 0) return Wrong(Complaint{"layout", 0, fmt::format("the address {} is negative", reach.low)});
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (reach.high >= kMost || (s.layout.swizzle && s.layout.swizzle->period() > kMost))
    return Wrong(Complaint{"layout", 0, "addresses of 2^40 and more are no shared memory"});
  const int bits = s.dtype_bits;
  if (bits < 4 || bits > 128 || (bits & (bits - 1)) != 0)
    return Wrong(Complaint{"dtype", 0, fmt::format("elements of {} bits: 4, 8, 16, 32, 64 or 128 have banks", bits)});
  return {};
}

std::vector<std::int64_t> words_of(const Subject& s, std::int64_t flat) {
  std::vector<std::int64_t> out;
  const std::int64_t count = std::max<std::int64_t>(s.dtype_bits / kWordBits, 1);
  for (const layout::Place& p : places(s.layout, flat)) {
    const std::int64_t word = first_word(s, p[Axis::memory()]);
    for (std::int64_t i = 0; i < count; ++i) out.push_back(word + i);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Cells bank_cells(const Subject& s, const std::vector<std::int64_t>& elements, std::int64_t line0, std::int64_t lines) {
  Cells out;
  for (std::int64_t x : elements)
    for (std::int64_t word : words_of(s, x))
      if (word / kBanks >= line0 && word / kBanks < line0 + lines) out[{word / kBanks, word % kBanks}].push_back(x);
  return out;
}

std::int64_t bank_lines(const Subject& s) {
  // A swizzle permutes inside its period, so the lines end with the period that the last address lies in.
  std::int64_t last = s.layout.tile.reach(Axis::memory()).high;
  if (s.layout.swizzle) last = last - last % s.layout.swizzle->period() + s.layout.swizzle->period() - 1;
  const std::int64_t words = std::max<std::int64_t>(s.dtype_bits / kWordBits, 1);
  return (first_word(s, last) + words - 1) / kBanks + 1;
}

Checked<AccessReport> access_at(const Subject& s, std::int64_t flat, Access access) {
  if (const Checked<void> banks = has_banks(s); !banks) return Wrong(banks.error());
  constexpr int kBytes = 16;
  AccessReport out;
  const std::int64_t row = flat / s.columns(), col = flat % s.columns();
  std::int64_t lanes = 0, run = 1, first = col;
  switch (access) {
    case Access::column16:
      if (s.dtype_bits > 8 * kBytes || 8 * kBytes % s.dtype_bits != 0)
        return Wrong(Complaint{"dtype", 0, fmt::format("16 bytes hold no whole elements of {} bits", s.dtype_bits)});
      lanes = 8;
      run = 8 * kBytes / s.dtype_bits;
      first = col - col % run;
      out.bytes = kBytes;
      if (first + run > s.columns())
        return Wrong(
            Complaint{"shape", 0, fmt::format("a row of {} elements has no whole 16 bytes at column {}", s.columns(), first)});
      break;
    case Access::column:
      if (s.dtype_bits < 8) return Wrong(Complaint{"dtype", 0, "an element of less than a byte is not read by itself"});
      lanes = 32;
      out.bytes = s.dtype_bits / 8;
      break;
  }
  const std::int64_t row0 = row - row % lanes;
  for (std::int64_t r = row0; r < std::min(row0 + lanes, s.rows()); ++r) out.elements.push_back(r * s.columns() + first);
  layout::Result<layout::BankReport> report = bank_conflicts(s.layout, s.dtype_bits, out.elements, out.bytes);
  if (!report) return Wrong(Complaint{"access", 0, report.error()});
  out.report = *std::move(report);
  for (std::int64_t x : out.elements)
    for (std::int64_t i = 0; i < run; ++i)
      for (std::int64_t word : words_of(s, x + i)) out.words.insert(word);
  for (std::size_t bank = 0; bank < out.report.words_by_bank.size(); ++bank)
    if (out.report.words_by_bank[bank].size() > 1) out.conflicts.insert(static_cast<std::int64_t>(bank));
  return out;
}

}  // namespace kir::tools
