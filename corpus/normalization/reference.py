"""Normalisations and softmax variants in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, F64, convert, exp, fold_rows, larger, log, rsqrt, smaller

ONE, ZERO = F32(1.0), F32(0.0)


def peaks(x):
    return fold_rows(x, -np.inf, larger)


def channels_first(x):
    """[B, C, S] to [C, B * S]: a row for each channel, its members in order."""
    return x.transpose(1, 0, 2).reshape(x.shape[1], -1)


def rms_norm(g, M, N, eps=F32(1e-5)):
    x, w = g.floats(F16, M, N), g.floats(F16, N)
    v = x.astype(F32)
    scale = rsqrt(fold_rows(v * v, 0.0) / F32(N) + eps)
    return dict(x=x, weight=w), dict(y=convert(v * scale[:, None], F16) * w)


def batch_norm(g, B, C, S, eps=F32(1e-5)):
    x, mean, beta = g.floats(F32, B, C, S), g.real(F32, C), g.real(F32, C)
    variance, gamma = np.abs(g.floats(F32, C)), g.real(F32, C)
    scale = gamma / np.sqrt(variance + eps)
    y = (x - mean[:, None]) * scale[:, None] + beta[:, None]
    return dict(x=x, mean=mean, variance=variance, gamma=gamma, beta=beta), dict(y=y)


def batch_norm_stats(g, B, C, S, momentum=F32(0.1)):
    x, old_mean, old_variance = g.floats(F32, B, C, S), g.real(F32, C), np.abs(g.real(F32, C))
    rows, count = channels_first(x), F32(B) * F32(S)
    mean = fold_rows(rows, 0.0) / count
    d = rows - mean[:, None]
    variance = fold_rows(d * d, 0.0) / count
    return (dict(x=x, running_mean=old_mean, running_variance=old_variance),
            dict(mean=mean, variance=variance, running_mean=old_mean + momentum * (mean - old_mean),
                 running_variance=old_variance + momentum * (variance - old_variance)))


def group_norm(g, B, G, K, S, eps=F32(1e-5)):
    x, gamma, beta = g.floats(F32, B, G * K, S), g.real(F32, G * K), g.real(F32, G * K)
    rows, count = x.reshape(B, G, K * S), F32(K) * F32(S)
    d = rows - (fold_rows(rows, 0.0) / count)[..., None]
    scale = rsqrt(fold_rows(d * d, 0.0) / count + eps)
    y = (d * scale[..., None]).reshape(x.shape) * gamma[:, None] + beta[:, None]
    return dict(x=x, gamma=gamma, beta=beta), dict(y=y)


def instance_norm(g, B, S, C, eps=F32(1e-5)):
    x = g.floats(F32, B, S, C)
    rows, count = x.transpose(0, 2, 1), F32(S)
    d = rows - (fold_rows(rows, 0.0) / count)[..., None]
    scale = ONE / np.sqrt(fold_rows(d * d, 0.0) / count + eps)
    return dict(x=x), dict(y=(d * scale[..., None]).transpose(0, 2, 1))


def l2_normalize(g, M, N, LD, eps=F32(1e-12)):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(x=x / larger(np.sqrt(fold_rows(x * x, 0.0)), eps)[:, None])


def layer_norm_backward(g, M, N):
    dy, x, weight = g.floats(F32, M, N), g.floats(F32, M, N), g.real(F32, N)
    mean, rstd = g.real(F32, M), np.abs(g.real(F32, M))
    normal, scaled = (x - mean[:, None]) * rstd[:, None], dy * weight
    mean_g = (fold_rows(scaled, -0.0) / F32(N))[:, None]
    mean_gx = (fold_rows(scaled * normal, -0.0) / F32(N))[:, None]
    dx = (scaled - mean_g - normal * mean_gx) * rstd[:, None]
    return (dict(dy=dy, x=x, weight=weight, mean=mean, rstd=rstd),
            dict(dx=dx, dweight=fold_rows((dy * normal).T, 0.0), dbias=fold_rows(dy.T, 0.0)))


def log_softmax(g, M, N):
    x = g.floats(F32, M, N)
    d = x - peaks(x)[:, None]
    return dict(x=x), dict(y=d - log(fold_rows(exp(d), 0.0))[:, None])


def softmax_scaled_masked(g, M, N, scale=F32(0.125)):
    x, mask = g.floats(F16, M, N), g.flags(M, N)
    mask[::3] = False
    scores = x.astype(F32) * scale
    e = exp(scores - peaks(np.where(mask, scores, F32(-np.inf)))[:, None])
    total = fold_rows(np.where(mask, e, ZERO), 0.0)[:, None]
    return dict(x=x, mask=mask), dict(y=convert(np.where(mask, e / total, ZERO), F16))


def softmax_temperature(g, M, N, temperature):
    x = g.floats(F64, M, N)
    scaled = x / F64(temperature)
    e = exp(scaled - peaks(scaled)[:, None])
    return dict(x=x), dict(y=e / fold_rows(e, 0.0)[:, None])


def softmax_backward(g, M, N):
    dy, y = g.floats(BF16, M, N), np.abs(g.floats(BF16, M, N))
    a, b = dy.astype(F32), y.astype(F32)
    return dict(dy=dy, y=y), dict(dx=convert(b * (a - fold_rows(a * b, 0.0)[:, None]), BF16))


def softmin(g, M, N):
    x = g.floats(F32, M, N)
    e = exp(fold_rows(x.T, np.inf, smaller)[:, None] - x.T)
    return dict(x=x), dict(y=(e / fold_rows(e, 0.0)[:, None]).T)
