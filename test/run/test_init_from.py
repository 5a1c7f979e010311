"""--init_from: a training begins with what another one's checkpoint has of its variables."""

import zipfile

import pytest
from box import MLP, same
from formats import read, savedValues, write


@pytest.fixture
def first(box):
    box.graphrun(box.oneDevice("first", 2), "--steps", 20, "--checkpoint_dir", "first")
    return savedValues(box / "first/step-20")


@pytest.fixture
def another(box):
    """Of six classes instead of four, by Adam, with moving averages."""
    text = MLP.read_text().replace(
        "momentum<learning_rate = 0.05, momentum = 0.9>}",
        "adam<learning_rate = 0.01>, moving_average = 0.9}",
    )
    for old in "64x4x", "8x4x", "10x4x", "tensor<4x":
        text = text.replace(old, old.replace("4x", "6x") if old[0] != "6" else "64x6x")
    return box.write("another.mlir", text)


def values(folder, name):
    return read(folder / f"{name}.npy")[1].tobytes()


def test_another_head(box, first, another):
    """What fits in name and type, and the averages of that; with the rest, slots and steps training
    begins anew."""
    plan = box.oneDevice("another", 2, another)
    nothing = "--steps", 0, "--dump_variables"
    box.graphrun(plan, *nothing, "own")
    run = box.graphrun(plan, *nothing, "begun", "--init_from", "first")
    run.err.expect(
        r"^beginning with 4 variables of first/step-20; with values of their own begin w2 \(tensor<64x4xf32> there, tensor<64x6xf32> in the plan\), "
        r"w2/ExponentialMovingAverage \(tensor<64x4xf32> there, .*\), b2 \(.*\), b2/ExponentialMovingAverage \(.*\)$"
    )
    for name in "w1", "b1":
        assert values(box / "begun", name) == first[name] != values(box / "own", name)
        assert values(box / "begun", f"{name}.ExponentialMovingAverage") == first[name]
    for name in "w2", "b2", "w2.ExponentialMovingAverage", "w1.Adam.m", "w1.Adam.v", "global_step":
        assert values(box / "begun", name) == values(box / "own", name)


def test_strategies(box, first, another):
    """Whatever strategy the checkpoint was written by, and whichever begins from it: the bits of
    one device."""
    box.graphrun(box.servers("written", 2, 2), "--steps", 20, "--checkpoint_dir", "servers")
    one = box.oneDevice("one", 2, another)
    box.graphrun(one, "--steps", 9, "--init_from", "first", "--dump_variables", "alone")
    for name, plan in (
        ("servers", box.servers("two", 2, 2, "sync", another)),
        ("all_reduce", box.compile("ring", {"worker": 2, "strategy": "all_reduce"}, another)),
    ):
        for source in "first/step-20", "servers":
            run = box.graphrun(
                plan,
                "--steps",
                9,
                "--init_from",
                source,
                "--dump_variables",
                f"{name}-{source[:5]}",
            )
            run.err.expect("beginning with 4 variables of ")
            same(box / "alone", box / f"{name}-{source[:5]}")


def test_goes_on(box, first, another):
    """Where its own checkpoints are, a run goes on from those."""
    plan = box.oneDevice("another", 2, another)
    flags = "--init_from", "first", "--checkpoint_dir", "own", "--dump_variables", "end"
    box.graphrun(plan, "--steps", 5, *flags).err.expect("beginning with 4 variables")
    run = box.graphrun(plan, "--steps", 9, *flags)
    run.err.expect("going on from own/step-5")
    run.err.never("beginning with")
    box.graphrun(plan, "--steps", 9, "--init_from", "first", "--dump_variables", "whole")
    same(box / "whole", box / "end")


def test_refused(box, first):
    plan = box.oneDevice("mlp", 2)
    box.refused(
        "^graphrun: --init_from and --checkpoint_dir both give the variables of --entry eval; give one of them",
        plan,
        "--entry",
        "eval",
        "--init_from",
        "first",
        "--checkpoint_dir",
        "first",
    )
    box.graphrun("check", plan, "--init_from", "first").expect(
        "^ok +--init_from: the run begins with variables of first/step-20: 4; with values of their own: 0$"
    )
    box.graphrun("check", plan, "--init_from", "nowhere", status=1).expect(
        "^wrong +--init_from nowhere: there is no checkpoint that is whole$"
    )
    box.refused(
        "--init_from nowhere: there is no checkpoint that is whole",
        plan,
        "--steps",
        1,
        "--init_from",
        "nowhere",
        status=1,
    )
    other = box.write("other.mlir", MLP.read_text().replace("@w", "@v").replace("@b", "@c"))
    box.refused(
        r"--init_from first: checkpoint first/step-20 has no variable of the model by name and type; it has b1, .*, the model v1 \(not there\), ",
        box.oneDevice("other", 2, other),
        "--steps",
        1,
        "--init_from",
        "first",
        status=1,
    )
    shard = box / "first/step-20/worker-0.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1])
    box.refused(
        "--init_from first/step-20: .*the manifest promises",
        plan,
        "--steps",
        1,
        "--init_from",
        "first/step-20",
        status=1,
    )


