"""How a training ends and what it says meanwhile: flags of MonitoredTrainingSession; and a program
whose hook takes part in each step."""

import math
import os
import shutil

import formats
import pytest
from box import FOREVER, LONG, ROOT, same, servers
from test_install import build
from test_mirrored import CLUSTERS

LINEAR = ROOT / "examples/linear-regression/model.mlir"
STRATEGIES = {
    "servers": {"ps": 1, "worker": 2, "strategy": "parameter_server"},
    "async": {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}},
    "all-reduce": {"worker": 2, "strategy": "all_reduce"},
    "one": {"worker": 1},
}


def checkpoints(folder):
    return sorted(
        (int(name.removeprefix("step-")) for name in os.listdir(folder) if name.startswith("step-"))
    )


@pytest.fixture(params=STRATEGIES if LONG else ["servers", "async"])
def diverging(box, request):
    """A plan whose loss is 400, and grows 3,481 times with each step, to infinity behind some
    eleven."""
    box.write(
        "diverging.mlir", LINEAR.read_text().replace("learning_rate = 0.01", "learning_rate = 1.0")
    )
    return box.compile(request.param, STRATEGIES[request.param], "diverging.mlir")


def test_nan_stop(box, diverging):
    """Training ends in good order where the loss is no number; the last good checkpoint stays the
    newest, and nothing is dumped."""
    run = box.graphrun(
        diverging,
        "--steps",
        FOREVER,
        "--nan",
        "stop",
        "--checkpoint_dir",
        "dir",
        "--save_checkpoint_steps",
        4,
        "--keep_checkpoint_max",
        0,
        "--dump_variables",
        "dumped",
    )
    run.err.expect(
        r"training ends at step [0-9]+ of 100000000: loss is infinite at step [0-9]+ on /job:worker/task:[01] .*; "
        r"--nan stop: nothing is saved behind the last checkpoint, dir/step-"
    )
    saved = checkpoints(box / "dir")
    assert saved and saved == list(range(4, saved[-1] + 1, 4))
    run.err.expect(f"the last checkpoint, dir/step-{saved[-1]}$")
    assert not os.listdir(box / "dumped")
    again = box.launch(diverging, "--steps", saved[-1] + 1, "--checkpoint_dir", "dir")
    # Asynchronous: the next loss may be the one that is no number.
    again.ends((0, 1) if "async" in str(diverging) else 0)
    again.err.expect(f"going on from dir/step-{saved[-1]}$")


