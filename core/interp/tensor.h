// A strided array of scalars in host memory, and the NumPy .npy form of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
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
  Tensor dense() const;             // row-major copy of the logical contents
  void assign(const Tensor& from);  // the logical contents of a tensor of this element type and shape
};

// Bytes that a tensor of this form occupies: 0 when an extent is 0, else 1 + sum of (extent - 1) * stride elements.
// Empty when an extent or stride is negative, or when that or a stride in bytes is 2^63 or more.
std::optional<std::int64_t> storage_bytes(DType dtype, std::span<const std::int64_t> shape,
                                          std::span<const std::int64_t> strides);

// Strides of a dense row-major array; empty when one does not fit 64 bits.
std::optional<std::vector<std::int64_t>> dense_strides(std::span<const std::int64_t> shape);

// What this machine can hold of the contents of one launch, in bytes: an eighth of its memory (or of this process's limit),
// since the interpreters keep copies and a shadow of them.
std::int64_t max_launch_bytes();

// .npy versions 1.0 to 3.0, C or Fortran order, little endian; the result is dense and row-major. f16/f32/f64/i8/i16/i32/i64/
// u64/bool map to the types of that name (bool: i1). With `expected`, the unsigned integers or untyped bytes (V1, V2) of a
// type's width are taken as its bits: that is how bf16, f8, tf32 and unsigned data are stored (i1: u1 holding 0 or 1).
std::optional<Tensor> read_npy(const std::string& path, std::optional<DType> expected, std::string* error);
bool write_npy(const std::string& path, const Tensor& t, std::string* error);  // staged and committed
std::optional<StagedFile> stage_npy(const std::string& path, const Tensor& t, std::string* error);

// Contents for tests: a function of (seed, dtype, element number) alone. With an even seed only integers from -8 to 8
// (bool: both), so that sums and many products are exact; with an odd one also fractions and values up to 16. With
// `special` every fourth element is a NaN, an infinity, -0, a denormal or an extreme (integers: extremes).
Scalar random_scalar(DType dtype, std::uint64_t seed, std::uint64_t element, bool special);
void fill_random(Tensor& t, std::uint64_t seed, bool special);  // elements numbered in row-major order of the logical contents

}  // namespace kir
