"""What graphrun makes of streams, limits and environment, and what it prints and writes.
test/tools/graphrun/refused.test has what it refuses."""

import json
import os
import signal

import pytest
from box import FOREVER, HERE, MODELS, same
from formats import savedValues, write


def test_feeds(box):
    """The tasks get what the launcher has looked at."""
    feed = box.servers("feed", 1, 1, model=HERE.parent / "tools/graphrun/Inputs/feed.mlir")
    write(box / "good.npy", "<f4", (2, 3), range(1, 7))
    write(box / "double.npy", "<f8", (2, 3), range(6))
    apply = [feed, "--entry", "predict", "--fetch", "y", "--feed"]
    box.refused(
        "--feed x: expected tensor<2x3xf32>, double.npy has tensor<2x3xf64>", *apply, "x=double.npy"
    )
    box.graphrun(*apply, "x=good.npy").out.expect(r"^y \[\[.*\] \[.*\]\]$")


def test_standard_streams(box, two):
    """A full disk is an error, a reader that has seen enough ends the run, a closed descriptor is
    nobody's file."""
    with open("/dev/full", "w") as full:
        box.graphrun(two, "--steps", 3, "--fetch", "loss", status=1, stdout=full).err.expect(
            "could not be written to standard output"
        )
    reading, writing = os.pipe()
    run = box.launch(two, "--steps", FOREVER, "--fetch", "loss", stdout=writing)
    os.close(writing)
    assert os.read(reading, 1)
    os.close(reading)
    run.ends(128 + signal.SIGPIPE)
    box.run("sh", "-c", f"exec graphrun {two} --steps 3 --stats stats.json <&- >&- 2>&-")


def test_limits(box, two):
    """Of the machine: one line, not an abort, and nothing half written is left."""
    files = box.run("sh", "-c", f"ulimit -n 12; exec graphrun {two} --steps 3", status=1)
    files.expect("Too many open files; raise ulimit -n")
    files.oneError()
    # Large enough for the library's matmul.
    large = box.oneDevice("library", 1, HERE.parent / "bench/models/mlp.mlir")
    box.run(
        "bash",
        "-c",
        f"ulimit -f 1000; exec graphrun {large} --steps 3 --checkpoint_dir small",
        status=None,
    ).expect(r"small/step-3\.[0-9a-f]{8}\.partial/.*: File too large")
    assert not os.listdir(box / "small")


def test_pipes(box, two):
    """A pipe that is open is read, once, for all tasks; '-' is standard input, '-' and '_' in flags
    are alike, results go to standard output and progress to standard error; a log that cannot be
    written ends no run, and is said in one kind of line."""
    box.run("bash", "-c", f"exec graphrun <(cat {two}) --steps 3 --stats -").out.expect(
        '"/job:worker/task:1"'
    )
    with open(box / two) as plan:
        box.graphrun("/dev/stdin", "--steps", 3, "--local=true", stdin=plan).err.expect("step 3/3")
    with open(box / two) as plan:
        run = box.graphrun("-", "--steps", 3, "--fetch", "loss", "--dump-variables=a", stdin=plan)
    assert len(run.out.matches("^loss [0-9]")) == 3
    run = box.graphrun(two, "--steps", 3, "--dump_variables", "b")
    same(box / "a", box / "b")
    run.err.expect("epoch 1/1  step 3/3")
    full = box.graphrun(two, "--steps", 3, "--log_file", "/dev/full").err
    full.expect("--log_file /dev/full: the log is cut short: .*No space left")
    assert not [line for line in full.lines() if "No space" in line and "cut short" not in line]


def test_tf_config(box, two):
    """One that cannot be used: a line, and where it names this task a refusal; --local asks for
    none. Addresses without a task are not used."""
    others = {"cluster": {"worker": ["a:1"]}}
    box.graphrun(two, "--steps", 3, env={"TF_CONFIG": json.dumps(others)}).err.expect(
        "TF_CONFIG is not used: it has 1 worker task, the plan has"
    )
    mine = {"TF_CONFIG": json.dumps({**others, "task": {"type": "worker", "index": 0}})}
    box.refused(
        "TF_CONFIG is not used: it has .*names this process.s task", two, "--steps", 3, env=mine
    )
    box.graphrun(two, "--steps", 3, "--local", env=mine)
    box.write(
        "addresses.json",
        {"cluster": {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}},
    )
    box.graphrun(two, "--steps", 3, "--cluster", "addresses.json").err.expect(
        "no task is named, so every task starts here and the addresses from addresses.json are not used"
    )


