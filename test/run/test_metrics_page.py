"""The models of docs/metrics.md: what they report, against its definition."""

import math
import re

import pytest
from box import ROOT
from formats import read

PAGE = (ROOT / "docs/metrics.md").read_text()


def block(name):
    return re.search(rf"^```\w+ {name}\n(.*?)^```", PAGE, re.S | re.M)[1]


def rowsOf(elements, size):
    return [elements[at : at + size] for at in range(0, len(elements), size)]


def products(row, w, columns):
    return [sum(x * w[i * columns + j] for i, x in enumerate(row)) for j in range(columns)]


def test_validation_loss(box):
    """The mean over all samples, without the padding of the last batch."""
    seen = """\
  graph.return %x, %y : tensor<32x8xf32>, tensor<32xi32>
}
"""
    head, evaluation = block("model.mlir").split("graph.func @eval_step() -> ()")
    results = '(tensor<32x8xf32> {graph.name = "x"}, tensor<32xi32> {graph.name = "y"})'
    body = evaluation.replace("  graph.return\n}\n", seen)
    box.write("model.mlir", f"{head}graph.func @eval_step() -> {results}{body}")
    box.graphc("model.mlir", "-o", "model.plan")
    run = "--checkpoint_dir", "run1"
    box.graphrun("model.plan", "--steps", 5, *run, "--dump_variables", "end")
    fetches = "--fetch=x=x.npy", "--fetch=y=y.npy"
    shown = box.graphrun("model.plan", "--entry", "eval", *run, *fetches).out.matches(
        r"validation_loss ([\d.]+)  \(200 samples\)"
    )
    w, labels = list(read(box / "end/w.npy")[1]), list(read(box / "y.npy")[1])
    losses = []
    for row, label in zip(rowsOf(list(read(box / "x.npy")[1]), 8), labels, strict=True):
        logits = products(row, w, 4)
        losses.append(math.log(sum(map(math.exp, logits))) - logits[label])
    assert len(losses) == 200
    assert [float(value) for value in shown] == pytest.approx([sum(losses) / 200], rel=1e-5)


def trained(box, name, model, *where):
    """w and the count after five steps."""
    box.write(f"{name}.mlir", model)
    box.graphc(*where, f"{name}.mlir", "-o", f"{name}.plan")
    box.graphrun(f"{name}.plan", "--steps", 5, "--dump_variables", name)
    return [list(read(box / f"{name}/{variable}.npy")[1]) for variable in ("w", "seen")]


@pytest.mark.parametrize("strategy", ["parameter_server", "all_reduce"])
def test_mean_of_real_samples(box, strategy):
    """Two workers learn what one device learns of both batches. With their own numbers they do
    not."""
    model = block("tokens.mlir")
    servers = {"ps": 1} if strategy == "parameter_server" else {}
    box.write("two.json", {"worker": 2, **servers, "strategy": strategy})
    where = "--partition", "two.json"
    two, seen = trained(box, "two", model, *where)
    large = model.replace("batch = 32", "batch = 64").replace("<32x", "<64x")
    whole, seenByOne = trained(box, "large", large)
    assert seen == seenByOne and seen[0] > 150
    assert two == pytest.approx(whole, abs=1e-6)
    byOwn = model.replace("divide %negative, %mean", "divide %negative, %own")
    own, _ = trained(box, "own", byOwn, *where)
    assert max(abs(a - b) for a, b in zip(own, whole, strict=True)) > 1e-5


def test_auc(box):
    """The metric, and what follows from the fetched scores."""
    box.write("auc.mlir", block("auc.mlir"))
    box.graphc("auc.mlir", "-o", "auc.plan")
    box.graphrun("auc.plan", "--steps", 10, "--checkpoint_dir", "run1")
    fetches = "--fetch=score=score.npy", "--fetch=label=label.npy"
    shown = box.graphrun("auc.plan", "--entry=eval", "--checkpoint_dir=run1", *fetches).out.matches(
        r"auc ([\d.]+)"
    )
    samples = list(zip(read(box / "score.npy")[1], read(box / "label.npy")[1], strict=True))
    positive = [score for score, label in samples if label == 1]
    negative = [score for score, label in samples if label == 0]
    above = sum(p > n for p in positive for n in negative)
    assert len(samples) == 200 and len(positive) > 50 < len(negative)
    assert [float(value) for value in shown] == pytest.approx(
        [above / len(positive) / len(negative)], rel=1e-5
    )
