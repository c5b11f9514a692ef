"""Indexed reads and writes in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, I32


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
