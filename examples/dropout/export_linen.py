"""Writes from-linen/loss.mlir, logits.mlir and params.npz.   export_linen.py

pip install jax==0.10.2 flax==0.12.8 optax==0.2.8. The files are in this folder already.
"""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from write import write, write_values


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(4)(x)


net = Net()


def loss(params, key, x, labels):
    logits = net.apply({"params": params}, x, train=True, rngs={"dropout": key})
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def logits(params, x):
    return net.apply({"params": params}, x, train=False)


if __name__ == "__main__":
    x, labels, key = jnp.zeros((32, 8)), jnp.zeros(32, jnp.int32), jax.random.PRNGKey(0)
    params = net.init(key, x, train=False)["params"]
    write("from-linen", jax.jit(loss).lower(params, key, x, labels))
    write("from-linen", jax.jit(logits).lower(params, x))
    write_values("from-linen", params)
