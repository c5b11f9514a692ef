"""Segments whose bounds are data, in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, F64, I32, I64, exp, fold_rows, larger


def bounds(g, S, N, dtype):
    """S segments that cover 0..N; some of them are empty."""
    inner = np.sort(g.integers(I64, max(S - 1, 0), low=0, high=N))
    inner = np.sort(np.where(g.flags(len(inner), chance=0.3), np.roll(inner, 1), inner))
    return np.concatenate([[0], inner, [N] if S > 0 else []]).astype(dtype)


def segments(o):
    return [slice(int(a), int(b)) for a, b in zip(o, o[1:])]


def ragged_sum(g, N, S):
    x, o = g.floats(F32, N), bounds(g, S, N, I32)
    return dict(x=x, o=o), dict(y=np.array([fold_rows(x[r], 0.0) for r in segments(o)], F32))


def ragged_mean(g, N, D, S):
    x, o = g.floats(F32, N, D), bounds(g, S, N, I64)
    y = np.zeros((S, D), F32)
    for s, r in enumerate(segments(o)):
        if r.stop > r.start:
            y[s] = (fold_rows(x[r].T.astype(F64), 0.0) / F64(r.stop - r.start)).astype(F32)
    return dict(x=x, o=o), dict(y=y)


def ragged_softmax(g, N, S):
    x, o = g.floats(F32, N), bounds(g, S, N, I32)
    y = np.zeros(N, F32)
    for r in segments(o):
        if r.stop > r.start:
            e = exp(x[r] - fold_rows(x[r], -np.inf, larger))
            y[r] = e / fold_rows(e, 0.0)
    return dict(x=x, o=o), dict(y=y)


def segment_reduce(g, N, D, S):
    x, o = g.integers(I32, N, D), bounds(g, S, N, I32)
    top, total = np.full((S, D), np.iinfo(I32).min, I32), np.zeros((S, D), I64)
    for s, r in enumerate(segments(o)):
        total[s] = x[r].sum(axis=0, dtype=I64)
        if r.stop > r.start:
            top[s] = x[r].max(axis=0)
    return dict(x=x, o=o), dict(top=top, sum=total, count=np.diff(o).astype(I32))


def grouped_gemm(g, T, K, N, G):
    a, w, o = g.floats(F32, T, K), g.floats(F32, G, K, N), bounds(g, G, T, I32)
    before = g.real(F32, T, N)
    y = before.copy()
    for i, r in enumerate(segments(o)):
        y[r] = fold_rows(a[r, None, :] * w[i].T[None], 0.0)
    return dict(a=a, w=w, o=o, y=before), dict(y=y)
