"""The functions of corpus_inputs against the C library, known values and, for narrow types, every value of the type."""
import fractions
import math
import unittest

import ml_dtypes
import numpy as np

import corpus_inputs as c

ALL_F16 = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
ALL_BF16 = np.arange(1 << 16, dtype=np.uint16).view(c.BF16)
FUNCTIONS = {
    "exp": (np.exp, c.exp), "exp2": (np.exp2, c.exp2), "log": (np.log, c.log), "log2": (np.log2, c.log2),
    "rsqrt": (lambda x: 1 / np.sqrt(x), c.rsqrt), "tanh": (np.tanh, c.tanh), "sin": (np.sin, c.sin), "cos": (np.cos, c.cos),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), c.erf),
}


def bits(a):
    return a.view(f"u{a.itemsize}")


class Functions(unittest.TestCase):
    def test_double_precision_is_within_an_ulp_of_the_c_library(self):
        rng = np.random.Generator(np.random.PCG64(1))
        x = np.concatenate([rng.standard_normal(40) * 3, rng.standard_normal(10) * 1e-9, rng.standard_normal(10) * 300])
        for name, (library, own) in FUNCTIONS.items():
            v = np.abs(x) if name in ("log", "log2", "rsqrt") else x
            got, want = own(v), library(v)
            self.assertTrue(np.all(np.abs(got - want) <= np.spacing(np.abs(want))), name)

    def test_half_precision_is_the_rounded_double_wherever_that_decides(self):
        x = ALL_F16[::37]
        for name, (library, own) in FUNCTIONS.items():
            with np.errstate(all="ignore"):
                wide = library(x.astype(np.float64))
                low, high = ((wide * (1 + s)).astype(np.float16) for s in (-1e-14, 1e-14))
            got, clear = own(x), (bits(low) == bits(high)) | (np.isnan(low) & np.isnan(high))
            same = (bits(got) == bits(low)) | (np.isnan(got) & np.isnan(low))
            self.assertTrue(np.all(same | ~clear), f"{name} of {x[~same & clear]}")
            self.assertGreater(np.count_nonzero(clear), 0.99 * x.size, name)

    def test_special_values(self):
        inf, nan = math.inf, math.nan
        x = np.array([inf, -inf, nan, 0.0, -0.0], np.float32)
        wanted = {"exp": [inf, 0, nan, 1, 1], "exp2": [inf, 0, nan, 1, 1], "log": [inf, nan, nan, -inf, -inf],
                  "log2": [inf, nan, nan, -inf, -inf], "rsqrt": [0, nan, nan, inf, -inf], "tanh": [1, -1, nan, 0.0, -0.0],
                  "erf": [1, -1, nan, 0.0, -0.0], "sin": [nan, nan, nan, 0.0, -0.0], "cos": [nan, nan, nan, 1, 1]}
        for name, values in wanted.items():
            got = FUNCTIONS[name][1](x)
            np.testing.assert_array_equal(got, np.array(values, np.float32), name)
            np.testing.assert_array_equal(np.signbit(got[3:]), np.signbit(values[3:]), name)

    def test_overflow_underflow_and_large_arguments(self):
        f = np.float32
        self.assertEqual(c.exp(f([88.72284, 88.72283])).tolist(), [math.inf, float(f(3.4027985e38))])
        self.assertEqual(c.exp(f([-103.97208, -103.9721, -1e30, 1e30])).tolist(), [float(f(1e-45)), 0.0, 0.0, math.inf])
        self.assertEqual(c.tanh(f([1e-45, 30, -3e38])).tolist(), [float(f(1e-45)), 1.0, -1.0])
        # sin(10^22) and sin(2^1023 * 1.99...) are classical tests of argument reduction.
        self.assertEqual(c.sin(np.array([1e22])).tolist(), [-0.8522008497671888])
        self.assertEqual(c.cos(np.array([1.7976931348623157e308])).tolist(), [-0.9999876894265599])


