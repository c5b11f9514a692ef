#include "core/layout/f2.h"

#include <bit>

namespace kir::layout {
namespace {

// Columns in echelon form: each has a highest bit that no other has, and says of which columns it is the sum.
struct Echelon {
  std::vector<std::uint64_t> value, sum_of;
  std::optional<std::uint64_t> kernel;

  explicit Echelon(const std::vector<std::uint64_t>& columns) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      std::uint64_t v = columns[j], sum = std::uint64_t{1} << j;
      reduce(v, sum);
      if (v) {
        value.push_back(v);
        sum_of.push_back(sum);
      } else if (!kernel) {
        kernel = sum;
      }
    }
  }

  // Later vectors have no highest bit of an earlier one, so one pass in order of their making clears all of them.
  void reduce(std::uint64_t& v, std::uint64_t& sum) const {
    for (std::size_t i = 0; i < value.size(); ++i)
      if (v & std::bit_floor(value[i])) {
        v ^= value[i];
        sum ^= sum_of[i];
      }
  }
};

}  // namespace

std::uint64_t F2Map::operator()(std::uint64_t x) const {
  std::uint64_t y = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j)
    if (x >> j & 1) y ^= columns_[j];
  return y;
}

int F2Map::rank() const { return static_cast<int>(Echelon(columns_).value.size()); }

std::optional<std::uint64_t> F2Map::kernel() const { return Echelon(columns_).kernel; }

std::optional<std::uint64_t> F2Map::solve(std::uint64_t y) const {
  std::uint64_t x = 0;
  Echelon(columns_).reduce(y, x);
  return y ? std::nullopt : std::optional(x);
}

F2Map F2Map::after(const F2Map& inner) const {
  std::vector<std::uint64_t> columns;
  for (std::uint64_t c : inner.columns()) columns.push_back((*this)(c));
  return F2Map(std::move(columns));
}

}  // namespace kir::layout