def test_names_of_another_encoding(box, two):
    """A folder whose name is no UTF-8; the log file is JSON all the same."""

    def run(*arguments, **how):
        return box.run("bash", "-c", "exec graphrun " + " ".join(map(str, arguments)), **how)

    run(
        two,
        "--steps",
        3,
        "--dump_variables",
        r"$'dump\xff'",
        "--checkpoint_dir",
        r"$'check\xff'",
        "--log_file",
        "odd.json",
    )
    folder = os.fsencode(box.folder)
    assert os.path.isfile(folder + b"/dump\xff/w1.npy") and os.path.isdir(
        folder + b"/check\xff/step-3"
    )
    open(folder + b"/file\xff", "w").close()
    run(
        two,
        "--steps",
        3,
        "--checkpoint_dir",
        r"$'file\xff'",
        "--log_file",
        "odd.json",
        status=(1, 2),
    ).expect("file.*: Not a directory")
    assert [
        json.loads(line) for line in (box / "odd.json").read_text(encoding="utf-8").splitlines()
    ]


def test_what_is_written(box, two):
    """Log, accuracy and statistics of two epochs."""
    run = box.graphrun(two, "--epochs", 2, "--stats", "stats.json", "--log-file", "log.json")
    lines = [json.loads(line) for line in (box / "log.json").read_text().splitlines()]
    assert all({"time", "level", "task", "message"} <= set(line) for line in lines)
    assert any("step 26/26" in line["message"] and line["task"] == "worker:0" for line in lines)
    assert any("test accuracy" in line["message"] for line in lines)
    assert len(run.out.matches(r"^test accuracy 0\.[0-9]{3,6}  \(57 samples\)$")) == 1
    stats = box.json("stats.json")
    tasks = stats["tasks"]
    assert set(tasks) == {"/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"}
    for name, task in tasks.items():
        assert task["steps"] == -(-2 * 203 // 16), name
        assert 0 < task["first_step_s"] < 30 and task["rss_bytes"] > 1e6
        assert task["step_ms"]["min"] <= task["step_ms"]["median"] <= task["step_ms"]["p99"]
    assert (
        sum(task["bytes_sent"] for task in tasks.values())
        == sum(task["bytes_received"] for task in tasks.values())
        > 0
    )
    assert tasks["/job:worker/task:0"]["bytes_sent"] == tasks["/job:worker/task:1"]["bytes_sent"]
    assert 0 <= stats["final"]["accuracy"] <= 1 and stats["final"]["loss"] > 0


@pytest.mark.parametrize("strategy", ["one", "ps", "async"])
def test_no_eval(box, strategy):
    """Training without the model's evaluation: no metric, no data of it is opened, the bits of
    training and its checkpoint are those of a run with it."""
    cluster = {
        "one": {"worker": 1},
        "ps": {"worker": 2, "ps": 1, "strategy": "parameter_server"},
        "async": {
            "worker": 1,
            "ps": 1,
            "strategy": {"name": "parameter_server", "update": "async"},
        },
    }[strategy]
    plan = box.compile(strategy, cluster, MODELS / "observed.mlir")
    shown = "--steps", 6, "--checkpoint_dir"
    with_it = box.graphrun(plan, *shown, "with")
    with_it.out.expect("^test sum ")
    without = box.graphrun(plan, *shown, "without", "--no_eval")
    without.out.never("test sum")
    without.out.expect("^train error ")
    assert savedValues(box / "with/step-6") == savedValues(box / "without/step-6")
    # the evaluation's data set is not there
    gone = box.write(
        "gone.mlir",
        (MODELS / "observed.mlir")
        .read_text()
        .replace(
            "@test : (tensor<3xf32>) = #graph.synthetic<samples = 23, seed = 2>",
            '@test : (tensor<3xf32>) = #graph.npy<files = ["nowhere.npz:x"]>',
        ),
    )
    plan = box.compile("gone", cluster, gone)
    box.graphrun(plan, "--steps", 2, "--no-eval")
    box.refused("nowhere.npz", plan, "--steps", 2, status=1)


def test_evaluation(box, two):
    box.graphrun(two, "--entry", "eval", "--steps", 6).out.expect(
        r"^test accuracy .* \(57 samples\)"
    )
    box.graphrun(two, "--epochs", 3, "--eval_every_epochs", 1).err.expect(r"accuracy 0\.")
