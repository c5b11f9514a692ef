// A strided array of scalars in host memory, and the NumPy .npy form of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/numeric/scalar.h"

namespace kir {

// Storage holds byte_size(dtype) bytes per element, element (0,...,0) at byte 0, strides in elements, all >= 0.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::vector<std::byte> bytes;

  static Tensor row_major(DType dtype, std::vector<std::int64_t> shape);                                   // zeros
  static Tensor strided(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides);  // zeros
  std::int64_t element_count() const;  // product of the extents
  std::int64_t address(std::span<const std::int64_t> coordinates) const;
  Scalar load(std::int64_t address) const;
  void store(std::int64_t address, const Scalar& v);
  Tensor dense() const;  // row-major copy of the logical contents
};

// .npy version 1.0/2.0, C or Fortran order. f16/f32/f64/i8/i16/i32/i64/u64/bool map to the types of that name (u1 for
// bool: i1); bf16, f8 and tf32 are stored as the unsigned integers of their bits with the dtype told by the caller.
std::optional<Tensor> read_npy(const std::string& path, std::optional<DType> expected, std::string* error);
bool write_npy(const std::string& path, const Tensor& t, std::string* error);  // temporary file, then rename

// Contents for tests: a function of (seed, dtype, element number) alone. Mixes small integers, ordinary values and, with
// `special`, NaN, infinities, -0, denormals, extremes.
void fill_random(Tensor& t, std::uint64_t seed, bool special);

}  // namespace kir
