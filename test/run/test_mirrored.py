"""In-graph data parallel gives, bit for bit, the weights of one device with as many
micro-batches."""

import pytest
from box import accuracy, delay, differences, same

IN_GRAPH = {"name": "parameter_server", "replication": "in_graph"}
CPUS = {"worker": ["CPU:0", "CPU:1"]}
# Towers: on two devices of one task, on 2, 3 and 4 tasks, on the workers of 1 and 2 parameter
# servers.
CLUSTERS = {
    "local-2": {"worker": 1, "devices": CPUS, "strategy": "mirrored"},
    "tasks-2": {"worker": 2, "strategy": "mirrored"},
    "tasks-3": {"chief": 1, "worker": 2, "strategy": "mirrored"},
    "named-2": {
        "worker": 3,
        "strategy": {
            "name": "mirrored",
            "devices": ["/job:worker/task:2/cpu:0", "/job:worker/task:1/cpu:0"],
        },
    },
    "mixed-4": {
        "worker": 2,
        "devices": CPUS,
        "strategy": {
            "name": "mirrored",
            "devices": [f"/job:worker/task:{t}/cpu:{c}" for t in (0, 1) for c in (0, 1)],
        },
    },
    "tasks-4": {"worker": 4, "strategy": "mirrored"},
    "servers1-2": {"worker": 2, "ps": 1, "strategy": IN_GRAPH},
    "servers2-3": {"worker": 3, "ps": 2, "strategy": IN_GRAPH},
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_bits(box, name, transport):
    """With one tower much later than the others; the accuracy is one device's too."""
    one, printed = box.reference(int(name[-1]), "--steps", 40)
    many = box.weights(
        box.compile(name, CLUSTERS[name]),
        "--steps",
        40,
        f"--transport={transport}",
        env=delay(worker0=2000),
    )
    same(one, many)
    assert accuracy(box.last.out) == accuracy(printed)


def test_comparison_can_fail(box):
    """Three micro-batches differ from two."""
    assert differences(box.reference(2, "--steps", 40)[0], box.reference(3, "--steps", 40)[0])


def test_table(box):
    """It has the second device, and counts the towers."""
    box.compile("local-2", CLUSTERS["local-2"]).err.expect(
        "/job:worker/task:0/device:CPU:1 ", "strategy mirrored, 2 towers, batch 8 each"
    )


def test_lost(box, transport):
    """A lost task ends the run with its name."""
    box.dies(box.compile("tasks-3", CLUSTERS["tasks-3"]), "worker-1", f"--transport={transport}")
