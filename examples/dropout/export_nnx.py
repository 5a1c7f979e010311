"""Writes from-nnx/loss.mlir, logits.mlir and params.npz.   export_nnx.py

pip install jax==0.10.2 flax==0.12.8 optax==0.2.8. The files are in this folder already.
"""
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from write import write, write_values


class Net(nnx.Module):
    def __init__(self, rngs):
        self.l1 = nnx.Linear(8, 16, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.l2 = nnx.Linear(16, 4, rngs=rngs)

    def __call__(self, x):
        return self.l2(self.dropout(nnx.relu(self.l1(x))))


graphdef, params, rest = nnx.split(Net(nnx.Rngs(0, dropout=0)), nnx.Param, ...)


def loss(params, key, x, labels):
    net = nnx.merge(graphdef, params, rest, copy=True)
    nnx.reseed(net, dropout=key)
    return optax.softmax_cross_entropy_with_integer_labels(net(x), labels).mean()


def logits(params, x):
    net = nnx.merge(graphdef, params, rest, copy=True)
    net.eval()
    return net(x)


if __name__ == "__main__":
    x, labels, key = jnp.zeros((32, 8)), jnp.zeros(32, jnp.int32), jax.random.PRNGKey(0)
    write("from-nnx", jax.jit(loss).lower(params, key, x, labels))
    write("from-nnx", jax.jit(logits).lower(params, x))
    write_values("from-nnx", params)
