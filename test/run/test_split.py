"""placement: split. Checkpoints in parts, dumps of whole variables, manifests whose parts make no
whole, and where the remedy is named."""

import os
import re

import pytest
from box import MLP, same, servers
from formats import seal

PARTS = {"placement": "split", "min_shard_bytes": 8}
CUT = {"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "split"}}
# Two servers and one variable that is most of the model.
LARGE = """\
graph.variable @w : tensor<1024x1024xf32> = #graph.normal<stddev = 0.1, truncated = true>
graph.variable @b : tensor<1024xf32> = #graph.zeros
graph.dataset @train : (tensor<1024xf32>) = #graph.synthetic<samples = 100, seed = 1>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 2} : tensor<2x1024xf32>
  %w = graph.read @w : tensor<1024x1024xf32>
  %b = graph.read @b : tensor<1024xf32>
  %h = graph.matmul %x, %w : (tensor<2x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x1024xf32>
  %y = graph.bias_add %h, %b : tensor<2x1024xf32>, tensor<1024xf32>
  %s = graph.multiply %y, %y : tensor<2x1024xf32>
  %loss = graph.reduce_mean %s dimensions = [0, 1] : (tensor<2x1024xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
UNALIGNED = """\
graph.variable @w : tensor<10x100001xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<10x100001xf32>
  %t = graph.tanh %w : tensor<10x100001xf32>
  %s = graph.reduce_sum %t dimensions = [0, 1] : (tensor<10x100001xf32>) -> tensor<f32>
  graph.minimize %s {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %s : tensor<f32>
}
"""


def plans(box):
    return {
        "two": box.servers("two", 2, 2, **PARTS),
        "three": box.servers("three", 2, 3, **PARTS),
        "four": box.servers("four", 2, 2, **PARTS, max_shards=4),
        "balanced": box.servers("balanced", 2, 2, placement="balanced"),
        "whole": box.servers("whole", 2, 1),
        "one": box.oneDevice("one", 2),
        "ring": box.compile("ring", {"worker": 2, "strategy": "all_reduce"}),
        "towers": box.servers("towers", 2, 2, replication="in_graph", **PARTS),
    }


def test_places(box):
    """Where each part is; the first rows of w1 are not on the server of the last."""
    placed = box.compile("three", servers(2, 3, **PARTS), MLP, ["--log_device_placement"]).err
    placed.expect(
        *(
            rf"^{part}: \(variable\): /job:ps/"
            for part in (
                "w1/part_0",
                "w1/part_1",
                "w1/part_2",
                "w1/Momentum/part_0",
                "b1/part_2",
                "w2/part_1",
            )
        )
    )
    assert (
        len(
            {
                line.split("task:")[1][0]
                for line in placed.lines()
                if re.match(r"w1/part_.*task:[0-9]", line)
            }
        )
        == 3
    )


def test_checkpoints(box):
    """Each plan goes on where the one before it was, which stored the variables in other parts,
    over every placement and number of servers and the reverse; the end is one device's."""
    made = plans(box)
    expected, _ = box.reference(2, "--steps", 66)
    for number, name in enumerate(
        "two three whole two balanced three ring two four one towers".split(), 1
    ):
        got = box.weights(made[name], "--steps", 6 * number, "--checkpoint_dir", "c", to="got")
        if number > 1:
            box.last.err.expect(f"going on from c/step-{6 * (number - 1)}$")
    same(expected, got)
    assert allArrays(got)
    same(expected, box.weights(made["three"], "--steps", 66, "--transport=grpc"))
    assert (box.weights(made["two"], "--steps", 67) / "w1.npy").read_bytes() != (
        expected / "w1.npy"
    ).read_bytes(), "another step must differ"


def allArrays(folder):
    return all(name.endswith(".npy") for name in os.listdir(folder))


def test_longer_file(box):
    """A file of an earlier dump that is longer is not left as it is."""
    box.write("old/w1.npy", os.urandom(100000))
    same(
        box.reference(2, "--steps", 66)[0],
        box.weights(box.servers("two", 2, 2, **PARTS), "--steps", 66, to="old"),
    )


def test_asynchronous(box):
    """The number of updates, a checkpoint in parts, and on from there with other parts."""
    box.graphrun(box.servers("two", 2, 2, "async", **PARTS), "--steps", 30, "--checkpoint_dir", "d")
    box.graphrun(
        box.servers("three", 2, 3, "async", **PARTS, max_staleness=2),
        "--steps",
        50,
        "--checkpoint_dir",
        "d",
    ).err.expect("going on from d/step-30")
    assert (box / "d/step-50").is_dir(), os.listdir(box / "d")


PART = r'\{"name": "w1/part_1"[^}]*\}\}'


@pytest.mark.parametrize(
    "old, new, words",
    [
        (
            f", {PART}|{PART}, ",
            "",
            'a part of variable "w1" is missing: nothing holds what lies behind "w1/part_0"',
        ),
        (
            r'("name": "w1/part_1".*?"row": )10',
            r"\g<1>4",
            'variable "w1" is given twice: "w1/part_0" and "w1/part_1" have rows in common',
        ),
        (
            r'("name": "w1/part_1".*?"row": )10',
            r"\g<1>11",
            'variable "w1/part_1" is tensor<10x64xf32>, which is not the rows from 11 of tensor<20x64xf32>',
        ),
        (
            r'"name": "b2/part_0"(.*?)"name": "b2"',
            r'"name": "b2/part_0"\g<1>"name": "b3"',
            'a part of variable "b2" is missing: nothing holds what lies before "b2/part_1"',
        ),
    ],
    ids=["left-out", "same-rows", "beyond-the-end", "another-variable"],
)
def test_manifest(box, old, new, words):
    """With a right sum and wrong parts it is named and skipped; the run goes on from the one before
    it, of the epoch's end."""
    two = box.servers("two", 2, 2, **PARTS)
    for steps in 10, 20:
        box.graphrun(two, "--steps", steps, "--checkpoint_dir", "e")
    box.file("e/step-20/manifest.json").expect(
        r'"name": "w1/part_1", "type": "f32", "shape": \[10, 64\], "part_of": \{"name": "w1", "shape": \[20, 64\], "row": 10\}'
    )
    seal(box / "e/step-20/manifest.json", lambda text: re.sub(old, new, text))
    box.graphrun(two, "--steps", 12, "--checkpoint_dir", "e").err.expect(
        f"checkpoint e/step-20 is skipped: e/step-20/manifest.json.*{words}",
        "going on from e/step-13",
    )


def test_remedy(box):
    """A variable that is most of the model on one of two servers is said at compile time; with the
    remedy there is nothing to say, and the bits are one device's."""
    box.write("large.mlir", LARGE)
    box.compile(
        "dealt", {"ps": 2, "worker": 2, "strategy": "parameter_server"}, "large.mlir"
    ).err.expect(
        'remark: /job:ps/task:0/device:CPU:0 stores 8.0 MiB of the 8.0 MiB of variables.*"placement": "split".*no task stores more than 4.0 MiB'
    )
    cut = box.compile("cut", CUT, "large.mlir")
    cut.err.never("remark")
    same(box.reference(2, "--steps", 5, model="large.mlir")[0], box.weights(cut, "--steps", 5))


def test_unaligned_parts(box):
    """Parts whose bytes are no multiple of a kernel's alignment: a gradient of which a part goes to
    each server."""
    box.write("unaligned.mlir", UNALIGNED)
    same(
        box.reference(2, "--steps", 3, model="unaligned.mlir")[0],
        box.weights(box.compile("cut", CUT, "unaligned.mlir"), "--steps", 3),
    )
