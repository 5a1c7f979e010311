"""The bits of a model's variables are its own: a further minimize, data set or phase in the same
plan, before it in the text or behind it, changes none. A metric behind the training is that of
--entry eval."""

import os
import re

import pytest

# A network, and a product of one row; what is further has the same numbers as a column, which is
# one operand to the library.
OWN_VARIABLES = """\
graph.variable @w1 : tensor<40x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<64x10xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @row : tensor<1x2000xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @under : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>
graph.dataset @own : (tensor<40xf32>, tensor<i32>) = #graph.synthetic<samples = 50, seed = 5, limits = [0, 10]> {shuffle = true, seed = 6}
"""
OWN = """\
  %x, %y = graph.next_batch @own {batch = 8} : tensor<8x40xf32>, tensor<8xi32>
  %w1 = graph.read @w1 : tensor<40x64xf32>
  %w2 = graph.read @w2 : tensor<64x10xf32>
  %h = graph.matmul %x, %w1 : (tensor<8x40xf32>, tensor<40x64xf32>) -> tensor<8x64xf32>
  %r = graph.relu %h : tensor<8x64xf32>
  %z = graph.matmul %r, %w2 : (tensor<8x64xf32>, tensor<64x10xf32>) -> tensor<8x10xf32>
  %e = graph.softmax_cross_entropy %z, %y : (tensor<8x10xf32>, tensor<8xi32>) -> tensor<f32>
  %row = graph.read @row : tensor<1x2000xf32>
  %under = graph.read @under : tensor<2000x64xf32>
  %p = graph.matmul %row, %under : (tensor<1x2000xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %s = graph.multiply %p, %p : tensor<1x64xf32>
  %m = graph.reduce_mean %s dimensions = [0, 1] : (tensor<1x64xf32>) -> tensor<f32>
  %loss = graph.add %e, %m : tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = RATE, momentum = 0.9>, variables = [@w1, @w2, @row, @under]} : tensor<f32>
"""
FURTHER_VARIABLES = """\
graph.variable @column : tensor<2000x1xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @below : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>
"""
MINIMIZE = """\
  %column = graph.read @column : tensor<2000x1xf32>
  %below = graph.read @below : tensor<2000x64xf32>
  %fp = graph.matmul %column, %below {transpose_a} : (tensor<2000x1xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %fs = graph.multiply %fp, %fp : tensor<1x64xf32>
  %further = graph.reduce_mean %fs dimensions = [0, 1] : (tensor<1x64xf32>) -> tensor<f32>
  graph.minimize %further {optimizer = #graph.sgd<learning_rate = 0.0001>, variables = [@column, @below]} : tensor<f32>
"""
SET = """\
graph.dataset @further : (tensor<40xf32>) = #graph.synthetic<samples = 30, seed = 9> {shuffle = true, seed = 8}
graph.variable @sum : tensor<f32> = #graph.zeros {aggregation = "mean", trainable = false}
"""
BATCH = """\
  %fx = graph.next_batch @further {batch = 8} : tensor<8x40xf32>
  %fm = graph.reduce_mean %fx dimensions = [0, 1] : (tensor<8x40xf32>) -> tensor<f32>
  graph.assign_add @sum, %fm : tensor<f32>
"""
PHASE = """\
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %ok = graph.next_batch @tests {batch = 1, pad_last} : tensor<1x2000xf32>, tensor<1xi1>
  %under = graph.read @under : tensor<2000x64xf32>
  %f = graph.matmul %x, %under : (tensor<1x2000xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %c = graph.transpose %x permutation = [1, 0] : (tensor<1x2000xf32>) -> tensor<2000x1xf32>
  %g = graph.matmul %c, %under {transpose_a} : (tensor<2000x1xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %s = graph.add %f, %g : tensor<1x64xf32>
  %m = graph.reduce_mean %s dimensions = [1] : (tensor<1x64xf32>) -> tensor<1xf32>
  %k = graph.constant dense<65536.0> : tensor<1xf32>
  %large = graph.multiply %m, %k : tensor<1xf32>
  %whole = graph.convert %large : (tensor<1xf32>) -> tensor<1xi32>
  %floor = graph.convert %whole : (tensor<1xi32>) -> tensor<1xf32>
  %low = graph.subtract %large, %floor : tensor<1xf32>
  graph.metric "m", %m, %ok : tensor<1xf32>, tensor<1xi1>
  graph.metric "low", %low, %ok : tensor<1xf32>, tensor<1xi1>
  graph.return
}
graph.dataset @tests : (tensor<2000xf32>) = #graph.synthetic<samples = 5, seed = 1>
"""
# Declarations, what stands before the model's own, what behind it, and further functions.
FURTHER = {
    "minimize": (FURTHER_VARIABLES, "", MINIMIZE, ""),
    "minimize-first": (FURTHER_VARIABLES, MINIMIZE, "", ""),
    "set": (SET, "", BATCH, ""),
    "set-first": (SET, BATCH, "", ""),
    "phase": ("", "", "", PHASE),
    "all": (FURTHER_VARIABLES + SET, BATCH, MINIMIZE, PHASE),
}
NAMES = "w1 w2 row under w1_Momentum w2_Momentum row_Momentum under_Momentum".split()


def model(declarations="", before="", behind="", functions="", rate="0.01"):
    return (
        OWN_VARIABLES
        + declarations
        + 'graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {\n'
        + before
        + OWN
        + behind
        + "  graph.return %loss : tensor<f32>\n}\n"
        + functions
    ).replace("RATE", rate)


def trained(box, cluster, text):
    """The bytes of the model's own variables."""
    box.write("model.mlir", text)
    folder = box.weights(box.compile("model", cluster, "model.mlir"), "--steps", 20)
    found = {}
    for name in NAMES:
        (file,) = [
            file
            for file in os.listdir(folder)
            if re.fullmatch(name.replace("_", ".*") + r"\.npy", file)
        ]
        found[name] = (folder / file).read_bytes()
    return found


CLUSTERS = {
    "one": {"worker": 1},
    "servers": {"worker": 2, "ps": 1},
    "all_reduce": {"worker": 2, "strategy": "all_reduce"},
}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_bits(box, cluster):
    """On one device, on a parameter server with two workers and by all-reduce; another learning
    rate gives other bits of all."""
    cluster = CLUSTERS[cluster]
    alone = trained(box, cluster, model())
    for name, more in FURTHER.items():
        assert [
            v for v, data in trained(box, cluster, model(*more)).items() if data != alone[v]
        ] == [], name
    assert [
        v for v, data in trained(box, cluster, model(rate="0.011")).items() if data != alone[v]
    ] == NAMES


def test_metric(box):
    """That of a checkpoint is one number to its last bit (`low` shows the last ones), whatever the
    process has computed before."""
    box.write("all.mlir", model(*FURTHER["all"]))
    plan = box.compile("all", {"worker": 1}, "all.mlir")

    def metrics(*arguments):
        return box.graphrun(plan, *arguments, "--checkpoint_dir", "trained").out.matches("^test .*")

    behind = metrics("--steps", 3)
    assert len([line for line in behind if re.match("test (m|low) -?[0-9]", line)]) == 2
    assert metrics("--entry", "eval") == behind
    assert [line for line in metrics("--steps", 4) if "low" in line] != [
        line for line in behind if "low" in line
    ]
