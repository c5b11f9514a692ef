"""Loops with exits, stop conditions and collected values, sorting, in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, I32


def newton_sqrt(g, N):
    x = g.floats(F32, N)
    y = np.zeros(N, F32)
    half = F32(0.5)
    for i, v in enumerate(x):
        a = F32(0.0) if np.isnan(v) or v <= 0 else v
        root = max(a, F32(1.0))
        h = half * (root + a / root)
        while h < root:
            root, h = h, half * (h + a / h)
        y[i] = root
    return dict(x=x), dict(y=y)


def newton_fixed(g, N, most):
    x = g.floats(F32, N)
    y, taken = np.zeros(N, F32), np.zeros(N, I32)
    for i, a in enumerate(np.abs(x)):
        root, n = F32(1.0) / (F32(1.0) + a), 0
        for _ in range(most):
            h = root * (F32(1.5) - F32(0.5) * a * root * root)
            if h == root:
                break
            root, n = h, n + 1
        y[i], taken[i] = root, n
    return dict(x=x), dict(y=y, taken=taken)


def find_first(g, M, N, key=7):
    x = g.integers(I32, M, N, low=0, high=40)
    place = np.array([next((n for n in range(N) if row[n] == key), -1) for row in x], I32)
    return dict(x=x), dict(place=place.reshape(M))


def collatz_steps(g, N):
    x = g.integers(I32, N, low=-5, high=3000)
    steps = np.zeros(N, I32)
    for i, n in enumerate(int(v) for v in x):
        while n > 1 and steps[i] < 1000:
            n = 3 * n + 1 if n % 2 else n // 2
            n = (n + 2**31) % 2**32 - 2**31
            steps[i] += 1
    return dict(x=x), dict(steps=steps)


def skip_negative_sum(g, M, N):
    x = g.floats(F32, M, N)
    total = np.zeros(M, F32)
    for n in range(N):
        total = np.where(x[:, n] >= 0, total + x[:, n], total)
    return dict(x=x), dict(s=total)


def running_product_collect(g, M, N):
    x = g.floats(F32, M, N)
    y, p = np.zeros((M, N), F32), np.ones(M, F32)
    for n in range(N):
        p = p * x[:, n]
        y[:, n] = p
    return dict(x=x), dict(y=y, whole=p)


def horner_while(g, N, D):
    x, c = g.real(F32, N), g.exact(F32, D)
    y = np.zeros(N, F32)
    for k in reversed(range(D)):
        y = y * x + c[k]
    return dict(x=x, c=c), dict(y=y)


def odd_even_sort(g, M, N):
    x = g.floats(F32, M, N)
    y = x.copy()
    for phase in range(N):
        for left in range(phase % 2, N - 1, 2):
            a, b = y[:, left].copy(), y[:, left + 1].copy()
            swap = a > b
            y[:, left], y[:, left + 1] = np.where(swap, b, a), np.where(swap, a, b)
    return dict(x=x), dict(y=y)
