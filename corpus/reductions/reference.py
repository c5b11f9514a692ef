"""Reductions in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, F64, I32, fold_rows, larger


def column_mean(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(mean=(fold_rows(x.T.astype(F64), 0.0) / M).astype(F32))


def row_product(g, M, N):
    a, x = g.integers(I32, M, N), g.floats(F16, M, N)
    a |= 1  # an even factor in every other place would soon leave nothing but 0
    return dict(a=a, x=x), dict(p=fold_rows(a, 1, np.multiply), q=fold_rows(x, 1.0, np.multiply))


def all_true(g, M, N):
    flags = g.flags(M, N, chance=0.5) | g.flags(M, 1, chance=0.5)
    return dict(flags=flags), dict(all=flags.all(axis=1))


def any_true(g, M, N):
    x = g.floats(F32, M, N)
    bad = ~np.isfinite(x)
    return dict(x=x), dict(any=bad.any(axis=1), count=bad.sum(axis=1).astype(I32))


def max_abs(g, M, N):
    x = g.floats(BF16, M, N)
    peak = larger(fold_rows(np.abs(x), -np.inf, larger), BF16(0.0))
    return dict(x=x), dict(peak=peak, scale=peak.astype(F32) / F32(127.0))


def l2_norm(g, N, SX):
    x = g.floats(F16, N) if SX else np.full(N, 0.75, F16)
    v = x.astype(F32)
    return dict(x=x), dict(length=np.sqrt(fold_rows(v * v, 0.0)))


def row_norm_clip(g, M, N, limit):
    x = g.floats(F32, M, N)
    length = np.sqrt(fold_rows(x * x, 0.0))
    factor = np.where(length > F32(limit), F32(limit) / (length + F32(0.000001)), F32(1.0))
    return dict(x=x), dict(x=x * factor[:, None], factor=factor)


def full_max(g, M, N):
    x = g.floats(F64, M, N)
    numbers = x[~np.isnan(x)]
    largest, smallest = (numbers.max(), numbers.min()) if numbers.size else (F64(np.nan), F64(np.nan))
    return dict(x=x), dict(largest=np.array(largest), smallest=np.array(smallest))
