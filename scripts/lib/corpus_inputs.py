"""What the NumPy references of the corpus share: inputs, arithmetic with the rounding that the language demands, folds.

Nothing here knows the interpreters. +, -, * and / of NumPy and ml_dtypes arrays round to nearest even in their own type,
as the language does. The functions below take arrays of any float type and are correctly rounded in that type: the exact
value is computed to so many digits that one rounding remains. NaN is the quiet NaN; its payload is never compared.
"""
import decimal
import fractions
import functools
import math

import ml_dtypes
import numpy as np

I8, I16, I32, I64, U32, U64 = np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64
F16, F32, F64 = np.float16, np.float32, np.float64
BF16, F8E4M3, F8E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TYPES = {"i1": np.bool_, "i8": I8, "i16": I16, "i32": I32, "i64": I64, "u64": U64, "f8e4m3": F8E4M3, "f8e5m2": F8E5M2,
         "f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


class Inputs:
    """Deterministic inputs. A case that says `special` has NaN, infinities and extremes among its `floats`."""

    def __init__(self, seed, special=False):
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.has_specials = special

    def floats(self, dtype, *shape):
        return self.special(dtype, *shape) if self.has_specials else self.real(dtype, *shape)

    def exact(self, dtype, *shape, low=-64, high=65):
        """Multiples of 1/8 of moderate size, so that most sums are exact in any order."""
        return (self.rng.integers(low, high, shape) / 8).astype(dtype)

    def real(self, dtype, *shape, scale=2.0):
        return (self.rng.standard_normal(shape) * scale).astype(dtype)

    def integers(self, dtype, *shape, low=None, high=None):
        """Both ends included; without ends, the whole type."""
        info = np.iinfo(dtype)
        low, high = info.min if low is None else low, info.max if high is None else high
        return self.rng.integers(low, high, shape, dtype=dtype, endpoint=True)

    def flags(self, *shape, chance=0.5):
        return self.rng.random(shape) < chance

    def special(self, dtype, *shape):
        """Ordinary values with NaN, infinities, zeros of both signs and the extremes of the type among them."""
        x = self.real(dtype, *shape)
        info = ml_dtypes.finfo(dtype)
        with np.errstate(all="ignore"):
            values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, info.max, info.min, info.smallest_subnormal], dtype)
        where = self.rng.random(shape) < 0.4
        return np.where(where, values[self.rng.integers(0, len(values), shape)], x)


def stored(array):
    """The array as .npy files of the project hold it: types that NumPy lacks are unsigned integers of their bits."""
    array = np.asarray(array)
    if array.dtype.type.__module__ == "numpy":
        return array
    return array.view(f"u{array.dtype.itemsize}")


# Folds.


def fold_rows(x, initial, op=np.add):
    """Combines along the last axis from left to right, beginning with the initial value; rounds at each step."""
    total = np.full(x.shape[:-1], initial, x.dtype)
    for k in range(x.shape[-1]):
        total = op(total, x[..., k])
    return total


def larger(a, b):
    """max.nan: NaN wins, -0 is below +0."""
    a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    r = np.where((a > b) | ((a == b) & ~np.signbit(a)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), a.dtype.type(math.nan), r).astype(a.dtype)


def smaller(a, b):
    """min.nan: NaN wins, -0 is below +0."""
    return -larger(-np.asarray(a), -np.asarray(b))


# Exact values, rounded once.

