"""Random numbers in NumPy; corpus/reference.py says what a reference is."""
import numpy as np

from corpus_inputs import F32, I8, U64


def philox(key, counter):
    """Philox4x32 with ten rounds (Salmon et al., 2011): words of 32 bits, which may be arrays."""
    low = U64(0xFFFFFFFF)
    k = [U64(w) for w in key]
    c = list(np.broadcast_arrays(*(np.asarray(w, U64) for w in counter)))
    for _ in range(10):
        a, b = c[0] * U64(0xD2511F53), c[2] * U64(0xCD9E8D57)
        c = [(b >> U64(32)) ^ c[1] ^ k[0], b & low, (a >> U64(32)) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + U64(0x9E3779B9)) & low, (k[1] + U64(0xBB67AE85)) & low]
    return c


def uniform(word):
    return (word >> U64(8)).astype(F32) * F32(2.0**-24)


def dropout(g, M, N, keep, seed):
    x, keep, seed = g.floats(F32, M, N), F32(keep), int(seed)
    i = np.arange(M * N, dtype=U64).reshape(M, N)
    kept = uniform(philox((seed % 2**32, seed >> 32), (i % U64(2**32), i >> U64(32), 0, 0))[0]) < keep
    return dict(x=x), dict(y=np.where(kept, x / keep, F32(0.0)), kept=kept)


def uniform_fill(g, N, seed, stream):
    words = philox((int(seed) % 2**32, int(stream) % 2**32), (np.arange(-(-N // 4), dtype=U64), 0, 0, 0))
    return dict(), dict(y=uniform(np.stack(words, axis=-1)).reshape(-1)[:N])


def random_signs(g, M, N, seed):
    m, n = np.indices((M, N)).astype(U64)
    word = philox((int(seed) % 2**32, 0), (n // U64(32), m, 0, 0))[0]
    return dict(), dict(y=np.where((word >> n % U64(32)) & U64(1), -1, 1).astype(I8))
