"""A module may say that others than the chief compute; then they do, and the chief tells them when
to end."""

import pytest
from box import MLP, same

PS = 'graph.strategy = #graph.strategy<name = "parameter_server">'
SUMS = 'graph.strategy = #graph.strategy<name = "all_reduce">'
MESH = '''graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:1/device:CPU:0"]>,
  stores = ["/job:ps/task:0/device:CPU:0"]>'''
ONE, OTHERS, LAST = (
    f'graph.replicas = #graph.replicas<{tasks}>'
    for tasks in (
        '["/job:worker/task:1"]',
        '["/job:worker/task:1-2"]',
        '["/job:worker/task:1", "/job:worker/task:0"]',
    )
)
# What the module says, and which workers compute.
CASES = {
    "one": (f"{PS}, {ONE}", [1]),
    "mesh": (MESH, [1]),
    "two": (f"{PS}, {OTHERS}", [1, 2]),
    "last": (f"{PS}, {LAST}", [0, 1]),
    "async": (
        f'graph.strategy = #graph.strategy<name = "parameter_server", async = true>, {ONE}',
        [1],
    ),
    "sums-one": (f"{SUMS}, {ONE}", [1]),
    "sums-last": (f"{SUMS}, {LAST}", [0, 1]),
}


@pytest.mark.parametrize("name", CASES)
def test_computes_there(box, name):
    """The bits are one device's, also after going on from a checkpoint, and memory is touched by
    those that the module names alone."""
    said, workers = CASES[name]
    cluster = (
        'graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 3], chief = "/job:worker/task:0">'
    )
    box.write("model.mlir", f"module attributes {{{cluster}, {said}}} {{\n{MLP.read_text()}\n}}")
    box.graphc("model.mlir", "-o", "model.plan")
    one, printed = box.reference(len(workers), "--steps", 20)
    for transport in "shm", "grpc":
        same(
            one,
            box.weights(
                "model.plan", "--steps", 20, f"--transport={transport}", "--stats", "stats.json"
            ),
        )
        (shown,) = box.last.out.matches("^test accuracy")
        assert shown in printed.matches("^test accuracy")
        touched = [
            task
            for task in range(3)
            if box.json("stats.json")["tasks"][f"/job:worker/task:{task}"]["arena_bytes_touched"]
        ]
        assert touched == workers
    box.graphrun("model.plan", "--steps", 8, "--checkpoint_dir", "kept")
    same(one, box.weights("model.plan", "--steps", 20, "--checkpoint_dir", "kept"))
