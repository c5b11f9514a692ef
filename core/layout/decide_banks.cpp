// Swizzles and banks.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"
#include "core/layout/linear.h"

namespace kir::layout {
namespace {

constexpr std::int64_t kBanks = 32, kWordBytes = 4, kLineBytes = kBanks * kWordBytes, kRunBytes = 16;
constexpr std::int64_t kMaxRowBytes = std::int64_t{1} << 40;
constexpr int kRows = 8;  // of a column: 8 * 16 bytes are one phase

}  // namespace

// A swizzle undoes itself, so it permutes a block when no address of the block leaves it; and it acts alike in every period.
Decision bijective(const Swizzle& s, std::int64_t block, std::int64_t alignment) {
  const std::int64_t period = s.period();
  if (block < 1 || alignment < 1) return undecided("a block has at least one address, and an alignment is at least 1");
  if (block % period == 0 && alignment % period == 0) return proved(By::definition, "whole periods are permuted in themselves");
  const auto size = static_cast<std::uint64_t>(block), multiple = static_cast<std::uint64_t>(alignment);
  if (std::has_single_bit(size) && multiple % size == 0 && std::has_single_bit(multiple)) {
    // Bits below the block's and bits of its start (from the alignment's on) are free; none may move a bit that names the
    // block.
    const F2Map map = swizzle_map(s, std::bit_width(static_cast<std::uint64_t>(period)) - 1);
    for (std::size_t j = 0; j < map.columns().size(); ++j) {
      const std::uint64_t bit = std::uint64_t{1} << j;
      if ((bit >= size && bit < multiple) || (map.columns()[j] ^ bit) < size) continue;
      Witness w;
      w.x = static_cast<std::int64_t>(bit);
      w.place.add(Axis::memory(), s(w.x));
      return refuted(By::rank, std::move(w), fmt::format("bit {} of an address moves it out of its block of {}: ", j, block));
    }
    KIR_CHECK(map.injective(), "a swizzle that does not undo itself");
    return proved(By::rank, "the map of the bits has full rank and keeps those above the block");
  }
  const std::int64_t starts = period / std::gcd(period, alignment);
  std::int64_t steps = kMaxPoints;
  for (std::int64_t q = 0; q < starts; ++q) {
    // Whole periods inside the block are permuted in themselves: what is left are the pieces at its ends.
    const std::int64_t start = static_cast<std::int64_t>(Wide(q) * (alignment % period) % period);
    const Wide end = Wide(start) + block;
    const Wide first_whole = start == 0 ? 0 : period, last_whole = end / period * period;
    for (Wide x = start; x < end; ++x) {
      if (x == first_whole && x < last_whole) x = last_whole;
      if (x >= end) break;
      if (--steps < 0) return undecided(fmt::format("more than {} addresses", kMaxPoints));
      const Wide y = x / period * period + s(static_cast<std::int64_t>(x % period));
      if (y >= start && y < end) continue;
      const Wide moved = Wide(q) * alignment - start;
      Witness w;
      if (x + moved > INT64_MAX || y + moved > INT64_MAX) return undecided("an address beyond 63 bits leaves its block");
      w.x = static_cast<std::int64_t>(x + moved);
      w.place.add(Axis::memory(), static_cast<std::int64_t>(y + moved));
      KIR_CHECK(s(w.x) == w.place[Axis::memory()], "an address that is not moved so: {}", w.x);
      return refuted(By::enumeration, std::move(w),
                     fmt::format("out of the block [{}, {}): ", static_cast<std::int64_t>(start + moved),
                                 static_cast<std::int64_t>(end + moved)));
    }
  }
  return proved(By::enumeration, "each start modulo the period was tried");
}

Result<BankReport> bank_conflicts(const Layout& l, int dtype_bits, std::span<const std::int64_t> lane_elements, int bytes) {
  if (!l.tile.is_constant()) return Error("the layout has symbols: give them values first");
  if (bytes < 1 || bytes > kRunBytes || !std::has_single_bit(static_cast<unsigned>(bytes)))
    return Error(fmt::format("a lane reads 1, 2, 4, 8 or 16 bytes, not {}", bytes));
  if (dtype_bits < 1 || dtype_bits > 128 || !std::has_single_bit(static_cast<unsigned>(dtype_bits)))
    return Error(fmt::format("elements of {} bits have no place in banks", dtype_bits));
  if (lane_elements.empty() || lane_elements.size() > 32)
    return Error(fmt::format("a warp has 1 to 32 lanes, not {}", lane_elements.size()));
  const std::size_t lanes_a_phase = static_cast<std::size_t>(std::min<std::int64_t>(kLineBytes / bytes, 32));
  BankReport out;
  out.phases = static_cast<int>((lane_elements.size() + lanes_a_phase - 1) / lanes_a_phase);
  out.degree = 0;
  for (std::size_t begin = 0; begin < lane_elements.size(); begin += lanes_a_phase) {
    std::vector<std::vector<std::int64_t>> words(kBanks);
    for (std::size_t lane = begin; lane < std::min(begin + lanes_a_phase, lane_elements.size()); ++lane) {
      const std::int64_t x = lane_elements[lane];
      if (x < 0 || !greater(l.tile.size(), x))
        return Error(fmt::format("lane {} reads element {} of {}", lane, x, l.tile.size().text()));
      const Place p = base_place(l, x);
      const std::int64_t m = p[Axis::memory()];
      if (m < 0 || p.coordinates().size() > (m != 0 ? 1 : 0))
        return Error(fmt::format("element {} is at {}: no address on m", x, to_string(p)));
      const Wide bit = Wide(m) * dtype_bits;
      if (bit % (8 * bytes) != 0)
        return Error(fmt::format("lane {} reads {} bytes at m {}, which is not a multiple of that", lane, bytes, m));
      const Wide first = bit / (8 * kWordBytes);
      if (first > INT64_MAX - kWordBytes) return Error(fmt::format("the address of element {} is beyond 63 bits", x));
      for (std::int64_t w = 0; w < std::max<std::int64_t>(bytes / kWordBytes, 1); ++w) {
        const std::int64_t word = static_cast<std::int64_t>(first) + w;
        std::vector<std::int64_t>& bank = words[static_cast<std::size_t>(word % kBanks)];
        if (std::ranges::find(bank, word) == bank.end()) bank.push_back(word);
      }
    }
    int degree = 0;
    for (const auto& bank : words) degree = std::max(degree, static_cast<int>(bank.size()));
    if (degree > out.degree) {
      out.degree = degree;
      out.words_by_bank = std::move(words);
    }
  }
  return out;
}

Decision column_conflict_free(int dtype_bits, int mode_bytes, std::int64_t row_bytes) {
  if (dtype_bits < 4 || dtype_bits > 128 || !std::has_single_bit(static_cast<unsigned>(dtype_bits)))
    return undecided(fmt::format("elements of {} bits", dtype_bits));
  if (row_bytes < kRunBytes || row_bytes % kRunBytes != 0 || row_bytes > kMaxRowBytes)
    return undecided(fmt::format("rows of {} bytes are not whole runs of 16 bytes, or beyond 2^40", row_bytes));
  std::optional<Swizzle> swizzle;
  if (mode_bytes != 0) {
    const Result<Swizzle> s = swizzle_of(dtype_bits, mode_bytes);
    if (!s) return undecided(s.error());
    swizzle = *s;
  }
  // In runs of 16 bytes: run c of row i starts at i * width + c and is served by the four banks of its number modulo 8.
  const std::int64_t width = row_bytes / kRunBytes, elements = kRunBytes * 8 / dtype_bits;
  const auto group = [&](std::int64_t run) {
    const std::int64_t m = run * elements;
    return (swizzle ? (*swizzle)(m) : m) / elements % kRows;
  };
  const auto conflict = [&](By by, std::int64_t start, std::int64_t column, std::int64_t i, std::int64_t j) {
    Witness w;
    w.x = ((start + i) * width + column) * elements;
    w.y = ((start + j) * width + column) * elements;
    w.place.add(Axis::memory(), swizzle ? (*swizzle)(w.x) : w.x);
    KIR_CHECK(group(w.x / elements) == group(w.y / elements), "runs of other banks");
    const std::int64_t bank = group(w.x / elements) * (kRunBytes / kWordBytes);
    Decision d{Outcome::refuted, by, std::move(w), {}};
    d.why = fmt::format("lanes {} and {} (rows {} and {}, run {}) want banks {} to {}: elements {} and {}", i, j, start + i,
                        start + j, column, bank, bank + 3, d.witness->x, d.witness->y);
    return d;
  };
  if (std::has_single_bit(static_cast<std::uint64_t>(width))) {
    // Row bits, column bits and start bits are apart, and the rest of an address only adds a constant: the rows of any column
    // fall on 8 groups when the three columns of the row's bits are independent.
    std::vector<std::uint64_t> columns;
    for (std::int64_t bit = 1; bit < kRows; bit *= 2) columns.push_back(static_cast<std::uint64_t>(group(bit * width)));
    if (const std::optional<std::uint64_t> k = F2Map(std::move(columns)).kernel())
      return conflict(By::rank, 0, 0, 0, static_cast<std::int64_t>(*k));
    return proved(By::rank, "the banks of a row are linear in its three bits, with rank 3, for every column and start row");
  }
  // The group of a run depends on its number modulo the period alone.
  const std::int64_t period = swizzle ? std::max<std::int64_t>(swizzle->period() / elements, kRows) : kRows;
  std::set<std::int64_t> seen;
  for (std::int64_t start = 0; start < period; ++start)
    for (std::int64_t column = 0; column < std::min(width, period); ++column) {
      const std::int64_t first = start * kRows * width + column;
      if (!seen.insert(first % period).second) continue;
      std::map<std::int64_t, std::int64_t> rows;
      for (std::int64_t i = 0; i < kRows; ++i) {
        const auto [at, fresh] = rows.emplace(group(first + i * width), i);
        if (!fresh) return conflict(By::enumeration, start * kRows, column, at->second, i);
      }
    }
  return proved(By::enumeration, "each run modulo the period was tried as a first row");
}

}  // namespace kir::layout
