"""A dialect that passes and runtime do not know: a model of its ops (test/dialects/extra) is
differentiated, partitioned and trained, with a library call that a module of the tests serves."""

import re

import pytest
from box import BUILD, HERE, same

MODEL = HERE.parent / "dialects/extra/Inputs/model.mlir"
SERVED = {"GRAPHC_LIBRARIES": str(BUILD / "test/lib/libgraphc_test_pooling.so")}
CLUSTERS = {
    "one": {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}},
    "servers": {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server"}},
    "split": {
        "worker": 2,
        "ps": 2,
        "strategy": {"name": "parameter_server", "placement": "split", "min_shard_bytes": 8},
    },
    "reduced": {"worker": 2, "strategy": "all_reduce"},
    "mirrored": {"worker": 2, "strategy": "mirrored"},
}


@pytest.fixture(params=["adagrad", "normalized"])
def model(box, request):
    """Trained by an optimizer whose update is elementwise, and by one whose update has loops of its
    own: it takes the whole gradient, so that its variables stay in one piece."""
    text = MODEL.read_text()
    assert "#extra.adagrad<" in text
    return box.write("model.mlir", text.replace("#extra.adagrad<", f"#extra.{request.param}<"))


def train(box, cluster, model):
    """Its variables, and the losses of 20 steps."""
    box.write(f"{cluster}.json", CLUSTERS[cluster])
    box.run(
        BUILD / "test/bin/extra-graphc",
        "--partition",
        f"{cluster}.json",
        "-o",
        f"{cluster}.plan",
        model,
        env=SERVED,
    )
    folder = box.weights(
        f"{cluster}.plan", "--steps", 20, "--fetch", "loss", to=cluster, env=SERVED
    )
    return folder, [float(n) for n in re.findall(r"loss[ =]+(-?[0-9.e+-]+)", box.last.out.text())]


@pytest.mark.parametrize("cluster", [name for name in CLUSTERS if name != "one"])
def test_trained(box, model, cluster):
    """With the bits of one device; the step's loss falls, and is that of one device."""
    one, losses = train(box, "one", model)
    many, others = train(box, cluster, model)
    same(one, many)
    assert len(losses) == 20 and losses[-1] < losses[0]
    assert losses == others
