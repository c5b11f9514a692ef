"""Folds and scans over segments in NumPy, member by member; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, exp, fold_rows, larger, log

MINUS = F32(-np.inf)


def below(x, peak):
    """exp(x - peak), 0 where x is -inf whatever the peak."""
    return np.where(x == MINUS, F32(0.0), exp(x - peak))


def softmax_state(x):
    """Maximum and sum below it along the last axis; members are summarized one by one and merged from left to right."""
    peak, total = np.full(x.shape[:-1], MINUS, F32), np.zeros(x.shape[:-1], F32)
    for n in range(x.shape[-1]):
        p1 = x[..., n]
        t1 = F32(0.0) + below(p1, p1)
        if n == 0:
            peak, total = p1, t1
            continue
        p = larger(peak, p1)
        total = below(peak, p) * total + below(p1, p) * t1
        peak = p
    return peak, total


def online_softmax_sum(g, M, N):
    x = g.floats(F32, M, N)
    peak, total = softmax_state(x)
    return dict(x=x), dict(peak=peak, total=total)


def log_sum_exp_fold(g, M, N):
    x = g.floats(F32, M, N)
    peak, total = softmax_state(x)
    return dict(x=x), dict(y=peak + log(total))


def online_attention(g, M, N, D, E, scale=0.5):
    q, k, v = g.real(F32, M, D), g.real(F32, N, D), g.real(F32, N, E)
    score = fold_rows(q[:, None, :] * k[None, :, :], 0.0) * F32(scale)
    y = np.zeros((M, E), F32)
    for i in range(M):
        m, s, w = MINUS, F32(0.0), np.zeros(E, F32)
        for j in range(min(i + 1, N)):
            m1 = score[i, j]
            one = below(m1, m1)
            s1, w1 = F32(0.0) + one, F32(0.0) + one * v[j]
            if j == 0:
                m, s, w = m1, s1, w1
                continue
            top = larger(m, m1)
            c0, c1 = below(m, top), below(m1, top)
            m, s, w = top, c0 * s + c1 * s1, c0 * w + c1 * w1
        y[i] = w / s
    return dict(q=q, k=k, v=v), dict(y=y)


def welford_fold(g, M, N):
    x = g.real(F32, M, N)
    one = F32(1.0)
    n, a, s = F32(0.0), np.zeros(M, F32), np.zeros(M, F32)
    for j in range(N):
        d = x[:, j] - F32(0.0)
        a1 = F32(0.0) + d / one
        s1 = F32(0.0) + d * (x[:, j] - a1)
        if j == 0:
            n, a, s = one, a1, s1
            continue
        total = n + one
        d = a1 - a
        a, s = a + d * (one / total), s + s1 + d * d * (n * (one / total))
        n = total
    return dict(x=x), dict(mean=a, variance=s / n)


def linear_recurrence_scan(g, R, L):
    a, b, h0 = g.real(F32, R, L, scale=0.7), g.real(F32, R, L), g.real(F32, R)
    h, state = np.zeros((R, L), F32), h0
    for t in range(L):
        h[:, t] = a[:, t] * state + b[:, t]
        state = (a[:, t] * F32(1.0)) * state + (a[:, t] * F32(0.0) + b[:, t])
    return dict(a=a, b=b, h0=h0), dict(h=h, last=state)


def selective_scan(g, L, D):
    x, skip = g.real(F32, L, D), g.real(F32, D)
    step = np.abs(g.real(F32, L, D, scale=0.5))
    a, b, c = -np.abs(g.real(F32, D, 2)), g.real(F32, L, 2), g.real(F32, L, 2)
    y, state = np.zeros((L, D), F32), np.zeros((D, 2), F32)
    for t in range(L):
        taken = step[t] * x[t]
        decay = exp(step[t][:, None] * a)
        new = decay * state + b[t] * taken[:, None]
        y[t] = c[t, 0] * new[:, 0] + c[t, 1] * new[:, 1] + skip * x[t]
        state = (decay * F32(1.0)) * state + (decay * F32(0.0) + b[t] * taken[:, None])
    return dict(x=x, step_=step, a=a, b=b, c=c, skip=skip), dict(y=y, state=state)
