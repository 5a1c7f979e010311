"""What PyTorch and Flax compute for the batches and keys of examples/dropout.   dropout_losses.py FOLDER

FOLDER has the files that test_dropout.py writes: FRAMEWORK/key.npy, x.npy, y.npy. Prints LOSSES of
that test. pip install torch==2.12.1 'torchax[cpu]==0.0.13' jax==0.10.2 flax==0.12.8 optax==0.2.8.
"""

import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/dropout"
sys.path.append(str(EXAMPLE))


def linen(values):
    import export_linen

    params = {}
    for name, value in values.items():
        _, layer, leaf = name.split(".")
        params.setdefault(layer, {})[leaf] = value
    return lambda key, x, y: export_linen.loss(params, key, x, y)


def nnx(values):
    import export_nnx
    import jax

    params = jax.tree_util.tree_map_with_path(
        lambda path, _: values["params." + jax.tree_util.keystr(path, simple=True, separator=".")],
        export_nnx.params,
    )
    return lambda key, x, y: export_nnx.loss(params, key, x, y)


def torch(values):
    import export_torch
    import torchax
    from torch.func import functional_call
    from torch.nn.functional import cross_entropy
    from torchax.interop import jax_view

    net = export_torch.Net()
    params = {name.split(".", 1)[1]: value for name, value in values.items()}
    plain = jax_view(lambda params, x, y: cross_entropy(functional_call(net, params, (x,)), y))

    def loss(key, x, y):
        with torchax.default_env().override_property(prng=key):
            return plain(params, x, y)

    return loss


def main():
    for build in linen, nnx, torch:
        name = build.__name__
        values = {key: jnp.asarray(value) for key, value in np.load(EXAMPLE / f"from-{name}/params.npz").items()}
        steps = [np.load(f"{sys.argv[1]}/{name}/{each}.npy") for each in ("key", "x", "y")]
        loss = build(values)
        print(f'    "{name}": {[round(float(loss(*map(jnp.asarray, step))), 6) for step in zip(*steps, strict=True)]},')


if __name__ == "__main__":
    main()
