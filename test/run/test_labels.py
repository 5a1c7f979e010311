"""Labels that are none of the loss's classes end the run, by name of data set, file, sample, label
and classes."""

import re

import pytest
from box import MODELS
from formats import samples

IDX = (MODELS / "idx.mlir").read_text()
EVALUATION = """
graph.dataset @test : (tensor<6xf32>, tensor<i32>) = #graph.idx<files = ["images", "labels"], scale = 0.125>
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y = graph.next_batch @test {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %p = graph.log_softmax %l : tensor<4x3xf32>
  %loss = graph.nll_loss %p, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  graph.metric "loss", %loss : tensor<f32>
  graph.return
}
"""
# Whose training takes labels of its own, and only the evaluation those of the file.
FILES = IDX.replace('.gz"', '"')
CONSTANT = re.sub(
    r"^(.*@train_step.*)$",
    r"\1\n  %none = graph.constant dense<0> : tensor<4xi32>",
    FILES,
    flags=re.M,
).replace(
    "%y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>",
    "%none : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>",
)
GOOD = [i % 3 for i in range(60)]


@pytest.fixture(autouse=True)
def data(box, cache):
    """Labels that are classes; one that is none; twenty."""
    for folder, labels in (
        ("good", GOOD),
        ("one", GOOD[:41] + [3] + GOOD[42:]),
        ("many", [label + 1 for label in GOOD]),
    ):
        samples(box / folder, 60, labels)
    box.write("both.mlir", FILES + EVALUATION)


@pytest.mark.parametrize("where", ["two", "one"])
def test_training(box, where):
    """Those of a file before the first step."""
    plan = (
        box.servers("two", 2, 1, model="both.mlir")
        if where == "two"
        else box.oneDevice("one", 2, "both.mlir")
    )
    box.graphrun(plan, "--steps", 20, "--data_dir", "good")
    for pattern, folder in (
        (
            "^graphrun: .*data set train: 1 of the 60 numbers in one/labels is none of 0 to 2, the classes of a loss or the rows of a table that takes them: it is 3, "
            "of sample 41; correct",
            "one",
        ),
        (
            "data set train: 20 of the 60 numbers in many/labels are none of 0 to 2, .*: the first is 3, of sample 2;",
            "many",
        ),
    ):
        box.refused(pattern, plan, "--steps", 20, "--data_dir", folder, status=1).never(
            "step [1-9]"
        )


def test_evaluation(box):
    """Alike."""
    assert "%none" in CONSTANT
    box.write("eval.mlir", CONSTANT + EVALUATION)
    box.refused(
        "data set test: 1 of the 60 numbers in one/labels is none of",
        box.oneDevice("eval", 1, "eval.mlir"),
        "--steps",
        20,
        "--data_dir",
        "one",
        status=1,
    )


def test_check(box):
    """graphrun check finds them as well, of both data sets."""
    plan = box.servers("two", 2, 1, model="both.mlir")
    box.graphrun("check", plan, "--data_dir", "many", status=1).expect(
        "data set train: 20 of the 60 numbers in many/labels",
        "data set test: 20 of the 60 numbers in many/labels",
    )
    box.graphrun("check", plan, "--data_dir", "good")


def test_of_no_file(box):
    """Below 4 where the loss has 3 classes: of 8 samples sample 6 alone has 3, and is in the second
    worker's batch, where it is found."""
    text = re.sub(
        "#graph.idx<[^>]*>", "#graph.synthetic<samples = 8, seed = 4, limits = [0, 4]>", IDX
    ).replace("{shuffle = true, seed = 3}", "")
    box.write("synthetic.mlir", text)
    stray = "data set train: 1 of the 4 numbers in one batch is none of 0 to 2, .*: it is 3, of sample 6;"
    box.refused(
        f"^graphrun: /job:worker/task:1 .*{stray}",
        box.servers("two", 2, 1, model="synthetic.mlir"),
        "--steps",
        20,
        status=1,
    )
    alone = box.oneDevice("alone", 1, "synthetic.mlir")
    box.graphrun(alone, "--steps", 1)
    box.refused(f"^graphrun: {stray}", alone, "--steps", 20, status=1)
