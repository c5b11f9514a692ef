"""Buffers of a whole launch in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32


def momentum(g, N, T, rate=F32(0.125), decay=F32(0.75)):
    w, slopes = g.floats(F32, N), g.floats(F32, T, N)
    v, y = np.zeros(N, F32), w.copy()
    for slope in slopes:
        v = decay * v + slope
        y = y - rate * v
    return dict(w=w, g=slopes), dict(y=y)


def smoothed_rows(g, M, N, steps):
    x = g.floats(F32, M, N)
    y = x.copy()
    for _ in range(steps if N else 0):
        left, right = np.c_[y[:, :1], y[:, :-1]], np.c_[y[:, 1:], y[:, -1:]]
        y = F32(0.25) * left + F32(0.5) * y + F32(0.25) * right
    return dict(x=x), dict(y=y)
