"""Contractions in NumPy; corpus/reference.py says what a reference is.

An exact product enters its sum unrounded: each step is fma() of corpus_inputs, rational arithmetic rounded once, in the
accumulator's type. So the values are those of the chain of fused multiply-adds, whatever the inputs are.
"""
import numpy as np

from corpus_inputs import BF16, F16, F32, I8, I32, convert, exp, fma, fold_rows, larger


def chain(a, b, dtype=F32):
    """[..., M, K] by [..., K, N] from k = 0 on, beginning with +0."""
    a, b = np.asarray(a).astype(dtype), np.asarray(b).astype(dtype)
    total = np.zeros(a.shape[:-1] + b.shape[-1:], dtype)
    for k in range(a.shape[-1]):
        total = fma(*np.broadcast_arrays(a[..., :, k, None], b[..., None, k, :], total))
    return total


def gemm(g, M, N, K):
    a, b = g.floats(F32, M, K), g.floats(F32, K, N)
    return dict(a=a, b=b), dict(c=chain(a, b))


def gemm_bias_relu(g, M, N, K):
    a, b, bias = g.real(F16, M, K), g.real(F16, K, N), g.real(F16, N)
    y = larger(chain(a, b) + bias.astype(F32), F32(0.0))
    return dict(a=a, b=b, bias=bias), dict(y=convert(y, F16))


def batched_gemm(g, B, M, N, K):
    a, b = g.floats(BF16, B, M, K), g.floats(BF16, B, N, K)
    return dict(a=a, b=b), dict(c=chain(a, b.transpose(0, 2, 1)))


def gemv(g, M, N, alpha=F32(1.5), beta=F32(-0.5)):
    a, x, y = g.floats(F32, M, N), g.floats(F32, N), g.floats(F32, M)
    return dict(a=a, x=x, y=y), dict(y=alpha * fold_rows(a * x, 0.0) + beta * y)


def to_tf32(x):
    """Eleven significant digits, ties to even: f32 without its thirteen low bits. x is finite."""
    bits = x.view(np.uint32)
    return ((bits + np.uint32(0xfff) + (bits >> np.uint32(13) & np.uint32(1))) & ~np.uint32(0x1fff)).view(F32)


def gemm_tf32(g, M, N, K):
    a, b = g.real(F32, M, K), g.real(F32, K, N)
    return dict(a=a, b=b), dict(c=chain(to_tf32(a), to_tf32(b)))


def gemm_i8(g, M, N, K):
    a, b, scale = g.integers(I8, M, K), g.integers(I8, K, N), g.real(F32, N)
    total = a.astype(I32) @ b.astype(I32)
    return dict(a=a, b=b, scale=scale), dict(sum=total, c=total.astype(F32) * scale)


def attention(g, H, T, S, D, scale=F32(0.5)):
    q, k, v = g.real(F32, H, T, D), g.real(F32, H, S, D), g.real(F32, H, S, D)
    score = scale * chain(q, k.transpose(0, 2, 1))
    weight = exp(score - fold_rows(score, -np.inf, larger)[..., None])
    return dict(q=q, k=k, v=v), dict(y=chain(weight, v) / fold_rows(weight, 0.0)[..., None])


def attention_causal(g, H, T, D, scale=F32(0.5)):
    q, k, v = g.real(F16, H, T, D), g.real(F16, H, T, D), g.real(F16, H, T, D)
    score = scale * chain(q, k.transpose(0, 2, 1))
    seen = np.arange(T)[:, None] >= np.arange(T)
    peak = fold_rows(np.where(seen, score, F32(-np.inf)), -np.inf, larger)
    weight = np.where(seen, exp(score - peak[..., None]), F32(0.0))
    y = chain(weight, v.astype(F32)) / fold_rows(weight, 0.0)[..., None]
    return dict(q=q, k=k, v=v), dict(y=convert(y, F16))