# Variables without values of their own; no function trains.
ALONE = """
graph.variable @w : tensor<3x2xf32> = #graph.uninitialized
graph.variable @b : tensor<2xf32> = #graph.zeros
graph.dataset @test : (tensor<3xf32>) = #graph.synthetic<samples = 10, seed = 7>
graph.func @FUNCTION() -> (tensor<4x2xf32> {graph.name = "y"}) attributes {role = #graph.role<ROLE>} {
  %x, %valid = graph.next_batch @test {batch = 4, pad_last} : tensor<4x3xf32>, tensor<4xi1>
  %w = graph.read @w : tensor<3x2xf32>
  %b = graph.read @b : tensor<2xf32>
  %xw = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %y = graph.bias_add %xw, %b : tensor<4x2xf32>, tensor<2xf32>
  %row = graph.reduce_sum %y dimensions = [1] : (tensor<4x2xf32>) -> tensor<4xf32>
  METRIC
  graph.return %y : tensor<4x2xf32>
}
"""


def alone(box, role, cluster):
    metric = 'graph.metric "row", %row, %valid : tensor<4xf32>, tensor<4xi1>' * (role == "eval")
    text = ALONE.replace("FUNCTION", f"{role}_step").replace("ROLE", role).replace("METRIC", metric)
    box.write("alone.mlir", text)
    write(box / "w.npy", "<f4", (3, 2), [1, 2, 3, 4, 5, 6])
    write(box / "b.npy", "<f4", (2,), [10, 20])
    with zipfile.ZipFile(box / "values.npz", "w") as archive:
        for name in "w.npy", "b.npy":
            archive.writestr(name, (box / name).read_bytes())
    return box.compile("alone", cluster, "alone.mlir")


CLUSTERS = {
    "one": {"worker": 1},
    "all-reduce": {"worker": 3, "strategy": "all_reduce"},
    "ps": {"worker": 2, "ps": 2, "strategy": "parameter_server"},
}


@pytest.mark.parametrize("strategy", CLUSTERS)
def test_evaluation_without_training(box, strategy):
    """A model that has no train function evaluates values of a file, under any strategy."""
    plan = alone(box, "eval", CLUSTERS[strategy])
    # the rows' means with w and without b, which differ by its sum
    run = box.graphrun(plan, "--entry", "eval", "--init_from", "values.npz")
    run.err.expect("beginning with 2 variables of values.npz")
    run.err.never("the model is untrained")
    with_b = float(run.out.matches(r"^test row ([-0-9.]+) ")[0])
    with zipfile.ZipFile(box / "w.npz", "w") as archive:
        archive.writestr("w.npy", (box / "w.npy").read_bytes())
    run = box.graphrun(plan, "--entry", "eval", "--init_from", "w.npz")
    run.err.expect("beginning with 1 variable of w.npz; with values of their own begin b")
    assert with_b - float(run.out.matches(r"^test row ([-0-9.]+) ")[0]) == pytest.approx(30, 1e-4)
    box.refused(
        r"a variable has no values to begin with \(#graph.uninitialized\): w of .*; a run takes them with --init_from",
        plan,
        "--entry",
        "eval",
        status=1,
    )


def test_predictions_from_a_file(box):
    """So does a model that predicts alone; the bits are those of the values."""
    plan = alone(box, "predict", CLUSTERS["one"])
    box.graphrun(plan, "--entry", "predict", "--init_from", "values.npz", "--fetch", "y=y.npy")
    assert len(read(box / "y.npy")[1]) == 10 * 2
    box.graphrun("check", plan, "--entry", "predict", "--init_from", "values.npz").expect(
        "^ok +--init_from: the run begins with variables of values.npz: 2"
    )


def test_evaluates_another_checkpoint(box, first):
    """Of a checkpoint: what --entry eval --checkpoint_dir gives, its variables and no more."""
    plan = box.oneDevice("mlp", 2)
    own = box.graphrun(plan, "--entry", "eval", "--checkpoint_dir", "first").out.text()
    run = box.graphrun(plan, "--entry", "eval", "--init_from", "first/step-20")
    assert run.out.text() == own
    run.err.expect("beginning with [0-9]+ variables of first/step-20")
    run.err.never("the model is untrained")
