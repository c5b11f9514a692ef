"""Activations in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import BF16, F16, F32, convert, erf, exp, larger, log, smaller, tanh


def sigmoid(g, N, T):
    x = g.floats(T, N)
    one = F32(1.0)
    return dict(x=x), dict(y=convert(one / (one + exp(-x.astype(F32))), T))


def tanh_act(g, M, N, LD):
    x = g.floats(F32, M, N)
    return dict(x=x), dict(x=tanh(x))


def softplus(g, N, beta, threshold):
    x = g.floats(F32, N)
    scaled = F32(beta) * x
    return dict(x=x), dict(y=np.where(scaled > F32(threshold), x, log(F32(1.0) + exp(scaled)) / F32(beta)))


def leaky_relu(g, M, N, slope=F16(0.01)):
    x = g.floats(F16, N, M)
    v = x.T
    return dict(x=x), dict(y=np.where(v > 0, v, slope * v))


def elu(g, N, alpha):
    x = g.floats(F32, N)
    return dict(x=x), dict(y=np.where(x > 0, x, F32(alpha) * (exp(x) - F32(1.0))))


def hard_swish(g, N):
    x = g.floats(BF16, N)
    return dict(x=x), dict(y=x * smaller(larger(x + BF16(3.0), BF16(0.0)), BF16(6.0)) / BF16(6.0))


def mish(g, N):
    x = g.floats(F32, N)
    soft = larger(x, F32(0.0)) + log(F32(1.0) + exp(-np.abs(x)))
    return dict(x=x), dict(y=x * tanh(soft))


def gelu_exact(g, N, SX):
    x = g.floats(F32, N) if SX else np.full(N, 1.25, F32)
    return dict(x=x), dict(y=F32(0.5) * x * (F32(1.0) + erf(x * F32(0.70710678118654752440))))


def swiglu(g, M, N):
    x = g.floats(F16, M, 2 * N)
    gate, value = x[:, :N].astype(F32), x[:, N:].astype(F32)
    return dict(x=x), dict(y=convert(gate / (F32(1.0) + exp(-gate)) * value, F16))


def relu6(g, N, T):
    x = g.floats(T, N)
    bounded = smaller(larger(x, T(0.0)), T(6.0))
    return dict(x=x), dict(y=np.where(np.isnan(x), T(0.0), bounded))
