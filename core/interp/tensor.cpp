#include "core/interp/tensor.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "core/base/check.h"
#include "core/numeric/float_format.h"

namespace kir {
namespace {

// Calls f(coordinates) for each element in row-major order.
template <class F>
void for_each_element(const std::vector<std::int64_t>& shape, F&& f) {
  for (std::int64_t e : shape)
    if (e == 0) return;
  std::vector<std::int64_t> at(shape.size(), 0);
  while (true) {
    f(at);
    std::size_t k = shape.size();
    while (k > 0 && ++at[k - 1] == shape[k - 1]) at[--k] = 0;
    if (k == 0) return;
  }
}

std::uint64_t scramble(std::uint64_t z) {  // the finaliser of SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Scalar special_integer(DType t, std::uint64_t r) {
  const int width = bit_width(t);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t values[] = {sign, sign - 1, mask, 0, 1, r >> 8};
  return {t, values[r % 6] & mask};
}

Scalar special_float(DType t, std::uint64_t r) {
  const FloatFormat& f = float_format(t);
  const std::uint64_t unit = std::uint64_t{1} << f.shift;
  const std::uint64_t smallest_normal = unit << f.mantissa_bits;
  const std::uint64_t values[] = {
      f.quiet_nan(),          f.infinities ? f.infinity() : f.max_finite(), f.max_finite(), 0, unit, smallest_normal,
      smallest_normal - unit, (r >> 8) % (f.max_finite() / unit) * unit};
  const std::uint64_t sign = (r >> 4) & 1 ? f.sign_bit() : 0;
  const std::uint64_t v = values[r % 8];
  return {t, v == f.quiet_nan() ? v : v | sign};
}

}  // namespace

std::optional<std::int64_t> storage_bytes(DType dtype, std::span<const std::int64_t> shape,
                                          std::span<const std::int64_t> strides) {
  KIR_CHECK(shape.size() == strides.size(), "one stride per axis");
  const __int128 limit = static_cast<__int128>(1) << 63;
  const __int128 size = byte_size(dtype);
  __int128 last = 0;
  bool empty = false;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] < 0 || strides[k] < 0 || strides[k] * size >= limit) return std::nullopt;
    if (shape[k] == 0)
      empty = true;
    else
      last += static_cast<__int128>(shape[k] - 1) * strides[k];
    if (last >= limit) return std::nullopt;
  }
  if (empty) return 0;
  const __int128 bytes = (last + 1) * size;
  if (bytes >= limit) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::optional<std::vector<std::int64_t>> dense_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t running = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    strides[k] = running;
    if (k > 0 && __builtin_mul_overflow(running, shape[k], &running)) return std::nullopt;
  }
  return strides;
}

Tensor Tensor::row_major(DType dtype, std::vector<std::int64_t> shape) {
  auto strides = dense_strides(shape);
  KIR_CHECK(strides.has_value(), "a dense shape that fits 64 bits");
  return strided(dtype, std::move(shape), std::move(*strides));
}

std::int64_t max_launch_bytes() {
  auto memory = static_cast<__int128>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  if (rlimit limit{}; ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = std::min<__int128>(memory, limit.rlim_cur);
  return static_cast<std::int64_t>(memory / 8);
}

Tensor Tensor::strided(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  const std::optional<std::int64_t> bytes = storage_bytes(dtype, shape, strides);
  KIR_CHECK(bytes.has_value(), "extents and strides of a tensor that fits the address space");
  return {dtype, std::move(shape), std::move(strides), std::vector<std::byte>(static_cast<std::size_t>(*bytes))};
}

std::int64_t Tensor::element_count() const {
  std::int64_t n = 1;
  for (std::int64_t e : shape) n *= e;
  return n;
}

std::int64_t Tensor::address(std::span<const std::int64_t> coordinates) const {
  KIR_CHECK(coordinates.size() == shape.size(), "one coordinate per axis");
  std::int64_t at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) at += coordinates[k] * strides[k];
  return at;
}

Scalar Tensor::load(std::int64_t address) const {
  const std::size_t size = static_cast<std::size_t>(byte_size(dtype));
  const std::size_t at = static_cast<std::size_t>(address) * size;
  KIR_CHECK(address >= 0 && at + size <= bytes.size(), "address {} is inside the tensor", address);
  Scalar s{dtype, 0};
  std::memcpy(&s.bits, bytes.data() + at, size);
  return s;
}

void Tensor::store(std::int64_t address, const Scalar& v) {
  const std::size_t size = static_cast<std::size_t>(byte_size(dtype));
  const std::size_t at = static_cast<std::size_t>(address) * size;
  KIR_CHECK(v.type == dtype, "a {} is stored into a {} tensor", name(v.type), name(dtype));
  KIR_CHECK(address >= 0 && at + size <= bytes.size(), "address {} is inside the tensor", address);
  std::memcpy(bytes.data() + at, &v.bits, size);
}

void Tensor::assign(const Tensor& from) {
  KIR_CHECK(from.dtype == dtype && from.shape == shape, "tensors of one form");
  for_each_element(shape, [&](const std::vector<std::int64_t>& at) { store(address(at), from.load(from.address(at))); });
}

Tensor Tensor::dense() const {
  Tensor out = row_major(dtype, shape);
  std::int64_t next = 0;
  for_each_element(shape, [&](const std::vector<std::int64_t>& at) { out.store(next++, load(address(at))); });
  return out;
}

Scalar random_scalar(DType t, std::uint64_t seed, std::uint64_t element, bool special) {
  const std::uint64_t r =
      scramble(scramble(seed * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(t) + 1) + element * 0xD1342543DE82EF95ull);
  if (t == DType::i1) return Scalar::of_bool(r & 1);
  if (special && (r >> 62) == 0) return is_float(t) ? special_float(t, r) : special_integer(t, r);
  const std::int64_t small = static_cast<std::int64_t>((r >> 8) % 17) - 8;
  if (is_integer(t)) return Scalar::of_int(t, seed % 2 && (r & 1) ? static_cast<std::int64_t>((r >> 16) % 201) - 100 : small);
  double v = static_cast<double>(small);
  if (seed % 2 && (r & 3)) {
    v = static_cast<double>((r >> 16) & 0xffffffff) * 0x1p-32;                  // in [0, 1)
    v = (r & 3) == 1 ? 32 * v - 16 : (r & 3) == 2 ? 2 * v - 1 : v * v * v * v;  // wide, narrow, small magnitudes
  }
  return {t, round_double_to_format(float_format(t), v)};
}

void fill_random(Tensor& t, std::uint64_t seed, bool special) {
  std::uint64_t element = 0;
  for_each_element(t.shape, [&](const std::vector<std::int64_t>& at) {
    t.store(t.address(at), random_scalar(t.dtype, seed, element++, special));
  });
}

}  // namespace kir
