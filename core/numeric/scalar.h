// A scalar value: a type and its bits (in the low bits, the rest zero). Equality is of bits, so NaNs compare equal
// when their payloads do and -0 differs from +0; numeric comparison is an operation (scalar_ops.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/numeric/dtype.h"

namespace kir {

struct Scalar {
  DType type = DType::i32;
  std::uint64_t bits = 0;

  static Scalar of_int(DType type, std::int64_t v);  // wraps to the width
  static Scalar of_f32(float v);
  static Scalar of_f64(double v);
  static Scalar of_bool(bool v) { return {DType::i1, v ? 1u : 0u}; }

  std::int64_t as_signed() const;     // sign-extended; integer types
  std::uint64_t as_unsigned() const;  // zero-extended; integer types
  double as_double() const;           // exact for every float type here (f8, f16, bf16, tf32, f32, f64)
  bool as_bool() const { return bits != 0; }
  bool is_nan() const;  // false for integers

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// Literals are rounded once, into their own type, to nearest even; they print as the shortest text that reads back to
// the same bits ("nan" canonical, "inf", "-0.0", "nan(0x7fc00001)" for other payloads). Integers: decimal or 0x hex,
// within the signed or unsigned range of the type. i1: "true"/"false". An empty result: not a literal of this type.
std::optional<Scalar> parse_literal(std::string_view text, DType type);
std::string literal_text(const Scalar& s);  // floats always have '.', 'e', "inf" or "nan"

}  // namespace kir
