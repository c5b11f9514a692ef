"""Reductions in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, F64, I32, I64, convert, fold_rows, larger


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


def arg_max(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(at=np.argmax(x, axis=1).astype(I64))


def arg_min(g, M, N):
    x = g.floats(BF16, M, N)
    value, at = np.full(M, np.inf, BF16), np.full(M, -1, I32)
    for m, n in np.ndindex(x.shape):
        if x[m, n] <= value[m]:  # false for NaN
            value[m], at[m] = x[m, n], n
    return dict(x=x), dict(value=value, at=at)


def top1_ties(g, M, N):
    x = g.integers(I32, M, N, low=-3, high=3)
    places = np.argwhere(x == x.max())
    return dict(x=x), dict(top=x.max()[None], first=places[0].astype(I64), last=places[-1].astype(I64),
                           count=np.array([len(places)], I32))


def welford_variance(g, M, N):
    x = g.floats(F32, M, N)
    count, mean, squares = F32(1), x[:, 0], np.zeros(M, F32)
    for k in range(1, N):
        total, d = count + F32(1), x[:, k] - mean
        mean = mean + d * (F32(1) / total)
        squares = squares + F32(0) + d * d * (count / total)
        count = total
    return dict(x=x), dict(mean=mean, variance=squares / count)


def masked_mean(g, M, N):
    x, keep = g.floats(F16, M, N), g.flags(M, N)
    keep[::3] = False
    total, count = np.zeros(M, F32), keep.sum(axis=1).astype(F32)
    for n in range(N):
        total = np.where(keep[:, n], total + x[:, n].astype(F32), total)
    return dict(x=x, keep=keep), dict(mean=np.where(count > 0, convert(total / count, F16), F16(0.0)))


def full_sum(g, M, N):
    x = g.floats(F32, M, N)
    triangle = x[np.arange(M)[:, None] <= np.arange(N)]
    return dict(x=x), dict(total=fold_rows(x.reshape(1, -1), 0.0), upper=fold_rows(triangle[None], 0.0))


def segment_sum_atomic(g, N, S):
    x, segment = g.exact(F64, N), g.integers(I32, N, low=-1, high=S)
    s, members = g.exact(F64, S), g.integers(I32, S, low=0, high=3)
    total, count = s.copy(), members.copy()
    for n in range(N):
        if 0 <= segment[n] < S:
            total[segment[n]] += x[n]
            count[segment[n]] += 1
    return dict(x=x, segment=segment, s=s, members=members), dict(s=total, members=count)
