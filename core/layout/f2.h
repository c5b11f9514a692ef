// Linear maps over GF(2) on bit vectors of up to 64 bits: what an XOR swizzle and strides of powers of two are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kir::layout {

// Column j is the image of bit j. y = A x is the XOR of the columns of x's bits.
class F2Map {
 public:
  explicit F2Map(std::vector<std::uint64_t> columns) : columns_(std::move(columns)) {}
  const std::vector<std::uint64_t>& columns() const { return columns_; }
  std::uint64_t operator()(std::uint64_t x) const;
  int rank() const;  // Gaussian elimination, O(columns^2)
  bool injective() const { return rank() == static_cast<int>(columns_.size()); }
  std::optional<std::uint64_t> kernel() const;                // some x != 0 with A x = 0
  std::optional<std::uint64_t> solve(std::uint64_t y) const;  // some x with A x = y
  F2Map after(const F2Map& inner) const;                      // x -> this(inner(x))

 private:
  std::vector<std::uint64_t> columns_;
};

}  // namespace kir::layout
