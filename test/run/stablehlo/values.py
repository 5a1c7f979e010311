"""What the models here begin with and are trained on, by rule: the same where JAX trains them and
where graphrun does."""

import zlib

import numpy as np

BATCH = 8
TORCH_BATCH, TORCH_STEPS = 4, 4


def start(name, shape):
    """Of a variable: scales and variances near 1, all else small."""
    waves = np.sin(
        np.arange(int(np.prod(shape)), dtype=np.float64) * 0.7 + zlib.crc32(name.encode()) % 1000
    )
    near = 1.0 if name.endswith((".scale", ".var")) or ".norm" in name else 0.0
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


def torch_data(name):
    """The samples of TORCH_STEPS batches, for each input of a network of torch_networks.py."""
    count, batch = TORCH_STEPS, TORCH_BATCH
    if name.startswith("tied"):
        shape = {"tied": (7,), "tied-last": (), "tied-bert": (2, 5)}[name]
        size = count * batch * int(np.prod(shape, dtype=int))
        tokens = (np.arange(size) * 7 % 11 + np.arange(size) // 5) % 11
        tokens = tokens.reshape(count * batch, *shape).astype(np.int32)
        return {"x": tokens, "y": ((tokens * 3 + 1) % 11).astype(np.int32)}
    length, width = (5, 12) if name == "padded" else (4, 6)
    waves = np.sin(np.arange(count * batch * length * width, dtype=np.float64) * 1.3)
    lengths = np.arange(count * batch) % (length + 1)  # sample 0 is padding alone
    pads = np.arange(length) >= lengths[:, None]
    return {
        "x": waves.reshape(count * batch, length, width).astype(np.float32),
        "pad": pads,
        "y": np.cos(np.arange(count * batch)).astype(np.float32),
    }
