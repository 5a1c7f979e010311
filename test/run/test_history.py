"""--history: what a run gave, a line each, also of one that was killed and went on; and fields of
--log_file."""

import json
import time

import pytest
from box import FOREVER, MODELS
from process import until

OBSERVED = MODELS / "observed.mlir"
PS = {"worker": 2, "ps": 1, "strategy": "parameter_server"}


@pytest.fixture
def one(box):
    return box.compile("one", {"worker": 1}, OBSERVED)


def lines(box, name="h.jsonl"):
    return [json.loads(line) for line in (box / name).read_text().splitlines()]


def steps(found, phase="train"):
    return [line["step"] for line in found if line["phase"] == phase]


def values(found):
    """Of training, but what the clock gives."""
    return [
        (
            line["step"],
            line["epoch"],
            {name: value for name, value in line["values"].items() if name != "global_step/sec"},
            line["histograms"],
        )
        for line in found
        if line["phase"] == "train"
    ]


def test_lines(box, one):
    """The first step, each 100th and the last, with loss, learning rate, metrics and summaries;
    each evaluation."""
    run = box.graphrun(
        one, "--steps", 250, "--eval_every_epochs", 20, "--fetch", "loss", "--history", "h.jsonl"
    )
    found = lines(box)
    assert steps(found) == [1, 100, 200, 250]
    assert steps(found, "eval") == [100, 200, 250]  # epochs of five steps
    assert found == sorted(
        found, key=lambda line: (line["step"], line["phase"] == "eval", line["wall_time"])
    )
    printed = [float(loss) for loss in run.out.matches(r"^loss (.*)")]
    for line in found:
        if line["phase"] == "eval":
            assert list(line["values"]) == ["sum"]
            continue
        assert line["epoch"] == (line["step"] - 1) // 5 + 1
        assert set(line["values"]) - {"global_step/sec"} == {"loss", "learning_rate", "error"}
        assert f'{line["values"]["loss"]:.6g}' == f'{printed[line["step"] - 1]:.6g}'
        assert 0 < line["values"]["learning_rate"] <= 0.1
        assert line["histograms"]["w"]["count"] == 3
    first = found[0]["histograms"]["w"]
    assert (first["min"], first["max"], first["mean"]) == (-2, 1, pytest.approx(-0.5 / 3))
    evaluated = [line["values"]["sum"] for line in found if line["phase"] == "eval"]
    assert run.out.matches(r"^test sum (\S+)  \(23 samples\)") == [f"{evaluated[-1]:.6g}"]


def test_of_replicas(box):
    """The same numbers as of one device that does their work, and none of a task."""
    box.graphrun(
        box.oneDevice("ref", 2, OBSERVED),
        "--steps",
        60,
        "--history",
        "one.jsonl",
        "--save_summaries_steps",
        20,
    )
    box.graphrun(
        box.compile("two", PS, OBSERVED),
        "--steps",
        60,
        "--history",
        "two.jsonl",
        "--save_summaries_steps",
        20,
    )
    reference = values(lines(box, "one.jsonl"))
    assert [step for step, *_ in reference] == [1, 20, 40, 60]
    assert values(lines(box, "two.jsonl")) == reference


def test_goes_on(box):
    """Killed with lines behind its checkpoint, one of them cut short: the run that goes on makes
    those again, and no step is there twice."""
    plan, flags = (
        box.compile("two", PS, OBSERVED),
        ["--checkpoint_dir", "ckpt", "--history", "h.jsonl", "--save_summaries_steps", 7],
    )
    run = box.launch(plan, "--steps", FOREVER, "--save_checkpoint_steps", 50, *flags)
    box.checkpoint("ckpt")
    until(lambda: len((box / "h.jsonl").read_text().splitlines()) > 60, "60 lines of history")
    box.killed(run, "worker-1")
    saved = max(
        int(folder.name.split("-")[1])
        for folder in (box / "ckpt").glob("step-*")
        if (folder / "manifest.json").exists()
    )
    kept = steps(lines(box))
    with open(box / "h.jsonl", "a") as file:
        file.write('{"step":%d,"phase":"train","values":{}}\n{"step":9' % (saved + 1))
    run = box.graphrun(plan, "--steps", saved + 100, *flags)
    run.err.expect(
        r"--history h.jsonl: [0-9]+ lines? behind step %d dropped: these steps are made again"
        % saved
    )
    found = steps(lines(box))
    assert found == sorted(set(found))
    assert [step for step in found if step <= saved] == [step for step in kept if step <= saved]
    assert [step for step in found if step > saved] == [
        step for step in range(saved + 1, saved + 101) if step % 7 == 0 or step == saved + 100
    ]


def test_begins_anew(box, one):
    for _ in range(2):
        run = box.graphrun(one, "--steps", 5, "--history", "h.jsonl")
    run.err.expect("--history h.jsonl: what another run has written there is h.jsonl.1 now")
    assert steps(lines(box)) == steps(lines(box, "h.jsonl.1")) == [1, 5]


@pytest.mark.parametrize("cluster", [{"worker": 1}, PS], ids=["one", "two"])
def test_pauses(box, cluster):
    """A metric's mean goes on over checkpoints and evaluations, which leave no record of their
    own."""
    plan = box.compile("paused", cluster, OBSERVED)
    box.graphrun(plan, "--steps", 120, "--history", "straight.jsonl", "--save_summaries_steps", 50)
    box.graphrun(
        plan,
        "--steps",
        120,
        "--history",
        "paused.jsonl",
        "--save_summaries_steps",
        50,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        7,
        "--eval_every_epochs",
        3,
    )
    straight = values(lines(box, "straight.jsonl"))
    assert [step for step, *_ in straight] == [1, 50, 100, 120] and all(
        "error" in one for _, _, one, _ in straight
    )
    assert values(lines(box, "paused.jsonl")) == straight


