"""Convolutions and pooling in NumPy; corpus/reference.py says what a reference is.

Sums go over channels and taps in the order that the kernel's domain has, fused where its product is exact.
"""
import itertools

import numpy as np

from corpus_inputs import BF16, F16, F32, I32, convert, fma


def conv1d(g, B, C, L, F, K, P, pad):
    x, w = g.real(F32, B, C, L), g.real(F32, F, C, K)
    wide = np.pad(x, ((0, 0), (0, 0), (pad, pad)))
    y = np.zeros((B, F, P), F32)
    for c, k in itertools.product(range(C), range(K)):
        y = fma(*np.broadcast_arrays(wide[:, None, c, k:k + P], w[None, :, c, k, None], y))
    return dict(x=x, w=w), dict(y=y)


def conv2d(g, B, H, W, C, R, S, F, P, Q, stride):
    x, w = g.real(F16, B, H, W, C), g.real(F16, R, S, C, F)
    y = np.zeros((B, P, Q, F), F32)
    for i, j, c in itertools.product(range(R), range(S), range(C)):
        window = x[:, i:i + stride * (P - 1) + 1:stride, j:j + stride * (Q - 1) + 1:stride, c, None].astype(F32)
        y = fma(*np.broadcast_arrays(window, w[i, j, c].astype(F32), y))
    return dict(x=x, w=w), dict(y=convert(y, F16))


def depthwise_conv(g, B, C, H, W, R, S, P, Q):
    x, w = g.floats(F32, B, C, H, W), g.floats(F32, C, R, S)
    y = np.zeros((B, C, P, Q), F32)
    for i, j in itertools.product(range(R), range(S)):
        y = fma(*np.broadcast_arrays(x[:, :, i:i + P, j:j + Q], w[:, i, j, None, None], y))
    return dict(x=x, w=w), dict(y=y)


def transposed_conv(g, C, L, F, K, P, stride):
    x, w = g.real(F32, C, L), g.real(F32, C, F, K)
    y = np.zeros((F, P), F32)
    for c, k, i in itertools.product(range(C), range(K), range(L)):
        if stride * i + k < P:
            y[:, stride * i + k] += x[c, i] * w[c, :, k]
    return dict(x=x, w=w), dict(y=y)


def max_pool(g, C, H, W, P, Q):
    x = g.floats(F32, C, H, W)
    y, at = np.empty((C, P, Q), F32), np.empty((C, P, Q), I32)
    for c, p, q in np.ndindex(y.shape):
        top, left = max(2 * p - 1, 0), max(2 * q - 1, 0)
        window = x[c, top:2 * p + 2, left:2 * q + 2]
        i, j = np.unravel_index(np.argmax(window), window.shape)
        y[c, p, q], at[c, p, q] = window[i, j], (top + i) * W + left + j
    return dict(x=x), dict(y=y, at=at)


def avg_pool(g, C, H, W, P, Q):
    x = g.floats(BF16, C, H, W)
    y = np.empty((C, P, Q), BF16)
    for c, p, q in np.ndindex(y.shape):
        window = x[c, 2 * p:2 * p + 2, 3 * q:3 * q + 3].astype(F32).ravel()
        total = window[0]
        for v in window[1:]:
            total = total + v
        y[c, p, q] = convert(np.array(total / F32(len(window))), BF16)
    return dict(x=x), dict(y=y)
