"""The corpus kernels once more, in NumPy: a second opinion that shares nothing with the interpreters.

One function per kernel: it gets a source of inputs and the sizes, and returns (inputs, outputs) by parameter name. An
inout view stands in both. Every operation rounds here as the kernel's does, in the same type and with folds from left to
right, and functions are correctly rounded, so what the reference interpreter gives is equal bit for bit. How far another
provider may be from that (another order under a licence, functions within their accuracy class) is no number here: the
oracle derives it from the kernel and the inputs.
"""
import numpy as np

from corpus_inputs import F32, F64, I32, I64, exp, fold_rows, larger, log, smaller, tanh


def vector_add(g, N):
    x, y = g.special(F32, N), g.special(F32, N)
    return dict(x=x, y=y), dict(z=x + y)


def axpy_strided(g, N, SX, SY, alpha=F32(1.5)):
    x, y = g.real(F32, N), g.real(F32, N)
    if SX == 0:
        x = np.full(N, x[0] if N else 0, F32)
    return dict(x=x, y=y), dict(y=alpha * x + y)


def saxpy_transposed(g, M, N, alpha=F32(1.5)):
    x, y = g.real(F32, N, M), g.real(F32, M, N)
    return dict(x=x, y=y), dict(y=alpha * x.T + y)


def softmax(g, M, N):
    x = g.exact(F32, M, N)
    e = exp(x - x.max(axis=1, keepdims=True))
    return dict(x=x), dict(y=e / fold_rows(e, 0.0)[:, None])


def layer_norm(g, M, N, eps=F32(1e-5)):
    x, w, b = g.exact(F32, M, N), g.exact(F32, N), g.exact(F32, N)
    d = x - (fold_rows(x, 0.0) / F32(N))[:, None]
    scale = np.sqrt(fold_rows(d * d, 0.0) / F32(N) + eps)
    return dict(x=x, weight=w, bias=b), dict(y=d / scale[:, None] * w + b)


def row_sum(g, M, N):
    x = g.exact(F32, M, N)
    return dict(x=x), dict(s=fold_rows(x, 0.0))


def row_sum_strict(g, M, N):
    x = g.real(F32, M, N)
    return dict(x=x), dict(s=fold_rows(x, 0.0))


def column_sum(g, M, N):
    x = g.real(F32, M, N)
    return dict(x=x), dict(s=fold_rows(x.T, 0.0))


def two_outputs(g, M, N, eps=F32(0.125)):
    x = g.exact(F32, M, N, low=-16, high=17)
    squares = fold_rows(x * x, 0.0)
    r = np.sqrt(squares / F32(N) + eps)
    return dict(x=x), dict(y=x / r[:, None], rms=r)


def two_groups(g, M, N, K, c=I32(-7)):
    x, z = g.real(F32, M, N), g.integers(I32, K)
    return dict(x=x, z=z), dict(s=fold_rows(x, 0.0), w=(z.astype(I64) * int(c)).astype(I32))


def affine_recurrence(g, R, T):
    a, b, h0 = g.real(F32, R, T, scale=0.7), g.real(F32, R, T), g.real(F32, R)
    h, state = np.zeros((R, T), F32), h0
    for t in range(T):
        state = a[:, t] * state + b[:, t]
        h[:, t] = state
    return dict(a=a, b=b, h0=h0), dict(h=h)


def relu(g, N):
    x = g.special(F32, N)
    return dict(x=x), dict(y=larger(x, F32(0.0) + np.zeros_like(x)))


def gelu_tanh(g, N):
    v = g.real(F64, N)
    return dict(x=v), dict(y=0.5 * v * (1.0 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))))


def silu(g, N):
    v = g.real(F32, N, scale=8.0)
    return dict(x=v), dict(y=v / (F32(1.0) + exp(-v)))


def clamp(g, N, T, lo=-1.5, hi=2.5):
    x = g.special(T, N)
    low, high = np.full(N, lo, T), np.full(N, hi, T)
    return dict(x=x), dict(y=smaller(larger(x, low), high))


