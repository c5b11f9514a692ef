// Float arithmetic, one rounding per operation, NaN results canonical.
//
// f32 and f64 use the hardware's arithmetic. Narrower types compute in double and round: the sum, product, quotient and
// square root of p-bit numbers rounded to 53 bits and then to p bits (or fewer, for subnormals) is the correctly rounded
// one because 53 >= 2p + 2 (Figueroa). That holds up to p = 24, so a tf32 word with stray low bits is covered too. It does
// not hold for fma, which rounds its sum to odd in double first.
#pragma once

#include <bit>
#include <cmath>
#include <type_traits>

#include "core/numeric/float_format.h"
#include "core/numeric/scalar_ops.h"
#include "core/numeric/transcendental.h"

namespace kir {

// a * b + c for a, b of at most 24 bits (so that the product is exact), rounded to odd: rounding the result to at most 51
// bits gives the correctly rounded fma.
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1)) return sum;
  bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

template <DType T>
struct FloatOps {
  using Word = std::uint64_t;
  using Words = const std::uint64_t*;
  using Real = std::conditional_t<T == DType::f32, float, double>;
  static constexpr bool kNative = T == DType::f32 || T == DType::f64;

  static Real decode(Word bits) {
    if constexpr (T == DType::f64)
      return std::bit_cast<double>(bits);
    else if constexpr (T == DType::f32)
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else
      return format_to_double(T, bits);
  }
  static Word encode(Real v) {
    if (v != v) return canonical_nan(T).bits;
    if constexpr (T == DType::f64)
      return std::bit_cast<std::uint64_t>(v);
    else if constexpr (T == DType::f32)
      return std::bit_cast<std::uint32_t>(v);
    else
      return round_double_to_format(float_format(T), v);
  }

  static Word add(Words x, ScalarError&) { return encode(decode(x[0]) + decode(x[1])); }
  static Word sub(Words x, ScalarError&) { return encode(decode(x[0]) - decode(x[1])); }
  static Word mul(Words x, ScalarError&) { return encode(decode(x[0]) * decode(x[1])); }
  static Word div(Words x, ScalarError&) { return encode(decode(x[0]) / decode(x[1])); }
  static Word neg(Words x, ScalarError&) { return x[0] ^ float_format(T).sign_bit(); }
  static Word abs(Words x, ScalarError&) { return x[0] & ~float_format(T).sign_bit(); }
  static Word fma(Words x, ScalarError&) {
    const Real a = decode(x[0]), b = decode(x[1]), c = decode(x[2]);
    if constexpr (kNative)
      return encode(std::fma(a, b, c));
    else
      return encode(fma_to_odd(a, b, c));
  }

  // a below b, -0 below +0; neither is NaN.
  static bool below(Real a, Real b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }
  static Word canonical(Word v) { return bits_are_nan(T, v) ? canonical_nan(T).bits : v; }
  static Word min_nan(Words x, ScalarError&) {
    if (bits_are_nan(T, x[0]) || bits_are_nan(T, x[1])) return canonical_nan(T).bits;
    return below(decode(x[1]), decode(x[0])) ? x[1] : x[0];
  }
  static Word max_nan(Words x, ScalarError&) {
    if (bits_are_nan(T, x[0]) || bits_are_nan(T, x[1])) return canonical_nan(T).bits;
    return below(decode(x[0]), decode(x[1])) ? x[1] : x[0];
  }
  static Word min_num(Words x, ScalarError& error) {
    if (bits_are_nan(T, x[0])) return canonical(x[1]);
    return bits_are_nan(T, x[1]) ? x[0] : min_nan(x, error);
  }
  static Word max_num(Words x, ScalarError& error) {
    if (bits_are_nan(T, x[0])) return canonical(x[1]);
    return bits_are_nan(T, x[1]) ? x[0] : max_nan(x, error);
  }

  static Word sqrt(Words x, ScalarError&) { return encode(std::sqrt(decode(x[0]))); }
  static Word floor(Words x, ScalarError&) { return encode(std::floor(decode(x[0]))); }
  static Word ceil(Words x, ScalarError&) { return encode(std::ceil(decode(x[0]))); }
  static Word trunc(Words x, ScalarError&) { return encode(std::trunc(decode(x[0]))); }
  static Word round_even(Words x, ScalarError&) { return encode(std::nearbyint(decode(x[0]))); }

  template <OpKind K>
  static Word transcendental(Words x, ScalarError&) {
    return kir::transcendental(K, T, x[0]);
  }
};

}  // namespace kir
