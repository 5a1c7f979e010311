"""The evaluator: a process of its own that evaluates each checkpoint of a training, and is nobody's
neighbour."""

import json
import os
import signal

import pytest
from box import FOREVER, LOST, MLP, MODELS, delay, same
from faults import signalled
from formats import sampleFiles
from process import DEATH, until

CKPT = ["--checkpoint_dir", "ckpt"]
TF_CONFIG = '{"cluster": {"ps": ["a:1"], "worker": ["a:2", "a:3"]%s}, "task": {"type": "evaluator", "index": 0}}'
CLUSTERS = {
    "ps": {"worker": 2, "ps": 1, "strategy": "parameter_server"},
    "async": {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server", "update": "async"}},
    "all-reduce": {"worker": 2, "strategy": "all_reduce"},
    "in-graph": {"worker": 2, "strategy": "mirrored"},
    "one": {"worker": 1},
}


EVALUATED = """
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y, %valid = graph.next_batch @train {batch = 4, pad_last} : tensor<4x6xf32>, tensor<4xi32>, tensor<4xi1>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %prediction = graph.argmax %l dimension = 1 : (tensor<4x3xf32>) -> tensor<4xi32>
  %hit = graph.compare eq, %prediction, %y : tensor<4xi32>
  graph.metric "accuracy", %hit, %valid : tensor<4xi1>, tensor<4xi1>
  graph.return
}
"""


def evaluated(said):
    """[(step, accuracy)] in the order in which they were printed."""
    return [
        (int(step), float(accuracy))
        for step, accuracy in said.matches(r"^step ([0-9]+): accuracy ([0-9.]+)$")
    ]


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("strategy", CLUSTERS)
def test_same_metrics(box, strategy):
    """What it says of each checkpoint is what the training itself finds there, whatever its
    strategy; it ends with the training."""
    plan = box.compile(strategy, CLUSTERS[strategy])
    run = box.graphrun(
        plan, "--epochs", 4, "--eval_every_epochs", 1, *CKPT, "--evaluator", "--history", "h.jsonl"
    )
    found = evaluated(run.out)
    trained = {
        line["step"]: line["values"]["accuracy"]
        for line in map(json.loads, (box / "h.jsonl").read_text().splitlines())
        if line["phase"] == "eval"
    }
    assert found and found == sorted(set(found)) and found[-1][0] == max(trained)
    for step, accuracy in found:
        assert accuracy == pytest.approx(trained[step], rel=1e-5)
    run.err.expect(
        rf"^\[evaluator\] training is over, and its last checkpoint, step-{max(trained)}, evaluated"
    )


def test_by_hand(box, two):
    """Started before the training, it says for what it waits and how long; its files are its own;
    SIGTERM ends it."""
    files = [*CKPT, "--epochs", 3, "--history", "h.jsonl", "--summary_dir", "tb"]
    follower = box.task("evaluator-0", two, *files, "--wait_deadline", 300)
    follower.err.waitFor(r"waiting for a checkpoint in ckpt; at most 5m \(--wait_deadline\)")
    box.graphrun(two, *files)
    follower.ends()
    assert evaluated(follower.out)[-1][0] == 39
    own = [json.loads(line) for line in (box / "h.eval.jsonl").read_text().splitlines()]
    assert [(line["step"], line["phase"]) for line in own] == [
        (step, "eval") for step, _ in evaluated(follower.out)
    ]
    assert len(os.listdir(box / "tb/evaluator")) == 1
    # Again, of a training that has further to go: the end of the shorter one is not its end.
    follower = box.task("evaluator-0", two, *CKPT, "--epochs", 5, "--history", "h.jsonl")
    follower.out.waitFor("^step 39: ")
    follower.stop(status=1)
    follower.err.expect("graphrun: evaluator: the evaluator was stopped, as asked")
    lines = [json.loads(line)["step"] for line in (box / "h.eval.jsonl").read_text().splitlines()]
    assert lines == sorted(set(lines)) and lines[-1] == 39


def test_deadline(box, two):
    """No checkpoint comes: a named error, and no wait for ever."""
    box.graphrun(two, *CKPT, "--job_name", "evaluator", "--wait_deadline", 1, status=1).err.expect(
        r"graphrun: evaluator: no checkpoint has come into ckpt for 1s \(--wait_deadline\), and training has not said there that it is over"
    )
    box.graphrun(two, *CKPT, "--epochs", 1)
    box.graphrun(
        two, *CKPT, "--job_name", "evaluator", "--epochs", 2, "--wait_deadline", 1, status=1
    ).err.expect(
        "no checkpoint behind step-13 has come into ckpt for 1s .*fewer steps or epochs to make"
    )


def test_damaged(box, two):
    """A damaged checkpoint is skipped aloud; at the start the one before it is taken, later the
    next. One made anew is looked at again."""
    box.graphrun(two, *CKPT, "--epochs", 2)
    flip(box / "ckpt/step-26/ps-0.safetensors")
    run = box.graphrun(two, *CKPT, "--job_name", "evaluator")
    run.err.expect(
        "checkpoint ckpt/step-26 is skipped: ckpt/step-26/ps-0.safetensors: crc32c",
        "its last checkpoint, step-13, evaluated",
    )
    assert [step for step, _ in evaluated(run.out)] == [13]
    follower = box.task("evaluator-0", two, *CKPT, "--epochs", 3)
    follower.err.waitFor("checkpoint ckpt/step-26 is skipped")
    box.graphrun(two, *CKPT, "--epochs", 3)  # from step 13, so step 26 is made again
    follower.ends()
    assert [step for step, _ in evaluated(follower.out)][-1] == 39
    assert json.loads((box / "ckpt/finished.json").read_text()) == {"step": 39, "epochs": 3}


def test_without_its_data(box, cache):
    """What it fails by with any checkpoint is no damage of one: said at once, status 1."""
    images, labels = sampleFiles(50)
    box.write("data/images", images)
    box.write("data/labels", labels)
    plan = box.compile(
        "one",
        CLUSTERS["one"],
        model=box.write("idx.mlir", (MODELS / "idx.mlir").read_text() + EVALUATED),
    )
    box.graphrun(plan, *CKPT, "--epochs", 1, "--data_dir", "data")
    run = box.graphrun(plan, *CKPT, "--job_name", "evaluator", "--data_dir", "nothing", status=1)
    run.err.expect("images.gz not found; looked in nothing")
    run.err.never("skipped")
    assert evaluated(box.graphrun(plan, *CKPT, "--job_name", "evaluator", "--data_dir", "data").out)


def test_tf_config(box, two):
    """Of TF_CONFIG's roles, whether the cluster lists it or not; it needs no address of anybody."""
    box.graphrun(two, *CKPT, "--epochs", 1)
    for listed in ("", ', "evaluator": ["a:4"]'):
        run = box.graphrun(two, *CKPT, env={"TF_CONFIG": TF_CONFIG % listed})
        assert [step for step, _ in evaluated(run.out)] == [13]
        run.err.expect("^graphrun: this is /job:evaluator/task:0, as TF_CONFIG says$")
    box.refused(
        "an evaluator is no task of the cluster", "check", two, *CKPT, "--job_name", "evaluator"
    )


def test_listed(box):
    """A cluster that lists an evaluator has no task for it."""
    plan = box.compile("listed", {**CLUSTERS["ps"], "evaluator": 1})
    assert box.graphrun(plan, "--epochs", 1, *CKPT).err.matches("evaluator") == []
    assert [
        step for step, _ in evaluated(box.graphrun(plan, *CKPT, "--job_name", "evaluator").out)
    ] == [13]


def test_killed(box, two):
    """kill -9 of the evaluator: training goes on, to the same bits, and it is started again; with
    the newest checkpoint it goes on."""
    straight = box.weights(two, "--steps", 200)
    run = box.launch(
        two,
        "--steps",
        200,
        *CKPT,
        "--save_checkpoint_steps",
        20,
        "--evaluator",
        "--dump_variables",
        "dumped",
        env=delay(worker0=4000),
    )
    run.out.waitFor("^step [0-9]+: ")
    first = run.pidOf("evaluator-0")
    os.kill(first, 9)
    run.ends()
    run.err.expect(
        r"graphrun: the evaluator \(process [0-9]+ on .*\) was killed by signal 9 .*; started again in 500ms",
        r"^\[evaluator\] training is over, and its last checkpoint, step-200, evaluated",
    )
    same(straight, box / "dumped")
    steps = [step for step, _ in evaluated(run.out)]
    assert steps[-1] == 200 and steps == sorted(steps)
    box.nothingLeft()


def test_waits_for_training(box, two):
    """One that a launcher has started waits as long as training lives, however rarely that
    saves."""
    run = box.graphrun(
        two,
        "--steps",
        60,
        *CKPT,
        "--save_checkpoint_steps",
        1000,
        "--evaluator",
        "--wait_deadline",
        1,
        env=delay(worker0=10000),
    )
    run.err.expect(
        r"^\[evaluator\] waiting for a checkpoint in ckpt; as long as training lives",
        "step-60, evaluated",
    )
    assert evaluated(run.out)[-1][0] == 60


def test_stopped(box, two):
    """kill -STOP: training does not notice; once that is over the evaluator is killed, and another
    one evaluates the last checkpoint."""
    run = box.launch(
        two,
        "--steps",
        200,
        *CKPT,
        "--save_checkpoint_steps",
        20,
        "--evaluator",
        env=delay(worker0=4000),
    )
    run.out.waitFor("^step [0-9]+: ")
    os.kill(run.pidOf("evaluator-0"), signal.SIGSTOP)
    run.ends()
    run.err.expect(
        r"graphrun: the evaluator \(process [0-9]+ on .*\) is stopped .* for 5s behind training's end, and is killed",
        r"graphrun: the evaluator .* was killed by signal 9 .*; started again in 500ms",
        "its last checkpoint, step-200, evaluated",
    )
    assert evaluated(run.out)[-1][0] == 200


def test_dies_again_and_again(box, two):
    """Behind training's end it is started again a few times, not for hours: then that is an error
    of the whole."""
    run = box.graphrun(
        two,
        "--steps",
        200,
        *CKPT,
        "--evaluator",
        status=1,
        env=signalled(box, "evaluator", "constructor", "SIGKILL"),
    )
    run.err.expect(r"graphrun: the evaluator .* was killed by signal 9 .*; there is none any more")
    assert len(run.err.matches("the evaluator .* started again")) < 10
    assert (box / "ckpt/finished.json").exists()


def test_unsaid_end(box, two):
    """Training has ended, and its word for that has gone: said, and nobody waits for ever."""
    run = box.launch(
        two,
        "--steps",
        200,
        *CKPT,
        "--save_checkpoint_steps",
        1000,
        "--evaluator",
        env=delay(worker0=3000),
    )
    run.err.waitFor(r"^\[evaluator\] waiting for a checkpoint")
    os.kill(run.pidOf("evaluator-0"), signal.SIGSTOP)
    until(lambda: (box / "ckpt/finished.json").exists(), "training ends")
    (box / "ckpt/finished.json").unlink()
    os.kill(run.pidOf("evaluator-0"), signal.SIGCONT)
    run.ends(status=1)
    run.err.expect(
        r"evaluator: training has ended, and has not said in ckpt that it is over: finished.json is not there or damaged; "
        "what is there was evaluated up to step-200"
    )


def test_training_dies(box, two):
    """Where the training is killed the evaluator of its launcher ends with it; so it does by kill
    -9 of the launcher, and by a stop."""
    flags = ["--steps", FOREVER, *CKPT, "--save_checkpoint_steps", 50, "--evaluator"]
    run = box.launch(two, *flags)
    run.out.waitFor("^step [0-9]+: ")
    os.kill(run.pidOf("worker-1"), 9)
    run.ends(LOST, DEATH)
    run.err.expect(r"^graphrun: /job:worker/task:1 \(process [0-9]+ on .*\) was killed by signal 9")
    box.nothingLeft()
    run = box.launch(two, *flags)
    run.out.waitFor("^step [0-9]+: ")
    run.stop(status=1)
    run.err.expect("stopped at step [0-9]+ of 100000000 as asked")
    assert not (box / "ckpt/finished.json").exists(), "it may go on"
    run = box.launch(two, *flags)
    run.out.waitFor("^step [0-9]+: ")
    run.end()
    box.nothingLeft()


def test_restarts(box, two):
    """It outlives the restarts of the tasks."""
    run = box.launch(
        two,
        "--steps",
        200,
        *CKPT,
        "--save_checkpoint_steps",
        20,
        "--evaluator",
        "--max_restarts",
        1,
        env=delay(worker0=4000),
    )
    run.out.waitFor("^step [0-9]+: ")
    follower = run.pidOf("evaluator-0")
    os.kill(run.pidOf("ps-0"), 9)
    run.err.waitFor("restarting /job:ps/task:0 from")
    assert run.pidOf("evaluator-0") == follower
    run.ends()
    assert evaluated(run.out)[-1][0] == 200


def test_refused(box, two):
    box.refused(
        "an evaluator follows the checkpoints of a training: give --checkpoint_dir",
        two,
        "--evaluator",
    )
    box.refused(
        "an evaluator is of a training; --entry eval runs once",
        two,
        *CKPT,
        "--job_name",
        "evaluator",
        "--entry",
        "eval",
    )
    box.refused(
        "--evaluator starts one beside the tasks that graphrun starts all here",
        two,
        *CKPT,
        "--evaluator",
        "--job_name",
        "ps",
    )
    box.write("silent.mlir", MLP.read_text().split("graph.func @eval_step")[0])
    plan = box.compile("silent", {"worker": 1}, "silent.mlir")
    box.refused(
        "an evaluator needs a function of role eval, and the plan of silent.mlir has none",
        plan,
        *CKPT,
        "--job_name",
        "evaluator",
    )