DIGITS = 80  # past twice those of double precision, with room for cancellation
PRECISE = decimal.Context(prec=DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def nearest(exact, dtype):
    """The value of the float type nearest to an exact rational (or decimal), ties to even, overflow to infinity (NaN in
    f8e4m3). An exact zero becomes +0."""
    exact = fractions.Fraction(exact)
    if exact == 0:
        return dtype(0.0)
    info = ml_dtypes.finfo(dtype)
    magnitude = abs(exact)
    digits = info.nmant + 1
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < fractions.Fraction(2) ** exponent
    step = fractions.Fraction(2) ** (max(exponent, info.minexp) - digits + 1)
    value = round(magnitude / step) * step  # round() of a Fraction breaks ties to even
    if value > fractions.Fraction(float(info.max)):
        value = math.inf if dtype is not F8E4M3 else math.nan
    return dtype(math.copysign(float(value), -1.0 if exact < 0 else 1.0))


def rounded(f, x):
    """f of each element (from an exact decimal to a decimal, or to a float where the result is no finite nonzero number),
    rounded once to the type of x. f sees finite and infinite values; of NaN the result is NaN."""
    x = np.asarray(x)

    def single(v):
        v = float(v)
        y = math.nan if math.isnan(v) else f(decimal.Decimal(v) if math.isfinite(v) else v)
        return x.dtype.type(y) if isinstance(y, float) else nearest(y, x.dtype.type)

    with np.errstate(all="ignore"):
        return np.array([single(v) for v in x.flat], x.dtype).reshape(x.shape)


def convert(x, dtype):
    """convert.rn: floats to a float type, rounded once (a cast from f64 may go through f32 on its way)."""
    return np.array([dtype(v) if not math.isfinite(v) else dtype(math.copysign(float(nearest(v, dtype)), v))
                     for v in np.asarray(x).astype(F64).flat], dtype).reshape(np.shape(x))


def fma(a, b, c):
    """a * b + c rounded once."""
    a, b, c = np.broadcast_arrays(np.asarray(a), np.asarray(b), np.asarray(c))
    dtype = a.dtype.type

    def single(p, q, r):
        if all(map(math.isfinite, (p, q, r))):
            exact = fractions.Fraction(p) * fractions.Fraction(q) + fractions.Fraction(r)
            # Zeros keep the sign that the sum of the zeros has; an exact cancellation is +0.
            return nearest(exact, dtype) if exact else dtype(p * q + r if p * q == 0 and r == 0 else 0.0)
        return dtype(p * q + r)

    with np.errstate(all="ignore"):
        values = [single(*map(float, v)) for v in zip(a.flat, b.flat, c.flat)]
    return np.array(values, a.dtype).reshape(a.shape)


def sqrt(x):
    """NumPy computes narrow types in f32, which has more than twice their digits: rounding twice changes nothing."""
    with np.errstate(all="ignore"):
        return np.sqrt(np.asarray(x))


def exp(x):
    return rounded(functools.partial(_power, scale=None), x)


def exp2(x):
    return rounded(functools.partial(_power, scale=PRECISE.ln(decimal.Decimal(2))), x)


def _power(v, scale):
    if isinstance(v, float):
        return math.inf if v > 0 else 0.0
    if v == 0:
        return 1.0
    if abs(v) > 2000:  # past the range of every type
        return math.inf if v > 0 else 0.0
    return PRECISE.exp(v if scale is None else PRECISE.multiply(v, scale))


def log(x):
    return rounded(functools.partial(_logarithm, base=None), x)


def log2(x):
    return rounded(functools.partial(_logarithm, base=PRECISE.ln(decimal.Decimal(2))), x)


def _logarithm(v, base):
    if v == 0:
        return -math.inf
    if v < 0:
        return math.nan
    if isinstance(v, float):
        return math.inf
    return PRECISE.ln(v) if base is None else PRECISE.divide(PRECISE.ln(v), base)


def rsqrt(x):
    def value(v):
        if v == 0:
            return math.copysign(math.inf, v)
        if v < 0:
            return math.nan
        return 0.0 if isinstance(v, float) else PRECISE.divide(1, PRECISE.sqrt(v))
    return rounded(value, x)


def tanh(x):
    def value(v):
        if v == 0 or isinstance(v, float):
            return math.copysign(min(1.0, abs(v)), v)
        if abs(v) > 200:
            return math.copysign(1.0, v)
        context = decimal.Context(prec=DIGITS + 2 * max(0, -v.adjusted()))
        square = context.exp(context.multiply(2, v))
        return context.divide(context.subtract(square, 1), context.add(square, 1))
    return rounded(value, x)


def erf(x):
    def value(v):
        if v == 0 or isinstance(v, float):
            return math.copysign(min(1.0, abs(v)), v)
        if abs(v) > 12:
            return math.copysign(1.0, v)
        # 2/sqrt(pi) * sum (-1)^n v^(2n+1) / (n! (2n+1)); the terms grow to e^(v^2) before they fall.
        context = decimal.Context(prec=DIGITS + int(v * v))
        opposite, power, total, n = context.multiply(v, v).copy_negate(), v, v, 0
        while power.adjusted() > total.adjusted() - DIGITS:
            n += 1
            power = context.divide(context.multiply(power, opposite), n)
            total = context.add(total, context.divide(power, 2 * n + 1))
        return context.divide(context.multiply(2, total), context.sqrt(pi(context.prec)))
    return rounded(value, x)


def sin(x):
    return rounded(functools.partial(_circular, shift=0), x)


def cos(x):
    return rounded(functools.partial(_circular, shift=1), x)


def _circular(v, shift):
    """sin(v + shift * pi/2)."""
    if isinstance(v, float):
        return math.nan
    if v == 0:
        return 1.0 if shift else math.copysign(0.0, v)
    context = decimal.Context(prec=2 * DIGITS + abs(v.adjusted()))
    half = context.divide(pi(context.prec), 2)
    turns = context.divide(v, half).to_integral_value(decimal.ROUND_HALF_EVEN)
    rest = context.subtract(v, context.multiply(turns, half))
    quarter = (int(turns) + shift) % 4
    # The Taylor series of the sine (from rest) or the cosine (from 1), for |rest| <= pi/4.
    n, term = (1, rest) if quarter % 2 == 0 else (0, decimal.Decimal(1))
    total = term
    opposite = context.multiply(rest, rest).copy_negate()
    while term and term.adjusted() > total.adjusted() - DIGITS:
        n += 2
        term = context.divide(context.multiply(term, opposite), n * (n - 1))
        total = context.add(total, term)
    return total.copy_negate() if quarter >= 2 else total


@functools.lru_cache(maxsize=None)
def pi(digits):
    """Machin: pi/4 = 4 arctan(1/5) - arctan(1/239), in integers with ten guard digits."""
    one = 10 ** (digits + 10)

    def arctan_of_inverse(q):
        power = total = one // q
        n, sign = 1, 1
        while power:
            power //= q * q
            n, sign = n + 2, -sign
            total += sign * (power // n)
        return total

    return decimal.Decimal(4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))).scaleb(
        -(digits + 10), decimal.Context(prec=digits + 20))
