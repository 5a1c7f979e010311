"""Ops whose indices are data: a model of them trains with the bits of one device under every
strategy, and with any number of threads."""

import pytest
from box import same

MODEL = """graph.variable @table : tensor<600x128xf32> = #graph.normal<stddev = 0.5, seed = 1>
graph.variable @w : tensor<128x7xf32> = #graph.normal<stddev = 0.5, seed = 2>
graph.dataset @words : (tensor<8xi32>, tensor<i32>) = #graph.synthetic<samples = 600, seed = 3, limits = [600, 7]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %ids, %labels = graph.next_batch @words {batch = 12} : tensor<12x8xi32>, tensor<12xi32>
  %table = graph.read @table : tensor<600x128xf32>
  %w = graph.read @w : tensor<128x7xf32>
  %x = graph.embedding %table, %ids : (tensor<600x128xf32>, tensor<12x8xi32>) -> tensor<12x8x128xf32>
  // Words as their own neighbours, moved by one; those of the labels' places once more; the largest of each.
  %zero = graph.constant dense<0.0> : tensor<f32>
  %moved = graph.pad %x, %zero edge_padding_low = [0, 1, 0] edge_padding_high = [0, -1, 0] interior_padding = [0, 0, 0] : (tensor<12x8x128xf32>, tensor<f32>) -> tensor<12x8x128xf32>
  %both = graph.add %x, %moved : tensor<12x8x128xf32>
  %chosen = graph.gather %both, %labels offset_dims = [1] collapsed_slice_dims = [1] operand_batching_dims = [0] start_indices_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 1, 128] : (tensor<12x8x128xf32>, tensor<12xi32>) -> tensor<12x128xf32>
  %first = graph.constant dense<0> : tensor<i32>
  %start = graph.slice %labels start_indices = [0] limit_indices = [1] strides = [1] : (tensor<12xi32>) -> tensor<1xi32>
  %word = graph.reshape %start : (tensor<1xi32>) -> tensor<i32>
  %one = graph.dynamic_slice %both, %first, %word, %first slice_sizes = [12, 1, 128] : (tensor<12x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x1x128xf32>
  %flat = graph.reshape %one : (tensor<12x1x128xf32>) -> tensor<12x128xf32>
  %h = graph.add %chosen, %flat : tensor<12x128xf32>
  %logits = graph.dot_general %h, %w lhs_contracting_dimensions = [1] rhs_contracting_dimensions = [0] : (tensor<12x128xf32>, tensor<128x7xf32>) -> tensor<12x7xf32>
  %top, %where = graph.top_k %logits k = 3 : (tensor<12x7xf32>) -> (tensor<12x3xf32>, tensor<12x3xi32>)
  %spread = graph.reduce_mean %top dimensions = [0, 1] : (tensor<12x3xf32>) -> tensor<f32>
  %entropy = graph.softmax_cross_entropy %logits, %labels : (tensor<12x7xf32>, tensor<12xi32>) -> tensor<f32>
  %loss = graph.add %entropy, %spread : tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
CLUSTERS = {
    "servers": {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server"}},
    "split": {
        "worker": 2,
        "ps": 2,
        "strategy": {"name": "parameter_server", "placement": "split", "min_shard_bytes": 1024},
    },
    "reduced": {"worker": 2, "strategy": "all_reduce"},
    "mirrored": {"worker": 2, "strategy": "mirrored"},
}


@pytest.fixture
def model(box):
    box.write("model.mlir", MODEL)
    box.compile(
        "one", {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}, "model.mlir"
    )
    return box


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_partitioned(model, cluster):
    """A sum of rows that several words name, on servers, in parts of the table and by all workers,
    is one device's."""
    many = model.compile(cluster, CLUSTERS[cluster], "model.mlir")
    same(model.weights("one.plan", "--steps", 5), model.weights(many, "--steps", 5))


def test_threads(model):
    """Blocks of a table's gradient, by as many threads as there are."""
    one = model.weights("one.plan", "--steps", 5, "--intra_op_threads", 1)
    same(one, model.weights("one.plan", "--steps", 5, "--intra_op_threads", 3))


def test_no_such_row(box):
    """A number that a data set gives and that is no row of the table ends the run by name, as a
    label does that is no class."""
    box.write("rows.mlir", MODEL.replace("limits = [600, 7]", "limits = [601, 7]"))
    plan = box.compile("rows", {"worker": 1}, "rows.mlir")
    box.refused("data set words: .* none of 0 to 599", plan, "--steps", 60, status=1)