class Rounding(unittest.TestCase):
    def test_every_value_of_a_type_is_nearest_to_itself_and_to_what_is_close(self):
        for dtype, values in ((c.F16, ALL_F16[::7]), (c.BF16, ALL_BF16[::7]),
                              (c.F8E4M3, np.arange(256, dtype=np.uint8).view(c.F8E4M3)),
                              (c.F8E5M2, np.arange(256, dtype=np.uint8).view(c.F8E5M2))):
            with np.errstate(all="ignore"):
                values = values[np.isfinite(values.astype(np.float64)) & (values != 0)]
            for v in values:
                exact = fractions.Fraction(float(v))
                self.assertEqual(c.nearest(exact, dtype), v)
                self.assertEqual(c.nearest(exact * (1 + fractions.Fraction(1, 1 << 20)), dtype), v)

    def test_ties_go_to_even_and_overflow_by_type(self):
        self.assertEqual(float(c.nearest(fractions.Fraction(2049), c.F16)), 2048.0)
        self.assertEqual(float(c.nearest(fractions.Fraction(2051), c.F16)), 2052.0)
        self.assertEqual(float(c.nearest(65519, c.F16)), 65504.0)
        self.assertEqual(float(c.nearest(-65520, c.F16)), -math.inf)
        self.assertEqual(float(c.nearest(464, c.F8E4M3)), 448.0)
        self.assertTrue(np.isnan(c.nearest(465, c.F8E4M3)))
        self.assertEqual(float(c.nearest(61440, c.F8E5M2)), math.inf)
        self.assertEqual(float(c.nearest(fractions.Fraction(1, 1 << 150), c.F32)), 0.0)
        self.assertEqual(c.nearest(fractions.Fraction(3, 1 << 150), c.F32), np.float32(2 * 1.401298464324817e-45))

    def test_conversion_rounds_once(self):
        # Just above a tie of bf16: by way of f32 it would become the tie, and then even.
        x = np.array([1 + 2.0 ** -8 + 2.0 ** -40, math.inf, math.nan, -0.0, -1e-60])
        got = c.convert(x, c.BF16)
        self.assertEqual(got[:2].astype(np.float64).tolist(), [1 + 2.0 ** -7, math.inf])
        self.assertTrue(np.isnan(got[2]))
        self.assertEqual(bits(got[3:]).tolist(), [0x8000, 0x8000])

    def test_fused_multiply_add(self):
        f = np.float32
        one = f(1 + 2.0 ** -12)
        self.assertEqual(c.fma(one, one, f(-1)).item(), 2.0 ** -11 + 2.0 ** -24)  # the product rounded first gives 2^-11
        self.assertEqual(np.signbit(c.fma(f([0, -0.0, 1]), f([-1, 1, -1]), f([-0.0, 0.0, 1]))).tolist(), [True, False, False])
        self.assertTrue(np.isnan(c.fma(f(math.inf), f(0), f(1))).item())
        self.assertEqual(c.fma(f(3e38), f(3e38), f(-math.inf)).item(), -math.inf)

    def test_extremes_order_zeros_and_keep_nan(self):
        a, b = np.float32([0.0, -0.0, math.nan, 1]), np.float32([-0.0, 0.0, 1, 2])
        self.assertEqual(np.signbit(c.larger(a, b))[:2].tolist(), [False, False])
        self.assertEqual(np.signbit(c.smaller(a, b))[:2].tolist(), [True, True])
        self.assertTrue(np.isnan(c.larger(a, b)[2]) and np.isnan(c.smaller(b, a)[2]))
        self.assertEqual((c.larger(a, b)[3], c.smaller(a, b)[3]), (2, 1))

    def test_folds_round_at_each_step(self):
        x = np.float16([[2048, 1, 1, 1]])
        self.assertEqual(c.fold_rows(x, 0.0).tolist(), [2048.0])
        self.assertEqual(c.fold_rows(x[:, ::-1], 0.0).tolist(), [2052.0])
        self.assertEqual(c.fold_rows(x, -math.inf, c.larger).tolist(), [2048.0])

    def test_stored_bits(self):
        self.assertEqual(c.stored(np.array([1.0], c.BF16)).tolist(), [0x3F80])
        self.assertEqual(c.stored(np.array([1.0], c.F8E4M3)).dtype, np.uint8)
        self.assertEqual(c.stored(np.array([1.0], np.float16)).dtype, np.float16)
        self.assertEqual(ml_dtypes.finfo(c.F8E4M3).max, 448)
