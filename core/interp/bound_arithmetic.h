// Numbers that the rules of error bounds are made of.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/numeric/float_format.h"

namespace kir {

inline constexpr double kInfinite = HUGE_VAL;
inline constexpr double kSlack = 1 + 1e-12;

inline double unit(DType t) { return std::ldexp(1.0, -float_format(t).precision()); }
inline double smallest(DType t) { return format_to_double(t, std::uint64_t{1} << float_format(t).shift); }
inline double largest(DType t) { return format_to_double(t, float_format(t).max_finite()); }
// Of rounding a value of at most this magnitude.
inline double rounding(DType t, double magnitude) { return magnitude * unit(t) + smallest(t) / 2; }

// Whether two values with radii compare alike in every execution.
inline bool decided(double a, double ra, double b, double rb) {
  if (ra == 0 && rb == 0) return true;
  if (std::isnan(a) || std::isnan(b)) return (std::isnan(a) && ra == 0) || (std::isnan(b) && rb == 0);
  return a + ra < b - rb || b + rb < a - ra;
}

// Position of the lowest set bit of a finite nonzero double.
inline int lowest_bit(double v) {
  int exponent = 0;
  const double m = std::frexp(std::fabs(v), &exponent);
  const std::uint64_t bits = static_cast<std::uint64_t>(std::ldexp(m, 53));
  return exponent - 53 + std::countr_zero(bits);
}

}  // namespace kir
