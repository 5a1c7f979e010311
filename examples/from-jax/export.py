"""Writes loss.mlir and logits.mlir, which train.mlir calls, and params.npz, what Flax begins with.   export.py

pip install jax flax optax. The two texts are in this folder already; this makes them again.
"""
import pathlib
import re

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

BATCH = 50


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(16, (5, 5))(x)), (2, 2), (2, 2))
        x = nn.max_pool(nn.relu(nn.Conv(32, (5, 5))(x)), (2, 2), (2, 2))
        x = nn.relu(nn.Dense(64)(x.reshape((x.shape[0], -1))))
        return nn.Dense(10)(x)


net = Net()


def logits(params, images):
    return net.apply({"params": params}, images)


def loss(params, images, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits(params, images), labels).mean()


def write(function, *arguments):
    module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    text = re.sub(r'"/[^"]*/([^"/]+\.py)"', r'"\1"', text)  # files by their names: for this folder to be anywhere
    pathlib.Path(f"{function.__name__}.mlir").write_text(text)


images = jnp.zeros((BATCH, 28, 28, 1), jnp.float32)
labels = jnp.zeros((BATCH,), jnp.int32)
params = net.init(jax.random.PRNGKey(0), images)["params"]
write(loss, params, images, labels)
write(logits, params, images)
leaves = jax.tree_util.tree_leaves_with_path({"params": params})
np.savez("params.npz", **{jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves})
