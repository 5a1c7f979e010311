"""Writes the loss functions here, NAME.mlir, and what JAX makes of them, expected.json.   make.py

With JAX, Flax and Optax: pip install jax==0.10.2 flax==0.12.8 optax==0.2.8.
test/run/test_stablehlo.py reads what it wrote; nothing else needs it.
"""

import json
import os
import pathlib
import re

os.environ["JAX_PLATFORMS"] = "cpu"
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from values import data, start

HERE = pathlib.Path(__file__).parent
STEPS, RATE = 3, 0.05


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(16)(x))
        return nn.Dense(10)(x)


class ConvNet(nn.Module):
    """A stem, a residual block and both pools."""

    @nn.compact
    def __call__(self, x, train):
        norm = lambda: nn.BatchNorm(use_running_average=not train, momentum=0.9)
        x = nn.relu(norm()(nn.Conv(8, (3, 3), (2, 2), use_bias=False)(x)))
        x = nn.max_pool(x, (3, 3), (2, 2), padding="SAME")
        y = nn.relu(norm()(nn.Conv(8, (3, 3), use_bias=False, feature_group_count=8)(x)))
        x = nn.relu(x + nn.Conv(8, (1, 1))(y))
        x = nn.avg_pool(x, (2, 2), (2, 2))
        x = nn.ConvTranspose(4, (2, 2), (2, 2))(x)
        return nn.Dense(10)(jnp.mean(x, (1, 2)))


class GPT(nn.Module):
    vocab: int = 17
    width: int = 16
    heads: int = 2
    length: int = 8

    @nn.compact
    def __call__(self, tokens, train):
        x = nn.Embed(self.vocab, self.width)(tokens) + nn.Embed(
            self.length, self.width, name="pos"
        )(jnp.arange(self.length))
        y = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads, deterministic=True)(
            y, y, mask=nn.make_causal_mask(tokens)
        )
        y = nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x)))
        x = x + nn.Dense(self.width)(nn.gelu(y, approximate=False))
        return nn.Dense(self.vocab, use_bias=False)(nn.LayerNorm()(x))


class LSTM(nn.Module):
    """A loop over the places of a text (lax.scan)."""

    @nn.compact
    def __call__(self, tokens, train):
        x = nn.Embed(17, 8)(tokens)
        y = nn.RNN(nn.LSTMCell(8))(x) + nn.RNN(nn.LSTMCell(8), reverse=True, keep_order=True)(x)
        return nn.Dense(17)(y)


class Attentions(nn.Module):
    """Attention as people write it: masks by select and by sum, constant, counted and of the data
    (of which some leave a query no key), factors in either order, heads, queries that are no keys;
    and what only looks like it."""

    @nn.compact
    def __call__(self, x, train):
        def parts(heads=()):
            return [nn.DenseGeneral((*heads, 4))(x) for _ in range(3)]

        least, count = jnp.finfo(jnp.float32).min, x.shape[1]
        index = jnp.arange(count)
        looks = (x[:, :, 0] > 0.95)[:, None, :]  # at these keys; of some samples at none
        outputs = []

        def attend(scores, values):
            outputs.append(jax.nn.softmax(scores) @ values)

        q, k, v = parts()
        attend(q @ k.swapaxes(-1, -2) / 2, v)
        q, k, v = parts()
        attend(
            jnp.where(np.tril(np.ones((count, count), bool)), q @ k.swapaxes(-1, -2) * 0.5, -1e9), v
        )
        q, k, v = parts()
        attend(jnp.where(index[:, None] >= index, q @ k.swapaxes(-1, -2), -jnp.inf), v)
        q, k, v = parts()
        attend(jnp.where(index[:, None] < index, least, q @ k.swapaxes(-1, -2)), v)
        q, k, v = parts()
        attend(jnp.where(looks, q @ k.swapaxes(-1, -2), least), v)
        q, k, v = parts()
        attend(q @ k.swapaxes(-1, -2) + jnp.where(index[:, None] >= index, 0, least), v)
        q, k, v = parts()
        attend(jnp.where(jnp.abs(index[:, None] - index) < 2, q @ k.swapaxes(-1, -2), -1e30), v)
        q, k, v = parts()
        attend((k @ q.swapaxes(-1, -2)).swapaxes(-1, -2), v)
        q, k, v = parts()
        outputs.append(
            (v.swapaxes(-1, -2) @ jax.nn.softmax(q @ k.swapaxes(-1, -2)).swapaxes(-1, -2)).swapaxes(
                -1, -2
            )
        )
        q, k, v = (part[:1] for part in parts())
        outputs.append(jnp.repeat(jax.nn.softmax(q @ k.swapaxes(-1, -2) / 2) @ v, 8, 0))
        q, k, v = parts()
        attend(q[:, ::2] @ k.swapaxes(-1, -2), v)
        q, k, v = parts((2,))
        weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2)
        outputs.append(jnp.einsum("bhqk,bkhd->bqhd", weights, v))
        outputs.append(jax.nn.dot_product_attention(*parts((2,)), is_causal=True))
        outputs.append(jax.nn.dot_product_attention(*parts((2,))))
        q, k, v = parts()  # from here on it is not attention
        # A query that looks at no key has a gradient.
        attend(q @ k.swapaxes(-1, -2) + jnp.where(looks, 0, least), v)
        q, k, v = parts()
        attend(q @ k.swapaxes(-1, -2) + jnp.where(looks, 0, -1.0), v)  # masks nothing
        q, k, v = parts()
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2))
        outputs += [weights @ v, weights]
        outputs += [jax.nn.log_softmax(q @ k.swapaxes(-1, -2)), jax.nn.softmax(q, axis=1)]
        return sum(nn.Dense(10)(output.reshape(x.shape[0], -1)) for output in outputs)


