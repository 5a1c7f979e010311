"""Several graph.next_batch of one data set in a function: each takes the next samples."""

import formats
from box import MODELS, same
from formats import seal

MODEL = MODELS / "shared-samples.mlir"


def taken(box, body, results, cluster=None, steps=2):
    """What is printed of the results, (value, type, name), in so many steps of a model that takes
    the samples 0 to 6, without shuffling."""
    formats.write(box / "numbers.npy", "<f4", [7], range(7))
    returned = ", ".join(value for value, _, _ in results)
    types = ", ".join(type for _, type, _ in results)
    named = ", ".join(f'{type} {{graph.name = "{name}"}}' for _, type, name in results)
    box.write(
        "numbers.mlir",
        f"""
graph.variable @w : tensor<f32> = #graph.zeros
graph.dataset @train : (tensor<f32>) = #graph.npy<files = ["numbers.npy"]>
graph.func private @two() -> tensor<2xf32> {{
  %x = graph.next_batch @train {{batch = 2}} : tensor<2xf32>
  graph.return %x : tensor<2xf32>
}}
graph.func @step() -> ({named}) attributes {{role = #graph.role<train>}} {{
{body}
  %w = graph.read @w : tensor<f32>
  %s = graph.multiply %w, %w : tensor<f32>
  graph.minimize %s {{optimizer = #graph.sgd<learning_rate = 1.0>}} : tensor<f32>
  graph.return {returned} : {types}
}}
""",
    )
    plan = box.compile("numbers", cluster or {"worker": 1}, box / "numbers.mlir")
    fetches = [flag for _, _, name in results for flag in ("--fetch", name)]
    run = box.graphrun(plan, "--steps", steps, "--data_dir", ".", *fetches)
    return plan.err, run.out.lines()


def test_in_order_of_execution(box):
    """Two calls of a function and an op of another batch size between them, over the end of an
    epoch that 5 samples a step do not divide; one remark says so."""
    remarks, printed = taken(
        box,
        """  %a = graph.call @two() : () -> tensor<2xf32>
  %b = graph.next_batch @train {batch = 1} : tensor<1xf32>
  %c = graph.call @two() : () -> tensor<2xf32>""",
        [("%a", "tensor<2xf32>", "a"), ("%b", "tensor<1xf32>", "b"), ("%c", "tensor<2xf32>", "c")],
    )
    assert printed == "a [0 1]|b [2]|c [3 4]|a [5 6]|b [0]|c [1 2]".split("|")
    assert len(remarks.matches("remark: the 3 graph.next_batch of @train in @step share")) == 1
    remarks.expect("so one micro-batch takes 5 samples")


def test_a_mask_beside_none(box):
    """A padded op and one without a mask: the epoch ends for both after 2 steps of 4 samples; the
    op without a mask takes the missing sample from the next epoch, which takes it again."""
    _, printed = taken(
        box,
        """  %a, %valid = graph.next_batch @train {batch = 2, pad_last} : tensor<2xf32>, tensor<2xi1>
  %b = graph.call @two() : () -> tensor<2xf32>""",
        [("%a", "tensor<2xf32>", "a"), ("%valid", "tensor<2xi1>", "v"), ("%b", "tensor<2xf32>", "b")],
        steps=3,
    )
    assert printed == (
        "a [0 1]|v [true true]|b [2 3]|a [4 5]|v [true true]|b [6 0]|a [0 1]|v [true true]|b [2 3]"
    ).split("|")


def test_what_is_summed_over_replicas(box):
    """Means over two replicas, each of which takes 3 samples of one op and 1 of another a step."""
    _, printed = taken(
        box,
        """  %x = graph.next_batch @train {batch = 3} : tensor<3xf32>
  %a = graph.reduce_sum %x dimensions = [0] : (tensor<3xf32>) -> tensor<f32>
  %y = graph.next_batch @train {batch = 1} : tensor<1xf32>
  %b = graph.reduce_sum %y dimensions = [0] : (tensor<1xf32>) -> tensor<f32>""",
        [("%a", "tensor<f32>", "a"), ("%b", "tensor<f32>", "b")],
        cluster={"worker": 2, "strategy": "all_reduce"},
        steps=1,
    )
    # 0 1 2 and 4 5 6; 3 and 0
    assert printed == ["a 9", "b 1.5"]


