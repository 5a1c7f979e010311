"""--export_dir: a folder that predicts what the plan predicts from its last checkpoint, without
plan and cluster; whole or not there."""

import fcntl
import json
import os
import shutil
import signal

import pytest
from box import LOST, MODELS
from formats import read
from served import FEED, STRATEGIES, served

TRAIN = ["--steps", 20, "--checkpoint_dir", "ckpt", "--export_dir", "out"]


def exported(box, plan, *arguments):
    run = box.graphrun(plan, *TRAIN, *FEED, *arguments)
    run.err.expect(r"exported ckpt/step-20 to out/[0-9]+; graphrun out/[0-9]+ runs it")
    return run


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_same_predictions(box, strategy):
    """Bit for bit those of the plan from the same checkpoint; on another machine there is nothing
    but the export."""
    plan = served(box, strategy)
    exported(box, plan)
    box.graphrun(
        plan, "--entry", "predict", "--checkpoint_dir", "ckpt", *FEED, "--fetch", "logits=plan.npy"
    )
    os.remove(box / plan)
    shutil.move(box / "out", box / "elsewhere")
    shutil.rmtree(box / "ckpt")
    run = box.graphrun("elsewhere", *FEED, "--fetch", "logits", "--fetch", "logits=export.npy")
    assert (box / "export.npy").read_bytes() == (box / "plan.npy").read_bytes()
    run.out.expect("^logits")
    run.err.never("initial value")
    shard = (box / "elsewhere/1/variables/step-20/variables.safetensors").read_bytes()
    assert b'"w1"' in shard and b"Momentum" not in shard and b"global_step" not in shard
    assert not [
        name
        for _, folders, names in os.walk(box / "elsewhere")
        for name in folders + names
        if "partial" in name or name.startswith(".")
    ]


def test_whole_data_set(box):
    """Predictions of a data set, a row a sample, as the plan gives them."""
    plan = box.compile("two", STRATEGIES["ps-split"], MODELS / "observed.mlir")
    box.graphrun(plan, *TRAIN)
    flags = ["--fetch", "y=y.npy", "--fetch", "class=class.npy"]
    box.graphrun(plan, "--entry", "predict", "--checkpoint_dir", "ckpt", *flags)
    of_plan = [(box / name).read_bytes() for name in ("y.npy", "class.npy")]
    box.graphrun("out", *flags)
    assert [(box / name).read_bytes() for name in ("y.npy", "class.npy")] == of_plan
    assert b"(23, 3)" in of_plan[0][:128]


def test_versions(box):
    """Each export is the next version; the folder means the newest, and each can be named. What a
    killed run has left goes."""
    plan = served(box)
    exported(box, plan)
    box.write("out/7.partial/predict.plan", "cut")
    box.graphrun(plan, "--steps", 30, *TRAIN[2:], *FEED).err.expect(
        "exported ckpt/step-30 to out/2;"
    )
    assert sorted(os.listdir(box / "out")) == ["1", "2"]
    box.graphrun("out", *FEED).err.expect("going on from out/2/variables/step-30")
    box.graphrun("out/1", *FEED).err.expect("going on from out/1/variables/step-20")


