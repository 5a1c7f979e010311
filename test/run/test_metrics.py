"""Each metric is shown under its own name with its digits, all of them, those of the training
function too."""

import re

import pytest
from box import MODELS

METRICS = MODELS / "metrics.mlir"


@pytest.fixture
def one(box):
    return box.compile("one", {"worker": 1}, METRICS)


def shown(out, what):
    return out.matches(f"^{what}.*")


def test_shown(box, one):
    """By its own name alone; the last line shows the last evaluation and not the one before, and
    --stats has all of them."""
    run = box.graphrun(one, "--epochs", 3, "--eval_every_epochs", 1, "--stats", "stats.json")
    run.never("accuracy")
    run.out.expect(
        r"^train error 0\.[0-9]{4,7}  \(20 samples\)$",
        r"^test error 0\.[0-9]{4,7}  \(23 samples\)$",
        r"^test reconstruction_mse 0\.[0-9]{4,7}  \(23 samples\)$",
    )
    run.err.expect(
        *(
            rf" epoch {epoch}/3 .*  train error 0\.[0-9]+  error 0\.[0-9]+  reconstruction_mse 0\.[0-9]+"
            for epoch in (1, 2, 3)
        )
    )
    final = box.json("stats.json")["final"]
    printed = {name: float(value) for name, value in run.out.matches(r"^(\S+ \S+) (\S+)  \(")}
    last = [line for line in run.err.lines() if "epoch 3/3" in line][-1]
    for name in "error", "reconstruction_mse":
        assert abs(printed["test " + name] - final[name]) <= 1e-5 * final[name]
        assert f"  {name} {final[name]:.4g}" in last
    assert abs(printed["train error"] - final["train error"]) <= 1e-5 * final["train error"]
    earlier = [line for line in run.err.lines() if "epoch 2/3" in line and "error" in line][-1]
    assert re.findall(r"mse (\S+)", earlier) != re.findall(r"mse (\S+)", last)


def test_of_replicas(box):
    """The same in the mean over all replicas."""
    reference = box.graphrun(box.oneDevice("ref", 2, METRICS), "--steps", 5, "--fetch", "loss").out
    run = box.graphrun(
        box.compile("two", {"worker": 2, "ps": 1, "strategy": "parameter_server"}, METRICS),
        "--steps",
        5,
        "--fetch",
        "loss",
    ).out
    assert shown(run, "test") == shown(reference, "test") != []
    run.expect(r"^train error 0\.[0-9]+  \([0-9]+ samples\)$")


def test_where_no_data_is_read(box, one):
    """They are of the last epoch all the same, and not of all three."""
    old, new = (
        "next_batch @train {batch = 4}",
        'next_batch @train {batch = 4, graph.device = #graph.device<"/job:worker/task:1">}',
    )
    assert old in METRICS.read_text()
    box.write("apart.mlir", METRICS.read_text().replace(old, new))
    apart = box.graphrun(
        box.compile("apart", {"worker": 2, "strategy": "in_graph"}, "apart.mlir"), "--epochs", 3
    ).out
    assert shown(apart, "train") == shown(box.graphrun(one, "--epochs", 3).out, "train") != []


def test_remarks(box, one):
    """Samples that are taken twice, where 23 in batches of 5 are not padded; that nothing was
    trained."""
    kept = re.findall(r"^graph.(?:variable|dataset @test).*", METRICS.read_text(), re.M)
    box.write(
        "plain.mlir",
        "\n".join(kept)
        + """
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x = graph.next_batch @test {batch = 5} : tensor<5xf32>
  graph.metric "mean", %x : tensor<5xf32>
  graph.return
}
""",
    )
    box.graphc("plain.mlir", "-o", "plain.plan")
    box.graphrun("plain.plan", "--entry", "eval").err.expect(
        "eval_step: 2 of the 23 samples of data set test are taken twice, since steps of 5 do not divide it; next_batch with pad_last"
    )
    evaluated = box.graphrun(one, "--entry", "eval").err
    evaluated.never("taken twice")
    evaluated.expect(
        "--entry eval without --checkpoint_dir or --init_from: every variable has its initial value, so the model is untrained"
    )
    box.graphrun(one, "--steps", 2, "--checkpoint_dir", "trained")
    box.graphrun(one, "--entry", "eval", "--checkpoint_dir", "trained").err.never(
        "the model is untrained"
    )
