"""Two hundred tasks on one machine: what one device computes, at a cost that grows as their number
does. docs/benchmarks.md has how fast they start."""

import pytest
from box import FOREVER, LONG, MLP, same
from process import TRAINS, grows

MANY = 200
CLUSTERS = {
    "ps": {"ps": 1, "worker": MANY - 1, "strategy": "parameter_server"},
    "all-reduce": {"worker": MANY if LONG else 50, "strategy": "all_reduce"},
}
if LONG:
    CLUSTERS |= {
        "half": {"ps": MANY // 2, "worker": MANY // 2, "strategy": "parameter_server"},
        "mirrored": {"worker": MANY, "strategy": "mirrored"},
    }


@pytest.mark.parametrize("name", CLUSTERS)
def test_many(box, name):
    """The bits of one device that takes as many micro-batches, summed in as many leaves."""
    cluster = CLUSTERS[name]
    batches = cluster["worker"]
    one = box.compile(
        "one",
        {
            "worker": 1,
            "strategy": {"name": "one_device", "micro_batches": batches, "sum_leaves": batches},
        },
    )
    same(box.weights(one, "--steps", 2), box.weights(box.compile("many", cluster), "--steps", 2))


def test_one_of_many_dies(box):
    """The run ends by its name, and takes all the others along."""
    run = box.trains(box.compile("many", CLUSTERS["ps"]))
    box.killed(run, "worker-150")


def test_starts(box):
    """A server and 49 workers make their first step, and twenty times as many tasks cost no more
    than linearly: a start that asks each task of each other would take four hundred times as
    long."""
    few, many = (
        box.compile(
            f"{workers}", {"ps": 1, "worker": workers - 1, "strategy": "parameter_server"}, MLP
        )
        for workers in (10, MANY)
    )
    fifty = box.launch(
        box.compile("fifty", {"ps": 1, "worker": 49, "strategy": "parameter_server"}),
        "--steps",
        FOREVER,
    )
    fifty.err.waitFor(TRAINS, seconds=20)  # some 0.4 s where nobody else computes
    fifty.stop(status=1)
    grows(*(lambda plan=plan: box.graphrun(plan, "--steps", 1) for plan in (few, many)), most=60)
