"""A model that trains, evaluates and predicts what it is fed, and its runs as a plan and as an
export."""

from box import MLP
from formats import write

PREDICT = """
graph.func @predict_step(%x: tensor<10x20xf32> {graph.name = "x"}) -> (tensor<10x4xf32> {graph.name = "logits"}) attributes {role = #graph.role<predict>} {
  %w1 = graph.read @w1 : tensor<20x64xf32>
  %b1 = graph.read @b1 : tensor<64xf32>
  %w2 = graph.read @w2 : tensor<64x4xf32>
  %b2 = graph.read @b2 : tensor<4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<10x20xf32>, tensor<20x64xf32>) -> tensor<10x64xf32>
  %h1 = graph.bias_add %h0, %b1 : tensor<10x64xf32>, tensor<64xf32>
  %h = graph.relu %h1 : tensor<10x64xf32>
  %l0 = graph.matmul %h, %w2 : (tensor<10x64xf32>, tensor<64x4xf32>) -> tensor<10x4xf32>
  %logits = graph.bias_add %l0, %b2 : tensor<10x4xf32>, tensor<4xf32>
  graph.return %logits : tensor<10x4xf32>
}
"""
FEED = ["--feed", "x=x.npy"]
STRATEGIES = {
    "ps-split": {
        "ps": 2,
        "worker": 2,
        "strategy": {"name": "parameter_server", "placement": "split", "min_shard_bytes": 8},
    },
    "ps-async": {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}},
    "all-reduce": {"worker": 2, "strategy": "all_reduce"},
    "in-graph": {
        "worker": 3,
        "strategy": "in_graph",
        "placement": [
            {"name": "w1", "device": "/job:worker/task:1"},
            {"name": "w2", "device": "/job:worker/task:2"},
        ],
    },
    "mirrored": {"worker": 2, "strategy": "mirrored"},
}


def served(box, strategy="ps-split", text=lambda model: model):
    """Its plan; x.npy is what it can be fed."""
    box.write("served.mlir", text(MLP.read_text() + PREDICT))
    write(box / "x.npy", "<f4", (10, 20), [i % 7 / 7 for i in range(200)])
    return box.compile(strategy, STRATEGIES[strategy], "served.mlir")