@jax.jit
def stop_gradient(x):
    return jax.lax.stop_gradient(x)


class Noise(nn.Module):
    """Dropout and other random numbers, of a key that follows from the labels; pieces that are set;
    a gradient that stops."""

    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(16)(x.reshape((x.shape[0], -1))))
        x = nn.Dropout(0.3, deterministic=False)(x)
        keys = jax.random.split(self.make_rng("dropout"), 3)
        x = (
            x
            + 0.1 * jax.random.normal(keys[0], x.shape)
            + jax.random.uniform(keys[1], x.shape, minval=-1, maxval=2)
        )
        x = x * stop_gradient(x) + 0.1 * jax.scipy.special.erfinv(jnp.clip(x / 4, -0.9, 0.9))
        first = jax.random.randint(keys[2], (), 0, 3)
        # The last is there or not.
        x = (
            x.at[:, 3:7]
            .set(2 * x[:, :4])
            .at[:, 0]
            .set(1.0)
            .at[first]
            .set(0.5)
            .at[first + 7]
            .set(0.25)
        )
        return nn.Dense(10)(x)


def write(name, model, x, y):
    shapes = jax.eval_shape(
        lambda: model.init(dict.fromkeys(("params", "dropout"), jax.random.PRNGKey(0)), x, False)
    )
    variables = jax.tree.map_with_path(
        lambda path, leaf: jnp.asarray(start(named(path), leaf.shape)), shapes
    )
    stats = {key: value for key, value in variables.items() if key != "params"}

    def loss(params, stats, x, y):
        key = {"dropout": jax.random.fold_in(jax.random.PRNGKey(5), y[0] if name == "noise" else 0)}
        logits, new = model.apply(
            {"params": params, **stats}, x, True, mutable=list(stats), rngs=key
        )
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), new

    def step(params, x, y):
        (value, _), slope = jax.value_and_grad(loss, has_aux=True)(params, {}, x, y)
        return value, jax.tree.map(lambda p, g: p - RATE * g, params, slope)

    export(name, jax.jit(loss).lower(variables["params"], stats, x, y))
    if name == "mlp":
        export("mlp-step", jax.jit(step).lower(variables["params"], x, y))
    gradient = jax.jit(jax.value_and_grad(loss, has_aux=True))
    params, losses = variables["params"], []
    for _ in range(STEPS):
        (value, stats), slope = gradient(params, stats, x, y)
        params = jax.tree.map(lambda p, g: p - RATE * g, params, slope)
        losses.append(float(value))
    final = {}
    jax.tree.map_with_path(
        lambda path, leaf: final.update({"params." + named(path): summary(leaf)}), params
    )
    jax.tree.map_with_path(
        lambda path, leaf: final.update({"stats." + named(path): summary(leaf)}), stats
    )
    return {"losses": losses, "variables": final}


def export(name, lowered):
    text = lowered.compiler_ir("stablehlo").operation.get_asm(
        print_generic_op_form=True, enable_debug_info=True
    )
    # No path of this machine.
    (HERE / f"{name}.mlir").write_text(re.sub(r'"/[^"]*/([^"/]+\.py)"', r'"\1"', text))


def named(path):
    return ".".join(str(part.key) for part in path).removeprefix("params.")


def summary(leaf):
    """The shape, for who makes it again, and enough to know its values by: the first, the last, and
    the norm."""
    flat = np.asarray(leaf, np.float64).ravel()
    return {
        "shape": list(leaf.shape),
        "first": flat[0],
        "last": flat[-1],
        "norm": float(np.linalg.norm(flat)),
    }


def main():
    cases = {
        "mlp": MLP(),
        "convnet": ConvNet(),
        "gpt": GPT(),
        "lstm": LSTM(),
        "attentions": Attentions(),
        "noise": Noise(),
    }
    expected = {
        name: write(name, model, *(jnp.asarray(each) for each in data(name)))
        for name, model in cases.items()
    }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
