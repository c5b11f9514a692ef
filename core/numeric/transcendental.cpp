// Types up to f32 first try the C library's double function: its result is within a few units of the 53rd bit of the exact
// one, so when everything within 2^-46 of it rounds to one value, that value is the correctly rounded one. Otherwise, and
// for f64, MPFR computes 64 bits rounded toward zero with the information whether that is exact, which suffices for a
// single correct rounding into any format (subnormals included).
#include "core/numeric/transcendental.h"

#include <cmath>

#include "core/base/check.h"
#include "core/numeric/mpfr_float.h"

namespace kir {
namespace {

double by_library(OpKind kind, double x) {
  switch (kind) {
    case OpKind::exp: return std::exp(x);
    case OpKind::exp2: return std::exp2(x);
    case OpKind::log: return std::log(x);
    case OpKind::log2: return std::log2(x);
    case OpKind::rsqrt: return 1 / std::sqrt(x);
    case OpKind::sin: return std::sin(x);
    case OpKind::cos: return std::cos(x);
    case OpKind::tanh: return std::tanh(x);
    case OpKind::erf: return std::erf(x);
    default: KIR_UNREACHABLE("no transcendental function");
  }
}

int by_mpfr(OpKind kind, mpfr_ptr r, mpfr_srcptr x) {
  switch (kind) {
    case OpKind::exp: return mpfr_exp(r, x, MPFR_RNDZ);
    case OpKind::exp2: return mpfr_exp2(r, x, MPFR_RNDZ);
    case OpKind::log: return mpfr_log(r, x, MPFR_RNDZ);
    case OpKind::log2: return mpfr_log2(r, x, MPFR_RNDZ);
    case OpKind::rsqrt: return mpfr_rec_sqrt(r, x, MPFR_RNDZ);
    case OpKind::sin: return mpfr_sin(r, x, MPFR_RNDZ);
    case OpKind::cos: return mpfr_cos(r, x, MPFR_RNDZ);
    case OpKind::tanh: return mpfr_tanh(r, x, MPFR_RNDZ);
    case OpKind::erf: return mpfr_erf(r, x, MPFR_RNDZ);
    default: KIR_UNREACHABLE("no transcendental function");
  }
}

}  // namespace

std::uint64_t transcendental_by_mpfr(OpKind kind, DType t, std::uint64_t bits) {
  const FloatFormat& f = float_format(t);
  const double x = format_to_double(t, bits);
  // IEEE 754 gives 1 / sqrt(-0) the sign of its operand, MPFR does not.
  if (kind == OpKind::rsqrt && x == 0) return round_double_to_format(f, std::copysign(HUGE_VAL, x));
  MpfrFloat argument, result;
  mpfr_set_d(argument.get(), x, MPFR_RNDN);  // exact
  const int ternary = by_mpfr(kind, result.get(), argument.get());
  return round_mpfr_to_format(f, result.get(), ternary != 0);
}

std::uint64_t transcendental(OpKind kind, DType t, std::uint64_t bits) {
  if (t != DType::f64) {
    const FloatFormat& f = float_format(t);
    const double y = by_library(kind, format_to_double(t, bits));
    if (y == 0 || !std::isfinite(y)) return round_double_to_format(f, y);  // zero: exact, or below every format here
    constexpr double kMargin = 0x1p-46;
    const std::uint64_t low = round_double_to_format(f, y - std::fabs(y) * kMargin);
    const std::uint64_t high = round_double_to_format(f, y + std::fabs(y) * kMargin);
    if (low == high) return low;
  }
  return transcendental_by_mpfr(kind, t, bits);
}

}  // namespace kir
