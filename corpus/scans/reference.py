"""Scans in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, F64, I32, I64, exp, larger, log


def scan_rows(x, initial, op=np.add):
    """All states along the last axis from left to right, beginning with the initial value, which is none of them."""
    y, state = np.empty_like(x), np.full(x.shape[:-1], initial, x.dtype)
    for k in range(x.shape[-1]):
        state = op(state, x[..., k])
        y[..., k] = state
    return y, state


def cumsum(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(y=scan_rows(x, 0.0)[0])


def cumprod(g, M, N):
    x = g.floats(F64, M, N)
    y, total = scan_rows(x, 1.0, np.multiply)
    return dict(x=x), dict(y=y, total=total)


def reverse_cumsum(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(y=scan_rows(x[:, ::-1], 0.0)[0][:, ::-1])


def exclusive_cumsum(g, N):
    size = g.integers(I32, N)
    return dict(size=size), dict(offset=np.concatenate([[0], np.cumsum(size.astype(I64))]).astype(I64))


def masked_cumsum(g, M, N):
    x, keep = g.floats(F32, M, N), g.flags(M, N)
    return dict(x=x, keep=keep), dict(y=scan_rows(np.where(keep, x, F32(-0.0)), 0.0)[0])


def affine_scan(g, R, T):
    a, b, h0 = g.real(F32, R, T, scale=0.7), g.real(F32, R, T), g.real(F32, R)
    p, q, h = np.ones(R, F32), np.zeros(R, F32), np.empty((R, T), F32)
    for t in range(T):
        p, q = (a[:, t] * p, a[:, t] * q + b[:, t]) if t else (a[:, 0], b[:, 0])
        h[:, t] = p * h0 + q
    return dict(a=a, b=b, h0=h0), dict(h=h)


def running_max(g, M, N):
    x = g.floats(F32, M, N)
    up = scan_rows(x, -np.inf, larger)[0]
    down = scan_rows(x[:, ::-1], -np.inf, larger)[0][:, ::-1]
    return dict(x=x), dict(up=up, down=down)


def before_each(x, initial, op=np.add):
    """The states before each element of the last axis."""
    y = np.empty_like(x)
    y[..., :1] = initial
    y[..., 1:] = scan_rows(x, initial, op)[0][..., :-1]
    return y


def raster_sum(g, B, M, N):
    x = g.floats(F32, B, M, N)
    rows = x.reshape(B, M * N)
    sums, peaks = before_each(rows, 0.0), before_each(rows, -np.inf, larger)
    return dict(x=x), dict(sum=sums.reshape(x.shape), peak=peaks.reshape(x.shape))


def log_cumsum_exp(g, M, N):
    x = g.floats(F32, M, N)
    y = np.empty_like(x)
    for k in range(N):
        if k == 0:
            m, s = x[:, 0], np.ones(M, F32)
        else:
            n, v = m, x[:, k]
            m = larger(n, v)
            s = np.where(n == -np.inf, F32(0), s * exp(n - m)) + np.where(v == -np.inf, F32(0), exp(v - m))
        y[:, k] = np.where(m == -np.inf, m, m + log(s))
    return dict(x=x), dict(y=y)
