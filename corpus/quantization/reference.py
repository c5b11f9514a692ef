"""Quantisation in NumPy and ml_dtypes; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, F8E4M3, F8E5M2, I8, I32, convert


def scales(g, dtype, M):
    """Powers of two and others, so that both exact and rounded products occur."""
    return g.integers(I32, M, low=1, high=96).astype(dtype) / dtype(32.0)


def quantize_i8(g, M, N):
    x, scale = g.floats(F32, M, N) * F32(64.0), scales(g, F32, M)
    steps = np.rint(x / scale[:, None])
    q = np.where(np.isnan(steps), F32(0.0), np.clip(steps, F32(-127.0), F32(127.0)))
    return dict(x=x, scale=scale), dict(q=q.astype(I8))


def dequantize_i8(g, M, N):
    q, scale, zero = g.integers(I8, M, N), scales(g, F32, M), g.integers(I8, M)
    return dict(q=q, scale=scale, zero=zero), dict(y=(q.astype(I32) - zero[:, None].astype(I32)).astype(F32) * scale[:, None])


def quantize_f8e4m3(g, M, N):
    x, scale = g.floats(F32, M, N) * F32(100.0), scales(g, F32, M)
    v = x * scale[:, None]
    return dict(x=x, scale=scale), dict(q=convert(np.clip(v, F32(-448.0), F32(448.0)), F8E4M3))


def quantize_f8e5m2(g, M, N):
    x, scale = g.floats(F16, M, N) * F16(4096.0), scales(g, F16, M)
    return dict(x=x, scale=scale), dict(q=convert(x * scale[:, None], F8E5M2))


def dequantize_f8e4m3(g, M, N):
    q, scale = g.floats(F8E4M3, M, N), scales(g, F32, M)
    return dict(q=q, scale=scale), dict(y=convert(q.astype(F32) * scale[:, None], BF16))
