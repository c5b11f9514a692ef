"""Host plans in NumPy, launch by launch; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, exp, fold_rows, larger


def blocks_of(x, size):
    return [x[at:at + size] for at in range(0, len(x), size)]


def full_sum_two_pass(g, N, S):
    x = g.floats(F32, N)
    sums = np.array([fold_rows(b, 0.0) for b in blocks_of(x, S)], F32)
    return dict(x=x), dict(y=fold_rows(sums, 0.0).reshape(1))


def full_scan_three_pass(g, N):
    x = g.floats(F32, N)
    y, before = np.empty_like(x), F32(0.0)
    for at in range(0, N, 64):
        sum_ = F32(0.0)
        for n in range(at, min(at + 64, N)):
            sum_ = sum_ + x[n]
            y[n] = before + sum_
        before = before + sum_
    return dict(x=x), dict(y=y)


def softmax_three_kernels(g, M, N):
    x = g.floats(F32, M, N)
    peak = fold_rows(x, -np.inf, larger)
    total = fold_rows(exp(x - peak[:, None]), 0.0)
    return dict(x=x), dict(y=exp(x - peak[:, None]) / total[:, None])
