// A scoped MPFR number and its single rounding into a format.
#pragma once

#include <mpfr.h>

#include "core/numeric/float_format.h"

namespace kir {

class MpfrFloat {
 public:
  explicit MpfrFloat(mpfr_prec_t precision = 64) { mpfr_init2(v_, precision); }
  ~MpfrFloat() { mpfr_clear(v_); }
  MpfrFloat(const MpfrFloat&) = delete;
  MpfrFloat& operator=(const MpfrFloat&) = delete;
  mpfr_ptr get() { return v_; }

 private:
  mpfr_t v_;
};

// Bits of format f nearest to the exact result of which `v` (64 bits of precision) is the rounding toward zero;
// `inexact`: the ternary value of that operation is not 0. NaN gives the canonical NaN.
std::uint64_t round_mpfr_to_format(const FloatFormat& f, mpfr_srcptr v, bool inexact,
                                   Overflow overflow = Overflow::to_infinity);

}  // namespace kir
