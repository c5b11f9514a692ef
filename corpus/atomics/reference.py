"""Atomics and histograms in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, I32


def atomic_count(g, N, threshold=F32(0.5)):
    x, count = g.floats(F32, N), g.integers(I32, 1, low=0, high=9)
    return dict(x=x, count=count), dict(count=count + I32(np.count_nonzero(x > threshold)))


def larger_number(a, b):
    """max.num: a NaN is ignored, -0 is below +0."""
    first = (a > b) | ((a == b) & ~np.signbit(a)) | np.isnan(b)
    return np.where(first & ~np.isnan(a), a, b)


def atomic_max_cas(g, M, N):
    x, peak = g.floats(F32, M, N), np.full(N, -np.inf, F32)
    result = peak
    for m in range(M):
        result = larger_number(result, x[m])
    return dict(x=x, peak=peak), dict(peak=result)


def atomic_add_float(g, M, N):
    x, s = g.exact(F32, M, N), g.exact(F32, N)
    total = s.copy()
    for m in range(M):
        total = total + x[m]
    return dict(x=x, s=s), dict(s=total)


def histogram_drop(g, N, B):
    keys, bins = g.integers(I32, N, low=-3, high=B + 3), g.integers(I32, B, low=0, high=5)
    inside = keys[(keys >= 0) & (keys < B)]
    return dict(keys=keys, bins=bins), dict(bins=bins + np.bincount(inside, minlength=B)[:B].astype(I32))


def histogram_weighted(g, N, B, low=F32(-2.0), scale=F32(4.0)):
    x, weight, mask = g.floats(F32, N), g.exact(F32, N), g.flags(N)
    bins = g.exact(F32, B)
    result = bins.copy()
    for v, w, on in zip(x, weight, mask):
        if on and not np.isnan(v):
            place = np.floor((v - low) * scale)
            result[int(np.clip(place, 0, B - 1))] += w
    return dict(x=x, weight=weight, mask=mask, bins=bins), dict(bins=result)