def test_in_pieces(box):
    """7 steps at once and 2, 3 and 2 of them, under three strategies: the same weights. The
    checkpoint has one position, in samples of all ops together."""
    one = box.oneDevice("one", 2, MODEL)
    two = box.compile("mirrored", {"worker": 2, "strategy": "mirrored"}, MODEL)
    for plan, steps in (box.servers("ps", 2, 1, model=MODEL), 2), (two, 5):
        box.graphrun(plan, "--steps", steps, "--checkpoint_dir", "pieces")
    box.file("pieces/step-5/manifest.json").expect(
        f'"data_position": \\{{"train_step @train": {5 * 2 * 16}\\}}'
    )
    same(
        box.weights(one, "--steps", 7),
        box.weights(one, "--steps", 7, "--checkpoint_dir", "pieces"),
    )


def test_position_of_an_earlier_version(box):
    """There each op took the same samples: the position is refused, with the reason and the remedy,
    and the values are not."""
    plan = box.compile("one", {"worker": 1}, MODEL)
    box.graphrun(plan, "--steps", 3, "--checkpoint_dir", "old")
    seal(
        box / "old/step-3/manifest.json",
        lambda text: text.replace('"train_step @train": 48', '"train_step": 12'),
    )
    box.refused(
        "the checkpoint was written by an earlier version of graphrun, in which each "
        "graph.next_batch of a data set took the same samples; now the graph.next_batch ops of "
        "@train in train_step "
        "share its samples.*--init_from",
        plan,
        "--steps",
        5,
        "--checkpoint_dir",
        "old",
        status=1,
    )
    box.graphrun(plan, "--steps", 2, "--init_from", "old")
    # 3 steps of then may not be the epochs of now
    box.refused(
        "the checkpoint was written by an earlier version",
        plan,
        "--epochs",
        0.1,
        "--checkpoint_dir",
        "old",
        status=1,
    )
    # a training that is over needs no position
    box.graphrun(plan, "--steps", 3, "--checkpoint_dir", "old").err.expect(
        "nothing to train: the run is at step 3 and 3 were asked for"
    )


SUMS = """
graph.dataset @test : (tensor<f32>) = #graph.npy<files = ["numbers.npy"]>
graph.func @eval_step() -> (tensor<f32> {graph.name = "a"}, tensor<f32> {graph.name = "b"}) attributes {role = #graph.role<eval>} {
  %x, %v = graph.next_batch @test {batch = 2, pad_last} : tensor<2xf32>, tensor<2xi1>
  %y, %u = graph.next_batch @test {batch = 3, pad_last} : tensor<3xf32>, tensor<3xi1>
  graph.metric "first", %x, %v : tensor<2xf32>, tensor<2xi1>
  graph.metric "second", %y, %u : tensor<3xf32>, tensor<3xi1>
  %a = graph.reduce_sum %x dimensions = [0] : (tensor<2xf32>) -> tensor<f32>
  %b = graph.reduce_sum %y dimensions = [0] : (tensor<3xf32>) -> tensor<f32>
  graph.return %a, %b : tensor<f32>, tensor<f32>
}
"""


def test_rows_of_several(box):
    """A row of a result cannot be matched with a sample where several ops share the samples."""
    formats.write(box / "numbers.npy", "<f4", [7], range(7))
    box.write(
        "sums.mlir",
        SUMS.replace("-> (", '-> (tensor<2xf32> {graph.name = "x"}, ', 1).replace(
            "return %a, %b : ", "return %x, %a, %b : tensor<2xf32>, "
        ),
    )
    plan = box.compile("sums", {"worker": 1}, box / "sums.mlir")
    box.refused(
        "--fetch x=x.npy: several graph.next_batch ops of eval_step share the samples of a data set, so the "
        "rows of x cannot be matched with samples; take all samples with one graph.next_batch, or print each "
        "step's value with --fetch x",
        plan,
        "--entry",
        "eval",
        "--data_dir",
        ".",
        "--fetch",
        "x=x.npy",
    )
    box.graphrun(plan, "--entry", "eval", "--data_dir", ".", "--fetch", "a=a.npy")
    assert list(formats.read(box / "a.npy")[1]) == [1, 11]  # a value a step


def test_masks_of_several(box):
    """An evaluation with two padded ops takes each of its 7 samples once: 2 + 3, then 2 + 0."""
    formats.write(box / "numbers.npy", "<f4", [7], range(7))
    box.write("sums.mlir", SUMS)
    plan = box.compile("sums", {"worker": 1}, box / "sums.mlir")
    run = box.graphrun(plan, "--entry", "eval", "--data_dir", ".", "--fetch", "a", "--fetch", "b")
    # sums of a metric by element, of samples 0 1 5 6 and 2 3 4
    assert run.out.lines() == (
        "a 1|b 9|a 11|b 0|test first 3  (4 samples)|test second 3  (3 samples)".split("|")
    )
