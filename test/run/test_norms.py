"""Statistics of micro-batches: each is normalised by its own, and what is kept of them is the same
whoever computes it."""

import struct

import pytest
from box import MODELS, same
from formats import read
from test_micro_batches import equal, one

NORMALIZED = MODELS / "normalized.mlir"


def valuesOf(path):
    return list(read(path)[1])


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


@pytest.mark.parametrize("microBatches", [4, 16])
def test_bits(box, microBatches):
    """As copies and as a loop: batch norm's running values and all that comes of them."""
    reference = one(box, model=NORMALIZED, micro_batches=microBatches)
    assert len(set(reference[1])) == 6
    for jobs, strategy in (
        ({"ps": 1, "worker": 2}, "parameter_server"),
        ({"ps": 2, "worker": 4}, "parameter_server"),
        ({"worker": 2}, "all_reduce"),
        ({"worker": 4}, "all_reduce"),
        ({"worker": 2}, "mirrored"),
    ):
        equal(
            box,
            reference,
            jobs,
            {"name": strategy, "micro_batches": microBatches},
            model=NORMALIZED,
        )


def test_bits_of_messages(box):
    reference = one(box, model=NORMALIZED, micro_batches=4)
    for jobs, strategy in (
        ({"ps": 1, "worker": 2}, "parameter_server"),
        ({"worker": 2}, "all_reduce"),
    ):
        equal(
            box,
            reference,
            jobs,
            {"name": strategy, "micro_batches": 4},
            "--transport=grpc",
            model=NORMALIZED,
        )


def test_in_pieces(box):
    """A run that goes on has the running values."""
    plan = box.compile("normalized", {"worker": 1}, NORMALIZED)
    box.graphrun(plan, "--steps", 7, "--dump_variables", "straight", "--checkpoint_dir", "whole")
    for steps in 2, 3, 7:
        box.graphrun(
            plan, "--steps", steps, "--dump_variables", "resumed", "--checkpoint_dir", "pieces"
        )
    same(box / "straight", box / "resumed")


def test_running_values(box):
    """They are moved once a step, by the mean over its micro-batches."""
    text = """\
graph.variable @mean : tensor<1xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @each : tensor<1xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.variable @one : tensor<1xf32> = #graph.value<dense<1.0> : tensor<1xf32>> {trainable = false}
graph.dataset @d : (tensor<1xf32>) = #graph.synthetic<samples = 100>
graph.func @step() attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 3} : tensor<3x1xf32>
  %c = graph.read @one : tensor<1xf32>
  %y, %m, %v = graph.batch_norm_training %x, %c, %c feature_index = 1 epsilon = 0.0
      : (tensor<3x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x1xf32>, tensor<1xf32>, tensor<1xf32>)
  graph.assign @each, %m : tensor<1xf32>
  graph.assign_moving_average @mean, %m {momentum = 0.75} : tensor<1xf32>
  graph.return
}
"""
    box.write("running.mlir", text)
    for cluster, strategy in (
        ({"worker": 1}, "one_device"),
        ({"worker": 2}, "all_reduce"),
        ({"ps": 1, "worker": 4}, "parameter_server"),
    ):
        plan = box.compile(
            "running",
            {**cluster, "strategy": {"name": strategy, "micro_batches": 4}},
            "running.mlir",
        )
        moved = 0.0
        for steps in 1, 2, 3:
            folder = box.weights(plan, "--steps", steps)
            (step,) = valuesOf(folder / "each.npy")
            moved = single(single(0.75 * moved) + single(0.25 * step))
            assert valuesOf(folder / "mean.npy") == [moved]
