#include "core/numeric/mpfr_float.h"

#include "core/base/check.h"

namespace kir {

std::uint64_t round_mpfr_to_format(const FloatFormat& f, mpfr_srcptr v, bool inexact, Overflow overflow) {
  KIR_CHECK(mpfr_get_prec(v) == 64 && mp_bits_per_limb == 64, "the intermediate has 64 bits");
  const bool negative = mpfr_signbit(v) != 0;
  if (mpfr_nan_p(v)) return f.quiet_nan();
  if (mpfr_zero_p(v)) return round_to_format(f, negative, 0, 0, inexact, overflow);
  if (mpfr_inf_p(v)) {
    const std::uint64_t sign = negative ? f.sign_bit() : 0;
    if (overflow == Overflow::to_max_finite) return sign | f.max_finite();
    return f.infinities ? sign | f.infinity() : f.quiet_nan();
  }
  // A regular MPFR number is 0.1xxx * 2^exp, its one limb normalised.
  const std::uint64_t magnitude = static_cast<std::uint64_t>(v->_mpfr_d[0]);
  return round_to_format(f, negative, magnitude, mpfr_get_exp(v) - 64, inexact, overflow);
}

}  // namespace kir
