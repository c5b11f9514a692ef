"""Ordered control in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32


def odd_even_sort(g, M, N):
    x = g.floats(F32, M, N)
    y = x.copy()
    for phase in range(N):
        for left in range(phase % 2, N - 1, 2):
            a, b = y[:, left].copy(), y[:, left + 1].copy()
            swap = a > b
            y[:, left], y[:, left + 1] = np.where(swap, b, a), np.where(swap, a, b)
    return dict(x=x), dict(y=y)
