"""A model whose own words say which worker computes what trains under every strategy, byte for byte
the same file."""

import re

import pytest
from box import MODELS, differences, same

ANNOTATED = MODELS / "annotated.mlir"
AT = r"annotated.mlir:[0-9]+:[0-9]+: remark: "
ON = '"/job:worker/task:'
TRANSPORTS = "shm", "grpc"
SPLIT = {"name": "parameter_server", "placement": "split", "min_shard_bytes": 8}
IN_GRAPH = {"name": "parameter_server", "replication": "in_graph"}


def remarked(plan, *words):
    __tracebackhide__ = True
    plan.err.expect(*(AT + each for each in words))


def every(what):
    return [rf'is placed on {ON}{task}" .* every {what} computes it' for task in (0, 1)]


# Of replicas and towers: the cluster, and what a remark says at each device's line that has no
# effect.
CLUSTERS = {
    "ps": (
        {"ps": 1, "worker": 2, "strategy": "parameter_server"},
        [
            rf'is pinned to {ON}0", but its variable @w1 is on "/job:ps/task:0/device:CPU:0"; state is touched where it is stored',
            rf'is placed on {ON}0" by the model or a placement rule; every replica computes it',
            *every("replica")[1:],
        ],
    ),
    "split": ({"ps": 2, "worker": 2, "strategy": SPLIT}, every("replica")),
    "sums": (
        {"worker": 2, "strategy": "all_reduce"},
        [
            rf'is on every replica under the strategy all_reduce; its device {ON}0" has no effect',
            rf'is on every replica .* its device {ON}1" has no effect',
        ],
    ),
    "towers": (
        {"worker": 2, "strategy": "mirrored"},
        [
            rf'is placed on {ON}0" by the model or a placement rule; every tower computes it',
            *every("tower")[1:],
        ],
    ),
    "served": ({"ps": 1, "worker": 2, "strategy": IN_GRAPH}, every("tower")),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_replicas(box, name):
    """A replica or tower on each worker, its variables where the model says or on the servers; the
    bits are one device's."""
    cluster, words = CLUSTERS[name]
    plan = box.compile("many", cluster, ANNOTATED)
    remarked(plan, *words)
    if name == "sums":
        assert len(plan.err.matches("remark:")) == 2, (
            "a remark for each device that has no effect, not for each operation"
        )
    for transport in TRANSPORTS:
        same(
            box.reference(2, "--steps", 30, model=ANNOTATED)[0],
            box.weights(plan, "--steps", 30, f"--transport={transport}"),
        )
        box.nothingLeft()


def test_in_graph(box):
    """One copy of the model: each half where the model says, and nothing to remark."""
    graph = {"worker": 2, "strategy": "in_graph"}
    plan = box.compile("graph", graph, ANNOTATED)
    plan.err.never("remark")
    log = box.compile("logged", graph, ANNOTATED, ["--log_device_placement"]).err
    log.expect(
        *(
            f"^{what}: .*/job:worker/replica:0/task:{task}/"
            for task, what in (
                (0, "w1"),
                (0, "train_step/matmul"),
                (1, "w2"),
                (1, "b2/Momentum"),
                (1, "train_step/softmax_cross_entropy"),
                (1, "train_step/matmul_3"),
            )
        )
    )
    for transport in TRANSPORTS:
        same(
            box.reference(1, "--steps", 30, model=ANNOTATED)[0],
            box.weights(plan, "--steps", 30, f"--transport={transport}"),
        )


def test_one_device(box):
    """Says so, and has the bits of a model without a word; the comparison can fail."""
    for batches in 1, 2:
        remarked(
            box.oneDevice(f"one-{batches}", batches, ANNOTATED),
            f'is placed on {ON}1" by the model, like [0-9]+ other operations and variables elsewhere; strategy one_device computes everything on {ON}0/',
        )
    ones = [box.reference(batches, "--steps", 30, model=ANNOTATED)[0] for batches in (1, 2)]
    assert differences(*ones)
    text = re.sub(r"^//.*\n", "", ANNOTATED.read_text(), flags=re.M)
    text = re.sub(r" attributes \{graph.device = [^}]*\}", "", text).replace(
        " {graph.colocate_with = @w2}", ""
    )
    assert "graph.device" not in text and "colocate" not in text
    box.write("plain.mlir", text)
    plain = box.oneDevice("plain", 2, "plain.mlir")
    plain.err.never("remark")
    same(ones[1], box.weights(plain, "--steps", 30))


EQUAL = """\
graph.variable @b : tensor<6xf32> = #graph.uniform<low = 0.1, high = 1.0, seed = 1> {trainable = false}
graph.variable @w : tensor<6xf32> = #graph.uniform<low = 0.1, high = 1.0, seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %b = graph.read @b : tensor<6xf32>
  %w = graph.read @w : tensor<6xf32>
  %p = graph.multiply %w, %b WORDS : tensor<6xf32>
  %q = graph.multiply %w, %b : tensor<6xf32>
  %t = graph.tanh %p : tensor<6xf32>
  %e = graph.exponential %q : tensor<6xf32>
  %s = graph.add %t, %e : tensor<6xf32>
  %loss = graph.reduce_mean %s dimensions = [0] : (tensor<6xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""


def test_equal_values(box):
    """Two of them, one beside a variable or on a device: merged all the same, so that the gradient
    has the terms that it has without a word."""
    folders = []
    for name, words in (
        ("equal", ""),
        ("beside", "{graph.colocate_with = @b}"),
        ("on", '{graph.device = #graph.device<"/job:worker/task:0">}'),
    ):
        box.write(f"{name}.mlir", EQUAL.replace("WORDS", words))
        box.graphc(f"{name}.mlir", "-o", f"{name}.plan")
        folders.append(box.weights(f"{name}.plan", "--steps", 3))
    same(folders[0], folders[1])
    same(folders[0], folders[2])


SHARED = """\
graph.variable @w : tensor<f32> = #graph.value<dense<0.09016> : tensor<f32>> {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.func @train_step() -> (tensor<f32> {graph.name = "w"}, tensor<f32> {graph.name = "n", graph.reduction = "sum"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %n = graph.negate %w : tensor<f32>
  graph.summary "same", %n : tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %w, %n : tensor<f32>, tensor<f32>
}
"""


def test_what_no_batch_reaches(box):
    """Is one number for all replicas: fetched once, no mean of it. 0.09016 + 0.09016 + 0.09016 over
    3 is another number."""
    box.write("shared.mlir", SHARED)

    def fetched(plan):
        return box.graphrun(
            plan, "--steps", 2, "--fetch", "w", "--fetch", "same", "--fetch", "n"
        ).out

    one = fetched(box.oneDevice("one", 3, "shared.mlir"))
    one.expect(r"w 0.09016\b", r"same -0.09016\b")
    for cluster in (
        {"worker": 3, "strategy": "all_reduce"},
        {"worker": 3, "strategy": "mirrored"},
        {"ps": 1, "worker": 3, "strategy": "parameter_server"},
    ):
        assert sorted(fetched(box.compile("many", cluster, "shared.mlir")).lines()) == sorted(
            one.lines()
        )
