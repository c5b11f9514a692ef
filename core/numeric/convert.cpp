// Conversions: one rounding, straight from the source value.
#include <bit>
#include <cmath>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"
#include "core/numeric/scalar_ops.h"

namespace kir {
namespace {

std::uint64_t round_integer(DType to, bool negative, unsigned __int128 magnitude) {
  int dropped = 0;
  while (magnitude >> dropped > ~std::uint64_t{0}) ++dropped;
  const bool sticky = (magnitude & ((static_cast<unsigned __int128>(1) << dropped) - 1)) != 0;
  return round_to_format(float_format(to), negative, static_cast<std::uint64_t>(magnitude >> dropped), dropped, sticky);
}

// 2^n as a double, exact.
double power(int n) { return std::ldexp(1.0, n); }

ScalarResult float_to_integer(const Scalar& a, DType to, bool is_signed, bool saturate) {
  const double v = std::trunc(a.as_double());
  const int width = bit_width(to);
  const double low = is_signed ? -power(width - 1) : 0.0;
  const double above = power(is_signed ? width - 1 : width);  // first value out of range
  if (std::isnan(v) || v < low || v >= above) {
    if (!saturate) return {{to, 0}, ScalarError::conversion_out_of_range};
    if (std::isnan(v)) return {{to, 0}};
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (v < low) return {{to, is_signed ? sign : 0}};
    return {{to, is_signed ? sign - 1 : ones}};
  }
  if (v < 0) return {Scalar::of_int(to, static_cast<std::int64_t>(v))};
  return {Scalar::of_int(to, static_cast<std::int64_t>(static_cast<std::uint64_t>(v)))};
}

}  // namespace

ScalarResult evaluate_convert(ConvertMode mode, const Scalar& a, DType to) {
  switch (mode) {
    case ConvertMode::rn:
    case ConvertMode::sat_rn: {
      KIR_CHECK(is_float(a.type) && is_float(to), "convert.rn is between floats");
      if (a.is_nan()) return {canonical_nan(to)};
      const Overflow overflow = mode == ConvertMode::rn ? Overflow::to_infinity : Overflow::to_max_finite;
      return {{to, round_double_to_format(float_format(to), a.as_double(), overflow)}};
    }
    case ConvertMode::sint:
      if (is_integer(to)) return {Scalar::of_int(to, a.as_signed())};
      return evaluate_convert_integer(mode, a.as_signed(), to);
    case ConvertMode::uint:
      if (is_integer(to)) return {Scalar::of_int(to, static_cast<std::int64_t>(a.as_unsigned()))};
      return evaluate_convert_integer(mode, static_cast<__int128>(a.as_unsigned()), to);
    case ConvertMode::wrap:
      KIR_CHECK(is_integer(a.type) && is_integer(to), "convert.wrap is between integers");
      return {Scalar::of_int(to, static_cast<std::int64_t>(a.bits))};
    case ConvertMode::to_sint: return float_to_integer(a, to, true, false);
    case ConvertMode::to_uint: return float_to_integer(a, to, false, false);
    case ConvertMode::sat_to_sint: return float_to_integer(a, to, true, true);
    case ConvertMode::sat_to_uint: return float_to_integer(a, to, false, true);
    case ConvertMode::to_bool: return {Scalar::of_bool(is_float(a.type) ? a.as_double() != 0 : a.bits != 0)};
    case ConvertMode::bits:
      KIR_CHECK(bit_width(a.type) == bit_width(to), "convert.bits keeps the width");
      return {{to, a.bits}};
  }
  KIR_UNREACHABLE("conversion mode");
}

ScalarResult evaluate_convert_integer(ConvertMode mode, __int128 a, DType to) {
  if (mode == ConvertMode::to_bool) return {Scalar::of_bool(a != 0)};
  KIR_CHECK(mode == ConvertMode::sint || mode == ConvertMode::uint || mode == ConvertMode::wrap, "mode {} of an index",
            name(mode));
  if (is_integer(to)) return {Scalar::of_int(to, static_cast<std::int64_t>(a))};
  const unsigned __int128 magnitude = a < 0 ? -static_cast<unsigned __int128>(a) : static_cast<unsigned __int128>(a);
  return {{to, round_integer(to, a < 0, magnitude)}};
}

bool holds_every(DType to, DType from) {
  if (is_float(to) != is_float(from)) return false;
  if (is_integer(to)) return bit_width(to) >= bit_width(from);
  const FloatFormat &wide = float_format(to), &narrow = float_format(from);
  return to == from ||
         (wide.precision() >= narrow.precision() && wide.exponent_bits >= narrow.exponent_bits && wide.infinities);
}

ConvertMode widening(DType from, DType to) {
  if (is_float(to)) return ConvertMode::rn;
  return from == DType::i1 || from == DType::u64 ? ConvertMode::uint : ConvertMode::sint;
}

Scalar widen(const Scalar& a, DType to) { return a.type == to ? a : evaluate_convert(widening(a.type, to), a, to).value; }

}  // namespace kir
