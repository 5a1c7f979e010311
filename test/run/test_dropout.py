"""examples/dropout: networks with dropout of PyTorch and Flax, which draw from a new key in each
step."""

import re
import textwrap

import pytest
from box import ROOT, same, servers
from formats import read

EXAMPLE = ROOT / "examples/dropout"
# Each framework's own loss of the first steps' batches, with the keys that graphc drew for them, as
# dropout_losses.py prints it.
LOSSES = {
    "linen": [1.380454, 1.297298, 1.425352, 1.453378, 1.359236, 1.43132],
    "nnx": [1.716999, 1.646762, 1.630841, 1.804595, 1.605117, 1.550488],
    "torch": [1.364316, 1.427994, 1.417022, 1.378025, 1.333795, 1.439662],
}


def functions(framework):
    return [EXAMPLE / f"from-{framework}/{name}.mlir" for name in ("loss", "logits")]


@pytest.mark.parametrize("framework", LOSSES)
def test_losses(box, framework):
    """Without learning a loss follows from batch and key alone. It is the framework's, and each
    step has another key."""
    text = (EXAMPLE / "train.mlir").read_text()
    text = text.replace("learning_rate = 0.01", "learning_rate = 0.0")
    seen = """\
  graph.summary "x", %x {reduction = "first_replica"} : tensor<32x8xf32>
  graph.summary "y", %y : tensor<32xi32>
"""
    box.write("still.mlir", text.replace("  graph.minimize", seen + "  graph.minimize"))
    box.graphc("still.mlir", *functions(framework), "-o", "still.plan")
    (box / framework).mkdir()
    fetches = [f"--fetch={name}={framework}/{name}.npy" for name in ("loss", "key", "x", "y")]
    values = EXAMPLE / f"from-{framework}/params.npz"
    box.graphrun("still.plan", "--steps", 6, "--init_from", values, *fetches)
    losses = list(read(box / f"{framework}/loss.npy")[1])
    assert losses == pytest.approx(LOSSES[framework], rel=2e-6)
    keys = list(read(box / f"{framework}/key.npy")[1])
    assert len(set(zip(keys[::2], keys[1::2], strict=True))) == 6


@pytest.mark.parametrize("framework", LOSSES)
def test_strategies(box, framework):
    """Two workers, with a parameter server and without, have the bits of one device with two
    micro-batches."""
    flags = functions(framework)
    run = "--steps", 4, "--init_from", EXAMPLE / f"from-{framework}/params.npz"
    clusters = {
        "one": {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}},
        "ps": servers(2, 1),
        "ring": {"worker": 2, "strategy": "all_reduce"},
    }
    model = EXAMPLE / "train.mlir"
    one, *others = [
        box.weights(box.compile(name, cluster, model, flags), *run)
        for name, cluster in clusters.items()
    ]
    for other in others:
        same(one, other)


def test_page():
    """The page shows the scripts' own lines."""
    scripts = "\n".join(path.read_text() for path in sorted(EXAMPLE.glob("export_*.py")))
    shown = re.findall(r"^```python\n(.*?)^```", (EXAMPLE / "README.md").read_text(), re.S | re.M)
    assert len(shown) == 3
    for block in shown:
        assert block in scripts or textwrap.dedent(block) in scripts, block