SUM = """
graph.variable @w : tensor<4x1xf32> = #graph.glorot_uniform<seed = 3>
graph.dataset @train : (tensor<4xf32>, tensor<f32>) = #graph.npy<files = ["x.npy", "y.npy"]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x4xf32>, tensor<4xf32>
  %w = graph.read @w : tensor<4x1xf32>
  %o = graph.matmul %x, %w : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %r = graph.reshape %o : (tensor<4x1xf32>) -> tensor<4xf32>
  %d = graph.subtract %r, %y : tensor<4xf32>
  %q = graph.multiply %d, %d : tensor<4xf32>
  %loss = graph.reduce_mean %q dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""


@pytest.mark.parametrize("cluster", [servers(2, 1), {"worker": 2, "strategy": "all_reduce"}])
@pytest.mark.parametrize("sample, step, worker", [(13, 2, 1), (1, 1, 0), (20, 3, 1)])
def test_nan_names_the_first(box, cluster, sample, step, worker):
    """Both ways name the worker whose sample has the NaN, and its step: not one that met it later
    in the weights. A step takes four samples of each of two workers, and steps count from 1."""
    x = [float("nan") if i // 4 == sample else math.sin(i) for i in range(48 * 4)]
    formats.write(box / "x.npy", "<f4", (48, 4), x)
    formats.write(box / "y.npy", "<f4", (48,), [1.0] * 48)
    box.write("sum.mlir", SUM)
    plan = box.compile("sum", cluster, "sum.mlir")
    for flags, status in (["--nan", "stop"], 0), (["--nan", "raise"], 1):
        run = box.graphrun(plan, "--data_dir", box.folder, "--steps", 6, *flags, status=status)
        run.err.expect(f"loss is NaN at step {step} on /job:worker/task:{worker} ")


def test_nan_raise(box, diverging):
    """The same loss is an error, by default too, and one that no restart would mend."""
    for flags in [], ["--nan", "raise"]:
        run = box.graphrun(diverging, "--steps", FOREVER, *flags, status=1)
        run.err.expect("^graphrun: .*loss is infinite at step [0-9]+ .*try a smaller learning rate")
    run = box.graphrun(
        diverging, "--steps", FOREVER, "--checkpoint_dir", "again", "--max_restarts", 3, status=1
    )
    run.err.expect("loss is infinite at step [0-9]+ .*", "no restart: the same would happen again")
    run.err.never("restart 1 of")
    run = box.graphrun(diverging, "--steps", FOREVER, "--nan=stop")
    run.err.expect("--nan stop: nothing is saved, and no checkpoint was saved before")


def test_early_stop(box, two):
    """Training ends behind the evaluations that were no better, and says where the best checkpoint
    is, which stays."""
    run = box.graphrun(
        two,
        "--epochs",
        1000,
        "--eval_every_epochs",
        1,
        "--early_stop",
        "accuracy:6",
        "--checkpoint_dir",
        "dir",
        "--keep_checkpoint_max",
        2,
        "--stats",
        "stats.json",
    )
    run.err.expect(
        r"training ends at step [0-9]+ of [0-9]+: accuracy has not become better in 6 evaluations, since 0\.[0-9]+ at step [0-9]+; "
        r"the best checkpoint is dir/step-[0-9]+$"
    )
    words = run.err.matches("training ends at step.*")[0].split()
    last, best = int(words[words.index("step") + 1]), int(words[-1].rpartition("-")[2])
    saved = checkpoints(box / "dir")
    assert len(saved) == 3 and saved[0] == best and saved[-1] == last, (saved, best, last)
    run.out.expect("^test accuracy 0")
    box.refused(
        "--early_stop acuracy: the evaluation has no metric of this name; did you mean \"accuracy\"",
        two,
        "--early_stop",
        "acuracy:3:max",
        "--eval_every_epochs",
        1,
    )


def test_early_stop_goes_on(box, two):
    """In pieces, one of which ends by a signal: training ends where it does in one, and its best
    checkpoint is there. Behind that nothing is trained any more, by the same flag; a run from the
    beginning counts anew."""
    flags = "--eval_every_epochs", 1, "--early_stop", "accuracy:6", "--keep_checkpoint_max", 2
    whole = box.graphrun(two, "--epochs", 1000, *flags, "--checkpoint_dir", "whole").err.matches(
        "(training ends at step.*): .*; the best checkpoint is whole/(.*)$"
    )
    ((how, best),) = whole
    last = int(how.split()[4])
    # The first is a step of an evaluation, which that run makes at its end alone.
    for steps in (26, last // 3, last - 13):
        box.graphrun(two, "--steps", steps, *flags, "--checkpoint_dir", "pieces")
    run = box.graphrun(two, "--epochs", 1000, *flags, "--checkpoint_dir", "pieces")
    ((again, kept),) = run.err.matches(
        "(training ends at step.*): .*; the best checkpoint is pieces/(.*)$"
    )
    assert (again.split()[4], kept) == (str(last), best) and (
        box / "pieces" / best / "manifest.json"
    ).exists()
    run = box.graphrun(two, "--epochs", 1000, *flags, "--checkpoint_dir", "pieces")
    run.err.expect(
        rf"training ends at step {last} of [0-9]+: accuracy has not become better in 6 evaluations"
    )
    assert checkpoints(box / "pieces")[-1] == last
    for step in checkpoints(box / "pieces"):
        shutil.rmtree(box / f"pieces/step-{step}")
    run = box.graphrun(two, "--epochs", 2, *flags, "--checkpoint_dir", "pieces")
    run.err.never("training ends")
    assert [one["step"] for one in box.json("pieces/evaluations.json")["evaluations"]] == [13]
    box.write("pieces/evaluations.json", "[")
    run = box.graphrun(two, "--epochs", 3, *flags, "--checkpoint_dir", "pieces")
    run.err.expect("pieces/evaluations.json:1:2: .*; --early_stop compares only evaluations from this step on")


def test_early_stop_of_losses(box, two):
    """What gets better by growing is no improvement under :min."""
    box.graphrun(
        two, "--epochs", 50, "--eval_every_epochs", 1, "--early_stop", "accuracy:1:min"
    ).err.expect("training ends at step")
    assert "the best checkpoint" not in box.last.err.text(), "there are none"


def test_keep_checkpoint_max(box, two):
    box.graphrun(
        two,
        "--steps",
        40,
        "--checkpoint_dir",
        "some",
        "--save_checkpoint_steps",
        5,
        "--keep_checkpoint_max",
        2,
    )
    assert checkpoints(box / "some") == [35, 40]
    box.graphrun(
        two,
        "--stop_at_step",
        40,
        "--checkpoint_dir",
        "all",
        "--save_checkpoint_steps",
        5,
        "--keep_checkpoint_max",
        0,
    )
    assert checkpoints(box / "all") == list(range(5, 41, 5))


def test_log_step_count(box, two):
    """In a pipe a line about every so many steps, and none by the clock."""
    run = box.graphrun(two, "--steps", 6000, "--log_step_count_steps", 2000)
    shown = [
        int(line.split("step ")[1].split("/")[0])
        for line in run.err.matches(r"step [0-9]+/6000 .*steps/s")
    ]
    assert (
        shown == sorted(shown)
        and shown[-1] == 6000
        and 1 <= len(shown) <= 4
        and all(step >= 2000 for step in shown)
    ), shown


@pytest.fixture(scope="module")
def program(shared):
    """examples/session, built against an installed graphc."""
    shared.run(
        "cmake",
        "--install",
        os.environ.get("GRAPHC_BUILD", ROOT / "build/release"),
        "--prefix",
        shared / "graphc",
    )
    build(shared, shared / "graphc", ROOT / "examples/session", "session")
    return shared / "session/session"


def test_own_hook(box, program):
    """Its session ends behind the step in which the hook asks, with the bits that graphrun has
    there: with two towers, whose lanes wait for each other, and ahead of each other, too."""
    for name, cluster in ("one", {"worker": 1}), ("local-2", CLUSTERS["local-2"]):
        plan = box.compile(name, cluster)
        run = box.run(program, plan, "0.9", name)
        made = int(run.out.matches("^([0-9]+) steps$")[0])
        assert 3 < made < 1000 and len(run.out.matches("^step ")) == made
        same(box / name / "weights", box.weights(plan, "--steps", made))
        assert checkpoints(box / name / "checkpoints")[-1] == made
        again = box.run(program, plan, "1e9", name)
        again.out.expect(f"^from step {made}, restored$", f"^{made + 1} steps$")
