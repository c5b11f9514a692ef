"""Losses in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, F64, I8, I64, exp, fold_rows, larger, log

ONE, ZERO = F32(1.0), F32(0.0)


def cross_entropy(g, B, C):
    logits, target = g.floats(F32, B, C), g.integers(I64, B, low=-1, high=C)
    d = logits - fold_rows(logits, -np.inf, larger)[:, None]
    inside = (target >= 0) & (target < C)
    chosen = d[np.arange(B), np.clip(target, 0, C - 1)]
    return dict(logits=logits, target=target), dict(loss=np.where(inside, log(fold_rows(exp(d), 0.0)) - chosen, ZERO))


def hinge_loss(g, N, margin):
    score, label = g.floats(F32, N), np.where(g.flags(N), I8(1), I8(-1))
    terms = larger(F32(margin) - label.astype(F32) * score, ZERO)
    return dict(score=score, label=label), dict(loss=fold_rows(terms, 0.0) / F32(N))


def kl_divergence(g, M, N):
    p, q = np.abs(g.floats(F64, M, N)), np.abs(g.floats(F64, M, N))
    p[g.flags(M, N, chance=0.2)] = 0.0
    return dict(p=p, q=q), dict(divergence=fold_rows(np.where(p > 0, p * (log(p) - log(q)), 0.0), 0.0))


def smooth_l1(g, M, N, LX, LY, beta=F32(1.0)):
    x, y = g.floats(F32, M, N), g.floats(F32, M, N)
    half, d = F32(0.5), np.abs(x - y)
    return dict(x=x, y=y), dict(loss=np.where(d < beta, half * d * d / beta, d - half * beta))


def triplet_loss(g, B, D, margin=F32(0.5)):
    a, p, n = (g.floats(F16, B, D) for _ in range(3))
    near, far = ((a.astype(F32) - v.astype(F32)) for v in (p, n))
    near, far = (np.sqrt(fold_rows(v * v, 0.0)) for v in (near, far))
    return (dict(anchor=a, positive=p, negative=n),
            dict(loss=larger(near - far + margin, ZERO), distance=np.stack([near, far], axis=1)))


def mse_rows(g, M, N):
    x, y = g.floats(F64, M, N), g.floats(F64, M, N)
    d = x - y
    return dict(x=x, y=y), dict(loss=fold_rows(d * d, 0.0) / N, dx=2.0 * d / N)


def bce_with_logits(g, M, N):
    x, z, weight = g.floats(F32, M, N), g.flags(M, N).astype(F32), np.abs(g.real(F32, N))
    plain = larger(x, ZERO) - x * z + log(ONE + exp(-np.abs(x)))
    return dict(x=x, z=z, weight=weight), dict(loss=plain * weight)


def cosine_similarity(g, M, N, eps=F32(1e-8)):
    a, b = g.floats(BF16, M, N), g.floats(BF16, M, N)
    u, v = a.astype(F32), b.astype(F32)
    ab, aa, bb = (fold_rows(t, -0.0) for t in (u * v, u * u, v * v))
    return dict(a=a, b=b), dict(s=ab / (larger(np.sqrt(aa), eps) * larger(np.sqrt(bb), eps)))