def test_another_run_exports(box):
    """Both do, one behind the other."""
    plan = served(box)
    (box / "out").mkdir()
    held = os.open(box / "out", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        run = box.launch(plan, *TRAIN, *FEED)
        run.err.waitFor("another run exports to out; waiting until it has, at most 4m")
    finally:
        os.close(held)
    run.ends()
    run.err.expect("exported ckpt/step-20 to out/1;")


@pytest.mark.parametrize("how", ["stopped", "lost"])
def test_while_another_run_exports(box, how):
    """The wait for it hears a stop, and the loss of a task."""
    plan = box.compile(
        "served", {"worker": 2, "ps": 1, "strategy": "parameter_server"}, MODELS / "observed.mlir"
    )
    (box / "out").mkdir()
    held = os.open(box / "out", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        run = box.launch(plan, "--steps", 20, "--checkpoint_dir", "ckpt", "--export_dir", "out")
        run.err.waitFor("another run exports to out; waiting until it has, at most 4m")
        if how == "stopped":
            run.stop(status=1)
            run.err.expect(
                "^graphrun: stopped behind training, as asked$",
                "--export_dir out: nothing is exported, since the run was stopped",
            )
        else:
            os.kill(run.pidOf("ps-0"), signal.SIGKILL)
            run.ends(LOST)
            run.err.expect(
                "^graphrun: /job:ps/task:0 .* was killed by signal 9",
                "--export_dir out: nothing is exported, since the run failed",
            )
    finally:
        os.close(held)
    assert os.listdir(box / "out") == []


def test_shown(box):
    """graphrun show says what is in it, and whether it is whole."""
    exported(box, served(box))
    shown = json.loads(box.graphrun("show", "out", "--json").out.text())
    assert shown["export"] == "out/1" and [step["whole"] for step in shown["checkpoint"]] == [True]
    assert [phase["role"] for phase in shown["phases"]] == ["predict"]
    assert {variable["name"] for variable in shown["frozen_variables"]} == {
        variable["name"].split("/")[0] for variable in shown["variables"]
    }
    box.graphrun("show", "out").out.expect(
        "^export: out/1$", "^frozen variables \\([0-9]+\\)$", "^kind: plan$"
    )
    (box / "out/1/predict.plan").write_bytes(b"cut")
    box.graphrun("show", "out", status=1).err.expect("graphrun show: out/1/predict.plan: ")


def test_damaged(box):
    """Whatever is cut, changed or missing is named, in one line; nothing is predicted."""
    exported(box, served(box))
    shard, manifest, file = (
        "1/variables/step-20/variables.safetensors",
        "1/variables/step-20/manifest.json",
        "1/predict.plan",
    )

    def broken(pattern, name, change):
        shutil.copytree(box / "out", box / "damaged")
        data = bytearray((box / "damaged" / name).read_bytes())
        (box / "damaged" / name).write_bytes(change(data))
        box.refused(pattern, "damaged", *FEED).out.never("logits")
        shutil.rmtree(box / "damaged")

    def flip(data):
        data[len(data) // 2] ^= 1
        return data

    broken("the export damaged/1 is damaged: .*variables.safetensors: crc32c", shard, flip)
    broken(
        "the export damaged/1 is damaged: .*variables.safetensors: [0-9]+ bytes, the manifest promises",
        shard,
        lambda data: data[:-1],
    )
    broken("the export damaged/1 is damaged: .*manifest.json", manifest, flip)
    broken("damaged/1/predict.plan: damaged plan", file, flip)
    broken("damaged/1/predict.plan: truncated plan", file, lambda data: data[:-1])
    broken("damaged/1/predict.plan: not a plan", file, lambda data: b"")
    for name, pattern in (
        (shard, "is damaged: .*variables.safetensors"),
        (file, "is damaged: it has no predict.plan"),
        (os.path.dirname(manifest), "its variables are 0 checkpoints, expected one"),
    ):
        shutil.copytree(box / "out", box / "damaged")
        (shutil.rmtree if (box / "damaged" / name).is_dir() else os.remove)(box / "damaged" / name)
        box.refused(pattern, "damaged", *FEED)
        shutil.rmtree(box / "damaged")


def test_nothing_exported(box):
    """Behind a loss that is no number, a stop or a failure there is no version, and the run says
    so."""
    plan = served(
        box, text=lambda model: model.replace("learning_rate = 0.05", "learning_rate = 1.0e30")
    )
    run = box.graphrun(plan, *TRAIN, *FEED, "--nan", "stop")
    run.err.expect("--export_dir out: nothing is exported, since training ended by --nan stop")
    box.graphrun(plan, *TRAIN, *FEED, status=1).err.expect(
        "--export_dir out: nothing is exported, since the run failed"
    )
    good = served(box, "all-reduce")
    run = box.trains(good, "--checkpoint_dir", "long", "--export_dir", "out", *FEED)
    run.stop(status=1)
    run.err.expect("--export_dir out: nothing is exported, since the run was stopped")
    assert not (box / "out").exists()


def test_nan_weights(box):
    """A weight that the last step has made infinite, by a finite loss, is neither saved nor
    exported."""
    plan = served(
        box,
        text=lambda model: model.replace("learning_rate = 0.05", "learning_rate = 3.0e38").replace(
            "@b2 : tensor<4xf32> = #graph.zeros",
            "@b2 : tensor<4xf32> = #graph.value<dense<3.0e38> : tensor<4xf32>>",
        ),
    )
    run = box.graphrun(plan, "--steps", 1, *TRAIN[2:], *FEED, status=1)
    run.err.expect(
        "^graphrun: .*variable b2 is NaN or infinite behind step 1, and nothing is saved; try a smaller learning rate",
        "--export_dir out: nothing is exported, since the run failed",
    )
    run = box.graphrun(plan, "--steps", 1, *TRAIN[2:], *FEED, "--nan", "stop")
    run.err.expect(
        "training ends at step 1 of 1: variable b2 is NaN or infinite behind step 1; --nan stop: nothing is saved, and no checkpoint was saved before",
        "--export_dir out: nothing is exported, since training ended by --nan stop",
    )
    assert not (box / "out").exists() and not list((box / "ckpt").glob("step-*"))


def test_refused(box, two):
    """What cannot be is said before anything runs."""
    box.refused("--export_dir needs --checkpoint_dir", two, "--export_dir", "out")
    box.refused(
        "--export_dir: the plan of mlp.mlir has no function of role predict; it has train, eval",
        two,
        *TRAIN,
    )
    plan = served(box)
    box.refused(
        "--export_dir is for --entry train",
        plan,
        "--entry",
        "predict",
        "--checkpoint_dir",
        "ckpt",
        "--export_dir",
        "out",
        *FEED,
    )
    os.makedirs(box / "one")
    box.refused(
        "--export_dir and --checkpoint_dir are one folder",
        plan,
        "--checkpoint_dir",
        "one",
        "--export_dir",
        "one",
        *FEED,
    )
    box.refused(
        "--export_dir served.mlir",
        plan,
        "--checkpoint_dir",
        "ckpt",
        "--export_dir",
        "served.mlir",
        *FEED,
    )
    box.refused("one: a folder, and no export", "one")
    exported(box, plan)
    box.refused(
        "ckpt: a folder of checkpoints, not a plan; graphrun model.plan --checkpoint_dir ckpt goes on from them, and with --entry predict",
        "ckpt",
    )
    box.refused(
        "out is a folder: an export has its own variables.*leave --checkpoint_dir out",
        "out",
        "--checkpoint_dir",
        "ckpt",
        *FEED,
    )
    box.refused("out is a folder: .*leave --epochs out", "out", "--epochs", 2, *FEED)
    box.refused(
        "--entry eval: the plan of served.mlir has no such function; it has predict",
        "out",
        "--entry",
        "eval",
        *FEED,
    )
    box.refused("predict_step has the argument x : tensor<10x20xf32>", "out")


def test_untrained(box):
    """Predictions without a checkpoint say what they are of."""
    plan = served(box)
    box.graphrun(plan, "--entry", "predict", *FEED).err.expect(
        "--entry predict without --checkpoint_dir or --init_from: every variable has its initial value, so the model is untrained"
    )


# The best checkpoint is certain: training lowers w by 1 a step, and the evaluation's metric
# is -(w + 6)², the largest after step 6.
TURNING = """
graph.variable @w : tensor<f32> = #graph.value<dense<0.0> : tensor<f32>>
graph.dataset @train : (tensor<f32>) = #graph.synthetic<samples = 4, seed = 1>
graph.dataset @test : (tensor<f32>) = #graph.synthetic<samples = 2, seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 2} : tensor<2xf32>
  %w = graph.read @w : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  %nothing = graph.multiply %x, %zero : tensor<2xf32>
  %none = graph.reduce_sum %nothing dimensions = [0] : (tensor<2xf32>) -> tensor<f32>
  %loss = graph.add %w, %none : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 1.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x = graph.next_batch @test {batch = 2} : tensor<2xf32>
  %w = graph.read @w : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %away = graph.add %w, %six : tensor<f32>
  %square = graph.multiply %away, %away : tensor<f32>
  %value = graph.negate %square : tensor<f32>
  %wide = graph.broadcast_in_dim %value broadcast_dimensions = [] : (tensor<f32>) -> tensor<2xf32>
  graph.metric "METRIC", %wide : tensor<2xf32>
  graph.return
}
graph.func @predict_step() -> (tensor<f32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<f32>
  graph.return %w : tensor<f32>
}
"""
BEST = "--eval_every_epochs", 1, "--checkpoint_dir", "ckpt", "--export_dir", "out", "--export"


def turning(box, metric="accuracy", cluster=None):
    box.write("turning.mlir", TURNING.replace("METRIC", metric))
    return box.compile(metric, cluster or {"worker": 1}, "turning.mlir")


def exportedWeight(box, folder="out"):
    box.graphrun(folder, "--fetch", "y=y.npy")
    return read(box / "y.npy")[1][0]


def test_best_with_early_stop(box):
    """The checkpoint that --early_stop names as the best is exported, not the last."""
    plan = turning(box)
    run = box.graphrun(plan, "--epochs", 12, "--early_stop", "accuracy:2", *BEST, "best")
    run.err.expect(
        "training ends at step 10 of 24: .*; the best checkpoint is ckpt/step-6$",
        "exported ckpt/step-6 to out/1;",
    )
    assert exportedWeight(box) == -6
    # Nothing is left to train: the best is known from the runs before.
    again = box.graphrun(plan, "--epochs", 5, *BEST, "best")
    again.err.expect(
        "the best checkpoint is ckpt/step-6: accuracy -?0$", "exported ckpt/step-6 to out/2;"
    )
    box.graphrun(plan, "--epochs", 5, *BEST, "last").err.expect("exported ckpt/step-10 to out/3;")


@pytest.mark.parametrize("strategy", ["ps-split", "all-reduce"])
def test_best_of_all_epochs(box, strategy):
    """Without --early_stop, by the only metric; with strategies of several tasks; a loss is better
    where it is smaller, and :max says otherwise."""
    plan = turning(box, "loss", STRATEGIES[strategy])
    # one step is an epoch of both replicas
    run = box.graphrun(plan, "--steps", 9, *BEST, "best", "--keep_checkpoint_max", 1)
    run.err.expect("the best checkpoint is ckpt/step-1: loss -25$", "exported ckpt/step-1 to out/1;")
    assert exportedWeight(box) == -1
    other = "--eval_every_epochs", 1, "--checkpoint_dir", "most", "--export_dir", "max", "--export"
    box.graphrun(plan, "--steps", 9, *other, "best:loss:max").err.expect(
        "exported most/step-6 to max/1;"
    )


def test_best_is_the_last(box):
    """Training's last step counts, which the evaluation at the end is of."""
    plan = turning(box, "score")
    box.graphrun(plan, "--steps", 5, *BEST, "best").err.expect(
        "the best checkpoint is ckpt/step-5: score -1$", "exported ckpt/step-5 to out/1;"
    )


def test_best_refused(box):
    """Before the first step: what is lacking, and what to give."""
    box.refused(
        "--export_dir needs --checkpoint_dir: what is exported is its best checkpoint",
        "any.plan",
        "--export_dir",
        "out",
        "--eval_every_epochs",
        1,
        "--export",
        "best",
    )
    box.refused(
        "--export best compares the evaluations made during training: also give --eval_every_epochs N",
        "any.plan",
        "--export_dir",
        "out",
        "--checkpoint_dir",
        "ckpt",
        "--export",
        "best",
    )
    plan = turning(box, "distance")
    box.refused(
        "--export best: the name distance does not say whether higher or lower is better; give --export best:distance:max or --export best:distance:min",
        plan,
        *BEST,
        "best",
    )
    box.refused(
        '--export best:distanc: the evaluation has no metric of this name; did you mean "distance"',
        plan,
        *BEST,
        "best:distanc",
    )
    box.refused(
        "--export best:distance:max: --early_stop compares evaluations by distance:min; a run keeps one best checkpoint, so give both flags the same metric and direction",
        plan,
        "--early_stop",
        "distance:2:min",
        *BEST,
        "best:distance:max",
    )
    blind = (box / "turning.mlir").read_text()
    start, end = blind.index("graph.func @eval_step"), blind.index("graph.func @predict_step")
    box.write("blind.mlir", blind[:start] + blind[end:])
    box.refused(
        "--export best: the plan of blind.mlir has no function of role eval, which --export best needs to compare checkpoints; its entries are train, predict",
        box.compile("blind", {"worker": 1}, "blind.mlir"),
        *BEST,
        "best",
    )
    line = '  graph.metric "distance", %wide : tensor<2xf32>\n'
    for name, metrics, why in (
        (
            "two",
            line + line.replace("distance", "error"),
            "the evaluation has several metrics; choose one with --export best:METRIC: distance, error",
        ),
        ("none", "", "the evaluation of none.mlir has no metric to compare checkpoints by"),
    ):
        box.write(f"{name}.mlir", (box / "turning.mlir").read_text().replace(line, metrics))
        plan = box.compile(name, {"worker": 1}, f"{name}.mlir")
        box.refused(f"--export best: {why}", plan, *BEST, "best")
    assert not (box / "ckpt").exists()


def test_best_is_gone(box):
    """The best checkpoint was removed: a warning names it, and the best of the others is
    exported, with --early_stop too."""
    plan = turning(box)
    box.graphrun(plan, "--steps", 10, *BEST, "best").err.expect("exported ckpt/step-6 to out/1;")
    shutil.rmtree(box / "ckpt/step-6")
    gone = r"the best evaluation \(accuracy -?0\) belongs to ckpt/step-6, which does not exist"
    box.graphrun(plan, "--steps", 10, *BEST, "best").err.expect(
        gone + "; the best checkpoint is chosen from those that do",
        "the best checkpoint is ckpt/step-4: accuracy -4$",
        "exported ckpt/step-4 to out/2;",
    )
    box.graphrun(plan, "--steps", 10, "--early_stop", "accuracy:9", *BEST, "best").err.expect(
        gone + "; the best", "exported ckpt/step-4 to out/3;"
    )


def test_best_is_none(box):
    """Evaluations whose results are not numbers have no best: an error, and nothing is exported."""
    root = "  %value = graph.sqrt %below : tensor<f32>\n"
    box.write(
        "root.mlir",
        TURNING.replace("METRIC", "accuracy").replace(
            "  %value = graph.negate %square : tensor<f32>\n",
            "  %below = graph.negate %square : tensor<f32>\n" + root,
        ),
    )
    box.refused(
        "--export best: no evaluation gave a number for accuracy; nothing is exported",
        box.compile("root", {"worker": 1}, "root.mlir"),
        "--steps",
        4,
        *BEST,
        "best",
        status=1,
    )
    assert not (box / "out").exists()


def test_best_of_earlier_runs(box):
    """Evaluations of a training without --export best are compared if their checkpoints exist."""
    plan = turning(box)
    box.graphrun(plan, "--steps", 8, *BEST[:4])
    assert box.json("ckpt/evaluations.json")["evaluations"][1] == {
        "step": 4,
        "metrics": {"accuracy": -4},
    }
    box.graphrun(plan, "--steps", 12, *BEST, "best").err.expect("exported ckpt/step-6 to out/1;")
    few = *BEST[:3], "few", *BEST[4:]
    box.graphrun(plan, "--steps", 20, *few[:4], "--keep_checkpoint_max", 2)
    box.graphrun(plan, "--steps", 24, *few, "best", "--keep_checkpoint_max", 2).err.expect(
        r"the best evaluation .* belongs to few/step-6, which does not exist; the best checkpoint",
        "the best checkpoint is few/step-18: accuracy -144$",
    )


def test_best_by_another_metric(box):
    """Every metric is recorded, so runs can compare one after another."""
    line = '  graph.metric "METRIC", %wide : tensor<2xf32>\n'
    box.write(
        "both.mlir",
        TURNING.replace(line, line.replace("METRIC", "accuracy") + line.replace("METRIC", "loss")),
    )
    plan = box.compile("both", {"worker": 1}, "both.mlir")
    for metric, best in ("accuracy", 6), ("loss", 2), ("accuracy", 6):
        box.graphrun(plan, "--steps", 10, *BEST, f"best:{metric}").err.expect(
            f"exported ckpt/step-{best} to out/"
        )


def test_records_of_earlier_versions(box):
    """They had one metric, which may be another one than is compared now."""
    plan = turning(box)
    box.graphrun(plan, "--steps", 10, *BEST[:4])
    pairs = "[[2, -16], [4, -4], [6, 0], [8, -4], [10, -16]]"
    box.write("ckpt/evaluations.json", f'{{"metric": "accuracy", "evaluations": {pairs}}}')
    box.graphrun(plan, "--steps", 10, *BEST, "best").err.expect("exported ckpt/step-6 to out/1;")
    box.write("ckpt/evaluations.json", f'{{"metric": "recall", "evaluations": {pairs}}}')
    box.graphrun(plan, "--steps", 10, *BEST, "best").err.expect(
        "5 of 5 earlier evaluations did not measure accuracy; --export best ignores them",
        "exported ckpt/step-10 to out/2;",
    )
    box.write("ckpt/evaluations.json", "[")
    box.graphrun(plan, "--steps", 14, *BEST[:4]).err.expect(
        "ckpt/evaluations.json:1:2: .*; evaluations are recorded again from this step"
    )


def test_export_takes_no_other_values(box):
    """An export has its own variables: --init_from is refused, not ignored."""
    plan = served(box)
    exported(box, plan)
    box.refused("out is a folder: .*leave --init_from out", "out", "--init_from", "x.npz", *FEED)
