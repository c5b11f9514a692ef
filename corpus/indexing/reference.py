"""Kernels of indices, shapes and relations in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, I32, I64


def embedding_gather(g, V, D, E):
    table, idx = g.floats(F32, V, D), g.integers(I64, E, low=0, high=max(V - 1, 0))
    return dict(table=table, idx=idx), dict(y=table[idx])


def reverse_in_place(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(x=x[:, ::-1].copy())


def trusted_gather(g, V, E):
    x, t = g.floats(F32, V), g.integers(I32, E, low=0, high=max(V - 1, 0))
    return dict(x=x, t=t), dict(y=x[t])


def rotary_embedding(g, S, H, D):
    x, c, s = g.floats(F32, S, H, 2 * D), g.real(F32, S, D, scale=0.5), g.real(F32, S, D, scale=0.5)
    a, b = x[..., :D], x[..., D:]
    cosine, sine = c[:, None, :], s[:, None, :]
    return dict(x=x, c=c, s=s), dict(y=np.concatenate([a * cosine - b * sine, b * cosine - a * -sine], axis=2))


def reshape_transpose(g, S, H, D):
    x = g.floats(BF16, S, H * D)
    y = x.reshape(S, H, D).transpose(1, 0, 2)
    return dict(x=x), dict(y=y, z=y.reshape(-1))


def concat_rows(g, A, B, C, N):
    a, b, c = g.floats(F16, A, N), g.floats(F16, B, N), g.floats(F16, C, N)
    return dict(a=a, b=b, c=c), dict(y=np.concatenate([a, b, c]), z=np.concatenate([a, a], axis=1))


def iota_mask(g, M, N, offset):
    x = g.floats(F32, M, N)
    row, column = np.indices((M, N))
    return dict(x=x), dict(y=np.where(column <= row + int(offset), x, F32(-np.inf)))


def im2col(g, C, H, W, K, OH, OW, stride, pad):
    x = g.floats(F32, C, H, W)
    y = np.zeros((C, K, K, OH, OW), F32)
    for i, j, m, n in np.ndindex(K, K, OH, OW):
        row, column = m * stride + i - pad, n * stride + j - pad
        if 0 <= row < H and 0 <= column < W:
            y[:, i, j, m, n] = x[:, row, column]
    return dict(x=x), dict(y=y.reshape(C * K * K, OH * OW))


def embedding_grad(g, E, D, V):
    dy, token, table = g.exact(F32, E, D), g.integers(I32, E, low=-1, high=V), g.exact(F32, V, D)
    result = table.copy()
    for e in range(E):
        if 0 <= token[e] < V:
            result[token[e]] += dy[e]
    return dict(dy=dy, token=token, table=table), dict(table=result)


def scatter_max(g, N, G):
    x, group = g.exact(F32, N, low=-9, high=10), g.integers(I32, N, low=-1, high=G)
    value, place = np.full(G, -np.inf, F32), np.full(G, -1, I32)
    best, at = value.copy(), place.copy()
    for k in range(G):
        members = np.flatnonzero(group == k)
        if len(members):
            at[k] = members[np.argmax(x[members])]
            best[k] = x[at[k]]
    return dict(x=x, group=group, value=value, place=place), dict(value=best, place=at)


def scatter_permutation(g, N):
    x, p = g.floats(F32, N), g.rng.permutation(N).astype(I32)
    y, inverse = np.zeros(N, F32), np.zeros(N, I32)
    y[p], inverse[p] = x, np.arange(N, dtype=I32)
    return dict(x=x, p=p), dict(y=y, inverse=inverse)