def integer_mix(g, N):
    a, b = g.integers(I32, N), g.integers(I32, N)
    u = a.view(np.uint32)
    p = (u * np.uint32(5) + (b.view(np.uint32) ^ (u << np.uint32(3)))).view(I32)
    q = ((p >> 2).view(np.uint32) - (b.view(np.uint32) >> np.uint32(1))).view(I32)
    return dict(a=a, b=b), dict(c=np.maximum(np.minimum(q, I32(1000000)), p | I32(1)))


def guarded_division(g, N):
    a, b = g.integers(I32, N), g.integers(I32, N, low=-3, high=9)
    d = np.where(b > 0, b, 1).astype(I64)
    q = np.where(b > 0, np.sign(a) * (np.abs(a.astype(I64)) // d), 0).astype(I32)
    return dict(a=a, b=b), dict(q=q)


def shifted_copy(g, N, shift, fill_value=F32(-1.0)):
    x = g.special(F32, N)
    at = np.arange(N) + shift
    inside = (at >= 0) & (at < N)
    y = np.where(inside, x[np.clip(at, 0, max(N - 1, 0))] if N else x, fill_value)
    return dict(x=x), dict(y=y.astype(F32))


def masked_store(g, N):
    x, y, mask = g.special(F32, N), g.special(F32, N), g.rng.random(N) < 0.5
    return dict(x=x, y=y, mask=mask), dict(y=np.where(mask, x, y))


def bias_add(g, M, N):
    x, b = g.real(F32, M, N), g.real(F32, N)
    return dict(x=x, bias=b), dict(y=x + b)


def slice_copy(g, M, N):
    x = g.special(F32, M, N)
    return dict(x=x), dict(y=x[1:-1, 1:-1])


def scale_in_place(g, N, alpha=F32(-0.5)):
    x = g.special(F32, N)
    return dict(x=x), dict(x=alpha * x)


def scale_may_alias(g, N, alpha=F32(-0.5)):
    x = g.special(F32, N)
    return dict(x=x), dict(y=alpha * x)


def row_max(g, M, N):
    x = g.special(F32, M, N)
    peak = np.full(M, -np.inf, F32)
    for k in range(N):
        peak = larger(peak, x[:, k])
    return dict(x=x), dict(s=peak)


def row_variance(g, M, N):
    x = g.real(F64, M, N)
    d = x - (fold_rows(x, 0.0) / N)[:, None]
    return dict(x=x), dict(v=fold_rows(d * d, 0.0) / N)


def log_sum_exp(g, M, N):
    x = g.exact(F32, M, N)
    peak = x.max(axis=1)
    return dict(x=x), dict(s=log(fold_rows(exp(x - peak[:, None]), 0.0)) + peak)


def sum_and_max(g, M, N):
    x = g.exact(F32, M, N)
    p = x.max(axis=1, initial=-np.inf).astype(F32)
    return dict(x=x), dict(s=fold_rows(x, -0.0), p=p)


def first_arg_max(g, M, N):
    x = g.exact(F32, M, N, low=-6, high=7)
    place = x.argmax(axis=1).astype(I64)
    return dict(x=x), dict(value=x.max(axis=1), place=place)


def column_scale(g, M, N, LD):
    a, s = g.real(F32, M, N), g.real(F32, N)
    return dict(a=a, s=s), dict(a=a * s)


def dot(g, N):
    x, y = g.exact(F32, N, low=-16, high=17), g.exact(F32, N, low=-16, high=17)
    return dict(x=x, y=y), dict(r=fold_rows(x * y, 0.0))


def horner(g, N, K):
    x, c = g.exact(F64, N, low=-8, high=9), g.exact(F64, K)
    acc = np.zeros(N, F64)
    for k in range(K):
        acc = acc * x + c[k]  # exact for these inputs, so equal to the fused form
    return dict(x=x, c=c), dict(y=acc)


def add_wide(g, M, N):
    x = g.integers(I32, M, N)
    return dict(x=x), dict(s=x.astype(I64).sum(axis=1))


def piecewise(g, N):
    v = g.special(F32, N)
    inner = np.where(v > 1, np.sqrt(np.maximum(v, 0)), v * v)
    return dict(x=v), dict(y=np.where(v < 0, v * F32(0.1), inner).astype(F32))


def backward_rows(g, M, N):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(y=x[:, ::-1].copy())