def test_ends_early(box):
    """The last step has a record, wherever training ends: by a signal, or by --early_stop."""
    plan = box.compile("two", PS, OBSERVED)
    run = box.launch(
        plan,
        "--steps",
        FOREVER,
        "--history",
        "stopped.jsonl",
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        1000,
    )
    box.checkpoint("ckpt")
    run.stop(status=1)
    (stopped,) = run.err.matches("stopped at step ([0-9]+) of")
    found = lines(box, "stopped.jsonl")
    assert steps(found)[-1] == int(stopped) and steps(found)[:-1] == [
        1,
        *range(100, int(stopped), 100),
    ]
    run = box.graphrun(
        plan,
        "--steps",
        FOREVER,
        "--history",
        "early.jsonl",
        "--eval_every_epochs",
        7,
        "--early_stop",
        "sum:2:max",
    )
    (early,) = run.err.matches("training ends at step ([0-9]+) of")
    found = lines(box, "early.jsonl")
    assert steps(found)[-1] == int(early) == max(steps(found, "eval")) and int(early) % 100 != 0


def test_asynchronous(box):
    """Tasks share no step: each tells its own, by name; what all share has none. The bound: on a
    loaded machine one would make them all."""
    box.graphrun(
        box.servers("async", 2, 1, "async", OBSERVED, max_staleness=100),
        "--steps",
        400,
        "--history",
        "h.jsonl",
        "--save_summaries_steps",
        50,
    )
    found = lines(box)
    for task in "/job:worker/task:0", "/job:worker/task:1":
        own = [line["step"] for line in found if line.get("task") == task]
        assert (
            own[:1] == [1]
            and own == sorted(set(own))
            and all(step == 1 or step % 50 == 0 for step in own)
        )
    assert {line["task"] for line in found if line["phase"] == "train"} == {
        "/job:worker/task:0",
        "/job:worker/task:1",
    }
    assert [(line["step"], "task" in line) for line in found if line["phase"] == "eval"] == [
        (400, False)
    ]


def test_by_the_clock(box, one):
    """A record each 200 ms of many thousand steps."""
    begun = time.monotonic()
    run = box.launch(one, "--steps", FOREVER, "--history", "h.jsonl", "--save_summaries_secs", 0.2)
    until(lambda: (box / "h.jsonl").exists() and len(lines(box)) >= 6, "six lines")
    run.stop(status=1)
    took = time.monotonic() - begun
    found = [line for line in lines(box) if line["phase"] == "train"]
    assert found[0]["step"] == 1
    assert f"stopped at step {found[-1]['step']} of" in run.err.text(), (
        "the last one is the step at which it ends"
    )
    assert len(found) <= took / 0.2 + 2, (
        "beside the first step and the last, one in each 200 ms at most"
    )


def test_full_disk(box, one):
    """The run goes on; its exit status says that a file ends before it."""
    run = box.graphrun(one, "--steps", 300, "--history", "/dev/full", status=1)
    run.out.expect("^test sum ")
    assert (
        len(
            run.err.matches(
                "--history: /dev/full: No space left on device; nothing more is written there"
            )
        )
        == 1
    )
    run.err.expect("--history: /dev/full: No space left on device; it ends before the run does")


def test_log_fields(box, one):
    """--log_file has numbers as numbers."""
    box.graphrun(one, "--steps", 250, "--log_file", "log.jsonl", "--history", "h.jsonl")
    logged = lines(box, "log.jsonl")
    assert [line["record"] for line in logged if "record" in line] == lines(box)
    last = [line["progress"] for line in logged if "progress" in line][-1]
    assert last["step"] == 250 and isinstance(last["loss"], float)
    assert [
        line["message"] for line in logged if line.get("record", {}).get("phase") == "eval"
    ] == ["eval step 250"]


@pytest.mark.parametrize(
    "flags,words",
    [
        (
            ["--save_summaries_steps", 5],
            "--save_summaries_… needs --history FILE or --summary_dir DIR",
        ),
        (
            ["--save_summaries_secs", 5],
            "--save_summaries_… needs --history FILE or --summary_dir DIR",
        ),
        (
            ["--history", "h", "--save_summaries_steps", 5, "--save_summaries_secs", 5],
            "both say which steps are written; give one of them",
        ),
        (
            ["--history", "h", "--save_summaries_steps", 0],
            "--save_summaries_steps: must be a number above 0, not 0",
        ),
        (
            ["--history", "h", "--save_summaries_secs", "soon"],
            "--save_summaries_secs: must be a number above 0, not soon",
        ),
        (["--history", "none/h.jsonl"], "--history none/h.jsonl: "),
        (["--history", "."], "--history .: it is a folder; name a file"),
        (
            ["--history", "one.plan"],
            "--history one.plan: that is the plan, which would be overwritten",
        ),
        (["--summary_dir", "one.plan"], "--summary_dir one.plan: one.plan: Not a directory"),
    ],
)
def test_refused(box, one, flags, words):
    box.refused(words, one, *flags)
