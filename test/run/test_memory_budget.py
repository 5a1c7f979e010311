"""A plan that exceeds its budget has what is cheap rematerialized, with the same bits.
test/passes/outline/rematerialize.mlir has what is rematerialized, and
test/tools/graphc/rematerialization.test what graphc says of it."""

import pytest
from box import MODELS, same

LACKING = r"which is (?:(\d+) B|[^(]*\((\d+) bytes\)) too little even with all that is cheap rematerialized"
ACTIVATIONS = MODELS / "activations.mlir"
CLUSTERS = {
    "one": ({"worker": 1}, {"name": "one_device"}),
    "copies": ({"worker": 1}, {"name": "one_device", "micro_batches": 2}),
    "loop": ({"worker": 1}, {"name": "one_device", "micro_batches": 16}),
    "servers": ({"ps": 1, "worker": 2}, {"name": "parameter_server"}),
    "all_reduce": ({"worker": 2}, {"name": "all_reduce"}),
}


def within(box, name, cluster, memory, model=ACTIVATIONS):
    """Only who computes has a limit: a server's memory is its variables'."""
    jobs, strategy = CLUSTERS[cluster]
    return box.compile(
        name, {**jobs, "strategy": strategy, "budget": {"memory": {"/job:worker": memory}}}, model
    )


def least(box, cluster, model=ACTIVATIONS):
    """A budget that graphc says it can keep with everything rematerialized."""
    jobs, strategy = CLUSTERS[cluster]
    box.write("none.json", {**jobs, "strategy": strategy, "budget": {"memory": {"/job:worker": 1}}})
    run = box.run("graphc", "--partition", "none.json", model, "-o", "none.plan", status=1)
    return [int(few or many) + 1 for few, many in run.err.matches(LACKING)][0]


def arena(plan):
    """Of the device that computes, in KiB."""
    return [
        float(n) * {"K": 1, "M": 1024}[unit]
        for n, unit in plan.err.matches(r"^ /job:worker\S*  .*?  ([\d.]+) ([KM])iB ")
    ][0]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_bits(box, cluster):
    """In little memory and in any: weights and losses byte by byte."""
    small = within(box, "small", cluster, least(box, cluster))
    small.err.expect(
        r"rematerialized in train_step\S* for the budget: [1-9]\d* values? of .*, about .* a step"
    )
    large = within(box, "large", cluster, "1 TiB")
    large.err.never("rematerialized")
    assert arena(small) < arena(large)
    weights, losses = [], []
    for plan in small, large:
        weights.append(box.weights(plan, "--steps", 6, "--fetch", "loss"))
        losses.append(box.last.out.matches("^loss .*"))
    same(*weights)
    assert losses[0] == losses[1] and len(losses[0]) == 6


def test_kept_budget(box):
    """A budget that is kept as it is changes no byte of the plan."""
    free = box.compile("free", {"worker": 1}, ACTIVATIONS)
    kept = box.compile("kept", {"worker": 1, "budget": {"memory": "1 TiB"}}, ACTIVATIONS)
    assert (box / free).read_bytes() == (box / kept).read_bytes()
