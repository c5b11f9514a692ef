#include "core/numeric/float_format.h"

#include <bit>
#include <cmath>

#include "core/base/check.h"

namespace kir {
namespace {

constexpr FloatFormat kFormats[] = {
    {4, 3, 0, false},   // f8e4m3
    {5, 2, 0, true},    // f8e5m2
    {5, 10, 0, true},   // f16
    {8, 7, 0, true},    // bf16
    {8, 10, 13, true},  // tf32
    {8, 23, 0, true},   // f32
    {11, 52, 0, true},  // f64
};

}  // namespace

const FloatFormat& float_format(DType t) {
  KIR_CHECK(is_float(t), "{} is no float type", name(t));
  return kFormats[static_cast<int>(t) - static_cast<int>(DType::f8e4m3)];
}

std::uint64_t round_to_format(const FloatFormat& f, bool negative, std::uint64_t magnitude, std::int64_t exponent, bool sticky,
                              Overflow overflow) {
  const std::uint64_t sign = negative ? f.sign_bit() : 0;
  if (magnitude == 0) return sign;
  const int leading = std::countl_zero(magnitude);
  KIR_CHECK(!sticky || leading == 0, "an inexact magnitude is not normalised");
  magnitude <<= leading;
  const std::int64_t e = exponent - leading + 63;  // magnitude * 2^exponent is in [2^e, 2^(e+1))
  auto overflowed = [&] {
    if (overflow == Overflow::to_max_finite) return sign | f.max_finite();
    return f.infinities ? sign | f.infinity() : f.quiet_nan();
  };
  if (e > f.bias() + 1) return overflowed();
  std::int64_t keep = f.precision();
  const bool subnormal = e < f.min_exponent();
  if (subnormal) keep -= f.min_exponent() - e;
  if (keep < 0) return sign;
  const int drop = 64 - static_cast<int>(keep);
  std::uint64_t kept = drop == 64 ? 0 : magnitude >> drop;
  const std::uint64_t rest = drop == 64 ? magnitude : magnitude & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (sticky || (kept & 1)))) ++kept;
  // A carry out of the mantissa moves into the exponent field by itself.
  std::uint64_t fields = kept;
  if (!subnormal) {
    const std::uint64_t hidden = std::uint64_t{1} << f.mantissa_bits;
    fields = (static_cast<std::uint64_t>(e + f.bias()) << f.mantissa_bits) + (kept - hidden);
  }
  const std::uint64_t bits = fields << f.shift;
  return bits > f.max_finite() ? overflowed() : sign | bits;
}

std::uint64_t round_double_to_format(const FloatFormat& f, double v, Overflow overflow) {
  if (std::isnan(v)) return f.quiet_nan();
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const bool negative = bits >> 63;
  const int field = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0x7ff) {
    const std::uint64_t sign = negative ? f.sign_bit() : 0;
    if (overflow == Overflow::to_max_finite) return sign | f.max_finite();
    return f.infinities ? sign | f.infinity() : f.quiet_nan();
  }
  if (field == 0) return round_to_format(f, negative, fraction, -1074, false, overflow);
  return round_to_format(f, negative, fraction | (std::uint64_t{1} << 52), field - 1075, false, overflow);
}

double format_to_double(DType t, std::uint64_t bits) {
  switch (t) {
    case DType::f64: return std::bit_cast<double>(bits);
    case DType::f32:
    case DType::tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case DType::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    default: break;
  }
  const FloatFormat& f = float_format(t);
  const bool negative = bits & f.sign_bit();
  const std::uint64_t magnitude = bits & (f.sign_bit() - 1);
  const int field = static_cast<int>(magnitude >> f.mantissa_bits);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << f.mantissa_bits) - 1);
  double v = 0;
  if (bits_are_nan(t, bits))
    v = std::bit_cast<double>(0x7ff8000000000000ull);
  else if (bits_are_infinite(t, bits))
    v = HUGE_VAL;
  else if (field == 0)
    v = std::ldexp(static_cast<double>(fraction), f.min_exponent() - f.mantissa_bits);
  else
    v = std::ldexp(static_cast<double>(fraction | (std::uint64_t{1} << f.mantissa_bits)), field - f.bias() - f.mantissa_bits);
  return negative ? -v : v;
}

bool bits_are_nan(DType t, std::uint64_t bits) {
  const FloatFormat& f = float_format(t);
  const std::uint64_t magnitude = bits & (f.sign_bit() - 1);
  return f.infinities ? magnitude > f.infinity() : magnitude > f.max_finite();
}

bool bits_are_infinite(DType t, std::uint64_t bits) {
  const FloatFormat& f = float_format(t);
  return f.infinities && (bits & (f.sign_bit() - 1)) == f.infinity();
}

}  // namespace kir
