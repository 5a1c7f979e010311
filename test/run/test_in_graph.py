"""Model parallel: a deeper perceptron with a narrow middle, placed by cluster.json's rules alone on
three devices."""

import pytest
from box import MODELS, accuracy, same

DEEP = MODELS / "deep-mlp.mlir"
# A task hands on some rows of a product: of a buffer of a page or more, one part is sent.
ROWS = """\
graph.variable @x : tensor<64x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3> {graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @z : tensor<3x64xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
graph.variable @global_step : tensor<i64> = #graph.zeros
graph.func @train_step() attributes {role = #graph.role<train>} {
  %x = graph.read @x : tensor<64x64xf32>
  %y = graph.matmul %x, %x {graph.device = #graph.device<"/job:worker/task:0">} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = graph.slice %y start_indices = [16, 0] limit_indices = [19, 64] strides = [1, 1] {graph.device = #graph.device<"/job:worker/task:0">} : (tensor<64x64xf32>) -> tensor<3x64xf32>
  %e = graph.exponential %s {graph.device = #graph.device<"/job:worker/task:1">} : tensor<3x64xf32>
  graph.assign_add @z, %e : tensor<3x64xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
"""


def ruled(workers, encoder, bottleneck, decoder, **more):
    """Devices of the three parts; a number is a worker's."""
    parts = {"encoder/*": encoder, "bottleneck/*": bottleneck, "decoder/*": decoder}
    rules = [
        {"name": name, "device": f"/job:worker/task:{on}" if isinstance(on, int) else on}
        for name, on in parts.items()
    ]
    return {"worker": workers, **more, "strategy": "in_graph", "placement": rules}


CLUSTERS = {
    "tasks-2": ruled(2, 0, 1, 0),
    "tasks-3": ruled(3, 0, 1, 2),
    "tasks-4": ruled(4, 1, 2, 3),
    "local-3": ruled(
        1, "/cpu:0", "/cpu:1", "/cpu:2", devices={"worker": ["CPU:0", "CPU:1", "CPU:2"]}
    ),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_bits(box, name, transport):
    """One device's weights and accuracy, on 2, 3 and 4 tasks and on three devices of one; every
    rule has an effect."""
    plan = box.compile(name, CLUSTERS[name], DEEP)
    plan.err.never("remark")
    one, printed = box.reference(1, "--steps", 40, model=DEEP)
    same(one, box.weights(plan, "--steps", 40, f"--transport={transport}", "--stats", "stats.json"))
    assert accuracy(box.last.out) == accuracy(printed)


def test_places(box):
    """Each part's variables, slots and operations are on its device, gradients included; the data
    is the client's, who hands out the batch of 8 x 24 f32 and 8 i32, and no weight."""
    log = box.compile("tasks-4", CLUSTERS["tasks-4"], DEEP, ["--log_device_placement"]).err
    log.expect(
        "^encoder/w1/Momentum: \\(variable\\): /job:worker/replica:0/task:1/device:CPU:0",
        "^bottleneck/w: \\(variable\\): /job:worker/replica:0/task:2/device:CPU:0",
        "^train_step/next_batch: .*task:0/device:CPU:0",
        "task:0/device:CPU:0 .* 800 B *$",
    )
    assert len(log.matches("^train_step/matmul.*task:2/")) == 3, (
        "the bottleneck's product and its two gradients are on task 2"
    )


@pytest.mark.parametrize(
    "cluster",
    [{"worker": 2, "ps": 2, "strategy": "parameter_server"}, {"worker": 2, "strategy": "mirrored"}],
    ids=["ps", "mirrored"],
)
def test_other_strategies(box, cluster):
    """The same model.mlir, byte for byte, trains under the other strategies."""
    same(
        box.reference(2, "--steps", 20, model=DEEP)[0],
        box.weights(box.compile("many", cluster, DEEP), "--steps", 20),
    )


def test_rows_of_a_product(box):
    box.write("rows.mlir", ROWS)
    same(
        box.weights(box.compile("alone", {"worker": 1}, "rows.mlir"), "--steps", 3),
        box.weights(
            box.compile("pair", {"worker": 2, "strategy": "in_graph"}, "rows.mlir"), "--steps", 3
        ),
    )


def test_lost(box, transport):
    """A lost task ends the run with its name."""
    box.dies(
        box.compile("tasks-4", CLUSTERS["tasks-4"], DEEP), "worker-2", f"--transport={transport}"
    )
