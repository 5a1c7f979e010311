"""What the models here begin with and are trained on, by rule: the same where JAX trains them and
where graphrun does."""

import zlib

import numpy as np

BATCH = 8


def start(name, shape):
    """Of a variable: scales and variances near 1, all else small."""
    waves = np.sin(
        np.arange(int(np.prod(shape)), dtype=np.float64) * 0.7 + zlib.crc32(name.encode()) % 1000
    )
    near = 1.0 if name.endswith((".scale", ".var")) else 0.0
    return (near + 0.2 * waves).reshape(shape).astype(np.float32)


def data(name):
    """A batch of samples, and their labels."""
    if name in ("gpt", "lstm"):
        tokens = (np.arange(BATCH * 9) * 7 % 17).reshape(BATCH, 9).astype(np.int32)
        return tokens[:, :-1].copy(), tokens[:, 1:].copy()
    shape = (BATCH, 12, 12, 3) if name == "convnet" else (BATCH, 6, 4)
    x = (
        np.sin(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.3)
        .reshape(shape)
        .astype(np.float32)
    )
    return x, (np.arange(BATCH) * 3 % 10).astype(np.int32)
