"""The text of each stage is accepted again: every example and every model of the benchmarks, taken
from one stage's text to the next one's, ends in the plan that graphc makes in one go."""

import pytest
from box import LONG, ROOT

STAGES = "graph differentiated placed replicated partitioned outlined scheduled linalg llvm".split()
STRATEGIES = {
    "all_reduce": {"worker": 3, "strategy": "all_reduce"},
    "in_graph": {"worker": 2, "strategy": "in_graph"},
    "mirrored": {"worker": 4, "strategy": "mirrored"},
    "servers": {"ps": 2, "worker": 3, "strategy": "parameter_server"},
    "async": {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}},
}
VIEWS = """
graph.variable @a : tensor<12xi32> = #graph.zeros {trainable = false}
graph.variable @sum : tensor<i32> = #graph.zeros {trainable = false}
graph.variable @arg : tensor<4xi32> = #graph.zeros {trainable = false}
graph.func @train_step() -> () attributes {role = #graph.role<train>} {
  %x = graph.read @a : tensor<12xi32>
  %s = graph.reduce_sum %x dimensions = [0] : (tensor<12xi32>) -> tensor<i32>
  graph.assign @sum, %s : tensor<i32>
  %m = graph.reshape %x : (tensor<12xi32>) -> tensor<3x4xi32>
  %i = graph.argmax %m dimension = 0 : (tensor<3x4xi32>) -> tensor<4xi32>
  graph.assign @arg, %i : tensor<4xi32>
  graph.return
}
"""


def examples():
    """(cluster file, what graphc is given beside it, as the example's page has it): the first
    cluster of each example, with --long all."""
    for folder in sorted((ROOT / "examples").iterdir()):
        clusters = sorted(folder.glob("cluster*.json"))
        for cluster in clusters if LONG else clusters[:1]:
            for name, models in modelsOf(folder):
                yield pytest.param(cluster, models, id=f"{name}/{cluster.name}")


def modelsOf(folder):
    """(name, files and flags); an example may import the same network from several frameworks."""
    if not (folder / "train.mlir").exists():
        own = folder / "model.mlir"
        yield folder.name, [own if own.exists() else ROOT / "examples/fashion-mnist/model.mlir"]
        return
    for loss in sorted(folder.rglob("loss.mlir")):
        flags = ["--import_variables=params,buffers"] if "torch" in str(loss.parent) else []
        yield (
            str(loss.parent.relative_to(ROOT / "examples")),
            [folder / "train.mlir", loss, loss.parent / "logits.mlir", *flags],
        )


def compileByStages(box, cluster, models):
    where = [] if cluster is None else ["--partition", cluster]
    box.graphc(*where, *models, "-o", "direct.plan")
    name = models[0].stem  # a plan has its model's name
    last = models
    for stage in STAGES:
        (box / stage).mkdir()
        text = f"{stage}/{name}.mlir"
        # the text of stage placed and those behind it have the cluster
        given = where if stage in ("graph", "differentiated", "placed") else []
        box.graphc(*given, *last, f"--emit={stage}", "--mlir-print-debuginfo", "-o", text)
        last = [text]
    box.graphc(*last, "-o", "by-stages.plan")
    assert (box / "by-stages.plan").read_bytes() == (box / "direct.plan").read_bytes()


@pytest.mark.parametrize("cluster, models", examples())
def test_example(box, cluster, models):
    compileByStages(box, cluster, models)


@pytest.mark.parametrize("strategy", STRATEGIES if LONG else ["servers"])
@pytest.mark.parametrize(
    "model", sorted((ROOT / "test/bench/models").glob("*.mlir")), ids=lambda path: path.stem
)
def test_benchmark(box, model, strategy):
    box.write("cluster.json", STRATEGIES[strategy])
    compileByStages(box, "cluster.json", [model])


@pytest.mark.parametrize("kind", ["i32", "f32", "f64"])
def test_views(box, kind):
    """A kernel that reads the same memory by two of its arguments."""
    box.write("views.mlir", VIEWS.replace("tensor<12xi32>", f"tensor<12x{kind}>").replace(
        "tensor<3x4xi32>", f"tensor<3x4x{kind}>"
    ).replace("tensor<i32>", f"tensor<{kind}>"))
    compileByStages(box, None, [box / "views.mlir"])
