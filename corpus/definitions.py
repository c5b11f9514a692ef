"""What kernels mean by their formulas, in double precision and by another way than theirs.

A reference rounds as its kernel does and so goes through the same steps; where these steps are an algorithm of their own
(running moments, online softmax, a scan in segments, Newton's iteration), a mistake in it would stand in both. So each
such reference is held against the definition here: scripts/make-expected stores nothing that is further away than rounding
explains. A function gets the inputs of a kernel and gives (some of) its outputs; NaN stands where it says nothing.
"""
import numpy as np

from corpus_inputs import F64


def wide(array):
    return np.asarray(array).astype(F64)


def causal(score):
    return np.where(np.arange(score.shape[-2])[:, None] >= np.arange(score.shape[-1]), score, -np.inf)


def attend(score, v):
    weight = np.exp(score - score.max(axis=-1, keepdims=True))
    return weight @ v / weight.sum(axis=-1, keepdims=True)


def recurrence(a, b, h0):
    """Along the last axis: h[t] is h0 and every earlier b, each times the a that come after it."""
    steps = a.shape[-1]
    h = np.empty(a.shape)
    for t in range(steps):
        h[..., t] = h0 * a[..., :t + 1].prod(axis=-1)
        for s in range(t + 1):
            h[..., t] += b[..., s] * a[..., s + 1:t + 1].prod(axis=-1)
    return h


def online_softmax_sum(x):
    x = wide(x)
    return dict(peak=x.max(axis=1), total=np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1))


def log_sum_exp_fold(x):
    return dict(y=np.logaddexp.reduce(wide(x), axis=1))


def online_attention(q, k, v, scale=0.5):
    return dict(y=attend(causal(scale * (wide(q) @ wide(k).T)), wide(v)))


def attention(q, k, v, scale=0.5):
    return dict(y=attend(scale * (wide(q) @ wide(k).swapaxes(1, 2)), wide(v)))


def attention_causal(q, k, v, scale=0.5):
    return dict(y=attend(causal(scale * (wide(q) @ wide(k).swapaxes(1, 2))), wide(v)))


def welford_fold(x):
    return dict(mean=wide(x).mean(axis=1), variance=wide(x).var(axis=1))


welford_variance = welford_fold


def linear_recurrence_scan(a, b, h0):
    h = recurrence(wide(a), wide(b), wide(h0))
    return dict(h=h, last=h[:, -1] if h.shape[1] else wide(h0))


def affine_scan(a, b, h0):
    return dict(h=recurrence(wide(a), wide(b), wide(h0)))


def selective_scan(x, step_, a, b, c, skip):
    x, step, a, b, c = wide(x), wide(step_), wide(a), wide(b), wide(c)
    time = np.cumsum(step, axis=0)
    y, state = skip * x, np.zeros(a.shape)
    for t in range(len(x)):
        decay = np.exp((time[t] - time[:t + 1])[:, :, None] * a)  # earlier step, channel, state
        state = ((step * x)[:t + 1, :, None] * b[:t + 1, None, :] * decay).sum(axis=0)
        y[t] += state @ c[t]
    return dict(y=y, state=state)


def log_cumsum_exp(x):
    return dict(y=np.logaddexp.accumulate(wide(x), axis=1))


def newton_sqrt(x):
    return dict(y=np.sqrt(np.where(wide(x) > 0, wide(x), 0.0)))


def odd_even_sort(x):
    return dict(y=np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, np.sort(wide(x), axis=1)))


def rotary_embedding(x, c, s):
    half = x.shape[2] // 2
    turned = (wide(x)[..., :half] + 1j * wide(x)[..., half:]) * (wide(c) + 1j * wide(s))[:, None, :]
    return dict(y=np.concatenate([turned.real, turned.imag], axis=2))


def grouped_gemm(a, w, o, y):
    group = np.searchsorted(o, np.arange(len(a)), side="right") - 1
    inside = (group >= 0) & (group < len(w))
    y = wide(y)
    y[inside] = np.einsum("tk,tkn->tn", wide(a)[inside], wide(w)[group[inside]])
    return dict(y=y)


def full_sum_two_pass(x):
    return dict(y=wide(x).sum()[None])


def full_scan_three_pass(x):
    return dict(y=np.cumsum(wide(x)))


def softmax_backward(dy, y):
    """By the matrix of the softmax's partial derivatives."""
    y, dy = wide(y), wide(dy)
    jacobian = np.einsum("mi,ij->mij", y, np.eye(y.shape[1])) - y[:, :, None] * y[:, None, :]
    return dict(dx=np.einsum("mji,mj->mi", jacobian, dy))
