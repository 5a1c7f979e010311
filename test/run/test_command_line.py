"""One line of error with cause and remedy, exit status 2, for every command line, plan and data that cannot run; and what good ones print."""
import json
import os
import signal

import pytest
from arrays import write
from box import FOREVER, HERE, same

FEED = """\
graph.variable @w : tensor<3x2xf32> = #graph.glorot_uniform<seed = 1>
graph.func @apply(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<3x2xf32>
  %y = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  graph.return %y : tensor<2x2xf32>
}
"""
NAMES = """\
graph.variable @"a/b" : tensor<2xf32> = #graph.zeros
graph.variable @"a.b" : tensor<2xf32> = #graph.zeros
graph.func @apply() -> (tensor<2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %a = graph.read @"a/b" : tensor<2xf32>
  %b = graph.read @"a.b" : tensor<2xf32>
  %y = graph.add %a, %b : tensor<2xf32>
  graph.return %y : tensor<2xf32>
}
"""


@pytest.fixture
def refuse(box, two):
    """refuse(words, arguments…): two.plan with them; `plan` is another one, or none."""
    def call(words, *arguments, plan=two, **how):
        box.refused(words, *([plan] if plan is not None else []), *arguments, seconds=30, **how)
    return call


@pytest.mark.parametrize("words, arguments", [
    ('unknown flag --stepz; did you mean "--steps"', ["--stepz", "3"]), ("'more.plan' is too many", ["more.plan"]),
    ("--epochs and --steps", ["--epochs", "1", "--steps", "2"]), ("--task_index needs --job_name", ["--task_index", "1"]),
    ("--entry predict.*it has train, eval", ["--entry", "predict"]), ('--fetch lose.*did you mean "loss"', ["--fetch", "lose"]),
    ("--feed x: expected NAME=FILE.npy", ["--feed", "x"]), ('did you mean "worker"', ["--job_name", "wroker"]), ("--checkpoint_every_", ["--checkpoint_every_steps", "4"]),
    ("--deadline: must be a number above 0, not 0", ["--deadline", "0"]), ("--epochs", ["--epochs", "-1"]), ("--steps.*1.5", ["--steps", "1.5"]),
    ("--stats no/such/file.json: no/such", ["--steps", "3", "--stats", "no/such/file.json"]), ("--stats /proc/stats", ["--steps", "3", "--stats", "/proc/stats"]),
    ("--log_file tmp: it is a folder", ["--steps", "3", "--log_file", "tmp"]),
    ("--dump_variables /proc/no/such: /proc", ["--steps", "3", "--dump_variables", "/proc/no/such"]),
    ("--checkpoint_dir /proc/no/such: /proc", ["--steps", "3", "--checkpoint_dir", "/proc/no/such"]),
    ("--checkpoint_dir: its value is empty", ["--steps", "3", "--checkpoint_dir", ""]),
    ("--task_index: must be a whole number, 0 or more, not -1", ["--job_name", "ps", "--task_index", "-1"]),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_flags(refuse, words, arguments):
    """Folders that cannot be written too, before anything is started."""
    refuse(words, *arguments)


def test_plans(box, two, refuse):
    """None, no file, an empty name, one that is cut, longer or of which a byte differs; a cluster file with a mistake."""
    refuse(r"which plan\?", plan=None)
    refuse("missing.plan: No such file", plan="missing.plan")
    refuse("its name is empty", plan="")
    data = (box / two).read_bytes()
    for name, bytes_ in {"short": data[:1000], "long": data + b"\n", "flipped": data[:700] + b"\xff" + data[701:]}.items():
        assert bytes_ != data
        box.write(f"{name}.plan", bytes_)
        refuse(f"{name}.plan", plan=f"{name}.plan")
    box.write("broken.json", '{"ps": 1, "wroker": 2\n')
    refuse("broken.json:[12]:", "--cluster", "broken.json")


@pytest.fixture
def feed(box):
    box.write("feed.mlir", FEED)
    return box.servers("feed", 1, 1, model="feed.mlir")


def test_feeds(box, feed, refuse):
    """Each mistake before anything is started; a good one gives a value."""
    write(box / "good.npy", "<f4", (2, 3), range(1, 7))
    write(box / "double.npy", "<f8", (2, 3), range(6))
    write(box / "turned.npy", "<f4", (3, 2), range(1, 7))
    write(box / "column.npy", "<f4", (2, 3), range(1, 7), fortran=True)
    box.write("short.npy", (box / "good.npy").read_bytes()[:-1])
    box.write("junk.npy", "junk")
    apply = ["--entry", "predict", "--fetch", "y"]
    for words, *arguments in (
            ("apply has the argument x : tensor<2x3xf32>; give its value with --feed x=FILE.npy",),
            ('--feed xx: the plan has no argument of this name; did you mean "x"', "xx=good.npy"),
            ("--feed x: expected tensor<2x3xf32>, double.npy has tensor<2x3xf64>", "x=double.npy"),
            ("--feed x: expected tensor<2x3xf32>, turned.npy has tensor<3x2xf32>", "x=turned.npy"),
            ("column.npy: .*column-major.*ascontiguousarray", "x=column.npy"), ("short.npy: .*needs 24 bytes, found 23", "x=short.npy"),
            ("junk.npy: .*NumPy", "x=junk.npy"), ("none.npy: No such file", "x=none.npy")):
        refuse(words, *apply, *(["--feed", *arguments] if arguments else []), plan=feed)
    box.graphrun(feed, *apply, "--feed", "x=good.npy").out.expect(r"^y \[\[.*\] \[.*\]\]$")


def test_standard_streams(box, two):
    """A full disk is an error, a reader that has seen enough ends the run, a closed descriptor is nobody's file."""
    with open("/dev/full", "w") as full:
        box.graphrun(two, "--steps", 3, "--fetch", "loss", status=1, stdout=full).err.expect("could not be written to standard output")
    reading, writing = os.pipe()
    run = box.launch(two, "--steps", FOREVER, "--fetch", "loss", stdout=writing)
    os.close(writing)
    assert os.read(reading, 1)
    os.close(reading)
    run.ends(128 + signal.SIGPIPE)
    box.run("sh", "-c", f"exec graphrun {two} --steps 3 --stats stats.json <&- >&- 2>&-", seconds=30)


def test_limits(box, two):
    """Of the machine: one line, not an abort, and nothing half written is left."""
    files = box.run("sh", "-c", f"ulimit -n 12; exec graphrun {two} --steps 3", status=1, seconds=30)
    files.expect("Too many open files; raise ulimit -n")
    files.oneError()
    large = box.oneDevice("library", 1, HERE.parent / "bench/models/mlp.mlir")  # large enough for the library's matmul
    box.run("bash", "-c", f"ulimit -f 1000; exec graphrun {large} --steps 3 --checkpoint_dir small", status=None, seconds=30).expect(
        "small/step-3.partial/.*: File too large")
    assert not os.listdir(box / "small")


@pytest.mark.parametrize("odd", ["fifo", "/dev/zero"])
def test_never_ends(box, two, feed, refuse, odd):
    """What never ends, or never begins, is refused at once where a file is meant."""
    os.mkfifo(box / "fifo")
    refuse(f"{odd}: not a regular file", plan=odd)
    refuse(f"{odd}: .*not a regular file", "--cluster", odd)
    refuse(f"{odd}: not a regular file", "--entry", "predict", "--fetch", "y", "--feed", f"x={odd}", plan=feed)
    refuse("--log_file fifo: nobody reads this pipe", "--steps", 3, "--log_file", "fifo")


def test_pipes(box, two):
    """A pipe that is open is read, once, for all tasks; '-' is standard input, '-' and '_' in flags are alike, results go to standard
    output and progress to standard error; a log that cannot be written ends no run, and is said in one kind of line."""
    box.run("bash", "-c", f"exec graphrun <(cat {two}) --steps 3 --stats -", seconds=30).out.expect('"/job:worker/task:1"')
    with open(box / two) as plan:
        box.graphrun("/dev/stdin", "--steps", 3, "--local=true", stdin=plan, seconds=30).err.expect("step 3/3")
    with open(box / two) as plan:
        run = box.graphrun("-", "--steps", 3, "--fetch", "loss", "--dump-variables=a", stdin=plan, seconds=60)
    assert len(run.out.matches("^loss [0-9]")) == 3
    run = box.graphrun(two, "--steps", 3, "--dump_variables", "b")
    same(box / "a", box / "b")
    run.err.expect("epoch 1/1  step 3/3")
    full = box.graphrun(two, "--steps", 3, "--log_file", "/dev/full").err
    full.expect("--log_file /dev/full: the log is cut short: .*No space left")
    assert not [line for line in full.lines() if "No space" in line and "cut short" not in line]


def test_output_is_no_input(box, two, refuse):
    """An output is never an input, which stays as it is."""
    before = (box / two).read_bytes()
    refuse("--stats two.plan: that is the plan, which would be overwritten", "--steps", 3, "--stats", two)
    refuse("--log_file ./two.plan: that is the plan", "--steps", 3, "--log_file", f"./{two}")
    assert (box / two).read_bytes() == before


def test_tf_config(box, two, refuse):
    """One that cannot be used: a line, and where it names this task a refusal; --local asks for none. Addresses without a task are not used."""
    others = {"cluster": {"worker": ["a:1"]}}
    box.graphrun(two, "--steps", 3, env={"TF_CONFIG": json.dumps(others)}).err.expect("TF_CONFIG is not used: it has 1 worker task, the plan has")
    mine = {"TF_CONFIG": json.dumps({**others, "task": {"type": "worker", "index": 0}})}
    refuse("TF_CONFIG is not used: it has .*names this process.s task", "--steps", 3, env=mine)
    box.graphrun(two, "--steps", 3, "--local", env=mine)
    box.write("addresses.json", {"cluster": {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}})
    box.graphrun(two, "--steps", 3, "--cluster", "addresses.json").err.expect(
        "no task is named, so every task starts here and the addresses from addresses.json are not used")


def test_two_variables_one_file(box, refuse):
    box.write("names.mlir", NAMES)
    refuse('--dump_variables: @"a/b" and @"a.b" would both be a.b.npy', "--entry", "predict", "--dump_variables", "names",
           plan=box.servers("names", 1, 1, model="names.mlir"))


def test_names_of_another_encoding(box, two):
    """A folder whose name is no UTF-8; the log file is JSON all the same."""
    def run(*arguments, **how):
        return box.run("bash", "-c", "exec graphrun " + " ".join(map(str, arguments)), **how)
    run(two, "--steps", 3, "--dump_variables", r"$'dump\xff'", "--checkpoint_dir", r"$'check\xff'", "--log_file", "odd.json")
    folder = os.fsencode(box.folder)
    assert os.path.isfile(folder + b"/dump\xff/w1.npy") and os.path.isdir(folder + b"/check\xff/step-3")
    open(folder + b"/file\xff", "w").close()
    run(two, "--steps", 3, "--checkpoint_dir", r"$'file\xff'", "--log_file", "odd.json", status=(1, 2)).expect("file.*: Not a directory")
    assert [json.loads(line) for line in (box / "odd.json").read_text(encoding="utf-8").splitlines()]


def test_help(box):
    box.graphrun("--help").expect(*(f"--{flag}" for flag in (
        "epochs steps data_dir checkpoint_dir stats entry intra_op_threads job_name task_index cluster local transport "
        "eval_every_epochs log_file fetch feed dump_variables").split()))
    assert box.graphrun("--version").out.text() == "graphrun 0.1.0\n"


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
    assert sum(task["bytes_sent"] for task in tasks.values()) == sum(task["bytes_received"] for task in tasks.values()) > 0
    assert tasks["/job:worker/task:0"]["bytes_sent"] == tasks["/job:worker/task:1"]["bytes_sent"]
    assert 0 <= stats["final"]["accuracy"] <= 1 and stats["final"]["loss"] > 0


def test_evaluation(box, two):
    box.graphrun(two, "--entry", "eval", "--steps", 6).out.expect(r"^test accuracy .* \(57 samples\)")
    box.graphrun(two, "--epochs", 3, "--eval_every_epochs", 1).err.expect(r"accuracy 0\.")
