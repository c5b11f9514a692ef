// The binary floating-point formats and the one rounding into them. Everything that makes a float of a type (literals,
// conversions, arithmetic in narrow types, transcendentals) ends here, hence is rounded exactly once.
#pragma once

#include <cstdint>

#include "core/numeric/dtype.h"

namespace kir {

// IEEE-like: sign, exponent field (bias 2^(e-1)-1), mantissa field. f8e4m3 has no infinities and one NaN magnitude, all
// ones. tf32 lies in the upper bits of an f32 word: its fields start `shift` bits up.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int shift;
  bool infinities;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int precision() const { return mantissa_bits + 1; }
  constexpr int min_exponent() const { return 1 - bias(); }  // of the smallest normal number
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits + shift); }
  // Bits of non-negative values, in place.
  constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << (mantissa_bits + shift); }
  constexpr std::uint64_t max_finite() const { return infinities ? infinity() - (std::uint64_t{1} << shift) : sign_bit() - 2; }
  constexpr std::uint64_t quiet_nan() const {
    return infinities ? infinity() | (std::uint64_t{1} << (mantissa_bits - 1 + shift)) : sign_bit() - 1;
  }
};

const FloatFormat& float_format(DType t);  // float types only

enum class Overflow : std::uint8_t { to_infinity, to_max_finite };  // formats without infinities give NaN for infinity

// The bits of the value of format f nearest to (-1)^negative * m * 2^exponent, ties to even, where m is `magnitude`, or with
// `sticky` some real number strictly between magnitude and magnitude + 1. With sticky, magnitude must be 0 (a value
// below half of the smallest number) or have its top bit set. Subnormals are kept.
std::uint64_t round_to_format(const FloatFormat& f, bool negative, std::uint64_t magnitude, std::int64_t exponent, bool sticky,
                              Overflow overflow = Overflow::to_infinity);

// A double rounded into the format; infinities and overflow as `overflow` says, NaN gives the canonical NaN.
std::uint64_t round_double_to_format(const FloatFormat& f, double v, Overflow overflow = Overflow::to_infinity);

// Exact: every format here is a subset of double.
double format_to_double(DType t, std::uint64_t bits);

bool bits_are_nan(DType t, std::uint64_t bits);       // float types
bool bits_are_infinite(DType t, std::uint64_t bits);  // float types

}  // namespace kir
