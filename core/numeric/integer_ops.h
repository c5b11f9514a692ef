// Two's complement arithmetic on the low bits of a word; the width is the type's. A zero divisor and minimum / -1 are
// reported and give 0.
#pragma once

#include <cstdint>

#include "core/numeric/scalar_ops.h"

namespace kir {

template <DType T>
struct IntegerOps {
  static constexpr int kWidth = T == DType::i1 ? 1 : T == DType::i8 ? 8 : T == DType::i16 ? 16 : T == DType::i32 ? 32 : 64;
  static constexpr std::uint64_t kMask = kWidth == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (kWidth % 64)) - 1;
  static constexpr std::uint64_t kMinimum = std::uint64_t{1} << (kWidth - 1);

  using Word = std::uint64_t;
  using Words = const std::uint64_t*;

  static std::int64_t extend(Word v) { return static_cast<std::int64_t>(v << (64 - kWidth)) >> (64 - kWidth); }
  static bool less(Word a, Word b) { return extend(a) < extend(b); }

  static Word add(Words x, ScalarError&) { return (x[0] + x[1]) & kMask; }
  static Word sub(Words x, ScalarError&) { return (x[0] - x[1]) & kMask; }
  static Word mul(Words x, ScalarError&) { return (x[0] * x[1]) & kMask; }
  static Word neg(Words x, ScalarError&) { return (Word{0} - x[0]) & kMask; }
  static Word abs(Words x, ScalarError&) { return (extend(x[0]) < 0 ? Word{0} - x[0] : x[0]) & kMask; }

  static bool divisible(Words x, ScalarError& error) {
    if (x[1] == 0)
      error = ScalarError::division_by_zero;
    else if (x[1] == kMask && x[0] == kMinimum)
      error = ScalarError::division_overflow;
    else
      return true;
    return false;
  }
  static Word divt(Words x, ScalarError& error) {
    return divisible(x, error) ? static_cast<Word>(extend(x[0]) / extend(x[1])) & kMask : 0;
  }
  static Word remt(Words x, ScalarError& error) {
    return divisible(x, error) ? static_cast<Word>(extend(x[0]) % extend(x[1])) & kMask : 0;
  }
  static Word divf(Words x, ScalarError& error) {
    if (!divisible(x, error)) return 0;
    const std::int64_t a = extend(x[0]), b = extend(x[1]);
    return static_cast<Word>(a / b - (a % b != 0 && (a < 0) != (b < 0))) & kMask;
  }
  static Word remf(Words x, ScalarError& error) {
    if (!divisible(x, error)) return 0;
    const std::int64_t a = extend(x[0]), b = extend(x[1]), rest = a % b;
    return static_cast<Word>(rest != 0 && (a < 0) != (b < 0) ? rest + b : rest) & kMask;
  }

  static Word divu(Words x, ScalarError& error) {
    if (x[1] == 0) error = ScalarError::division_by_zero;
    return x[1] == 0 ? 0 : x[0] / x[1];
  }
  static Word remu(Words x, ScalarError& error) {
    if (x[1] == 0) error = ScalarError::division_by_zero;
    return x[1] == 0 ? 0 : x[0] % x[1];
  }

  static Word min_s(Words x, ScalarError&) { return less(x[1], x[0]) ? x[1] : x[0]; }
  static Word max_s(Words x, ScalarError&) { return less(x[0], x[1]) ? x[1] : x[0]; }
  static Word min_u(Words x, ScalarError&) { return x[1] < x[0] ? x[1] : x[0]; }
  static Word max_u(Words x, ScalarError&) { return x[0] < x[1] ? x[1] : x[0]; }
  static Word bit_and(Words x, ScalarError&) { return x[0] & x[1]; }
  static Word bit_or(Words x, ScalarError&) { return x[0] | x[1]; }
  static Word bit_xor(Words x, ScalarError&) { return x[0] ^ x[1]; }
  static Word bit_not(Words x, ScalarError&) { return ~x[0] & kMask; }
  static Word shl(Words x, ScalarError&) { return x[1] >= kWidth ? 0 : (x[0] << x[1]) & kMask; }
  static Word shrl(Words x, ScalarError&) { return x[1] >= kWidth ? 0 : x[0] >> x[1]; }
  static Word shra(Words x, ScalarError&) { return static_cast<Word>(extend(x[0]) >> (x[1] >= kWidth ? 63 : x[1])) & kMask; }
};

}  // namespace kir
