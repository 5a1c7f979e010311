"""Of asynchronous training with --max_restarts: a worker that dies is started again, and the others
never stop."""

import json
import os
import random
import signal
import time

import pytest
from box import LONG, MLP, asName, delay, steps
from formats import updates
from process import until

BACK = r"is back \(process [0-9]+\), and goes on with its step [0-9]+"
BEFORE = "last checkpoint", "going on from", "from the beginning"  # nobody goes back
SLOW = delay(worker0=1000, worker1=1000, worker2=1000)


def joins(number, most, task):
    return rf"; the others go on; restarting {asName(task)} .*, to join them \(restart {number} of {most}\)$"


def launch(box, plan, count, *flags, most=9, env=SLOW, **how):
    return box.launch(
        plan,
        "--steps",
        count,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        100000,
        "--max_restarts",
        most,
        "--dump_variables",
        "dump",
        "--fetch",
        "loss",
        *flags,
        env=env,
        **how,
    )


def made(run, task):
    """Steps of a worker whose results have come."""
    return run.out.text().count(f"{asName(task)} loss")


def isBack(run, number):
    until(lambda: len(run.err.matches(BACK)) == number, f"it is back, time {number}", 40)


def goesAndComesBack(run, number, most, task):
    os.kill(run.pidOf(task), signal.SIGKILL)
    run.err.waitFor(joins(number, most, task))
    isBack(run, number)


@pytest.mark.parametrize("ps", [1, 2])
def test_killed(box, transport, ps):
    """kill -9 of a worker, three times: no other process ends, nobody goes back to a checkpoint,
    and each update counts once."""
    if ps == 1 and not LONG:
        pytest.skip("one server: --long, and the tests below")
    plan = box.servers("async", 3, ps, "async")
    tasks = [f"worker-{i}" for i in range(3)] + [f"ps-{i}" for i in range(ps)]
    run = launch(box, plan, 3000, f"--transport={transport}")
    for number in range(1, 4):
        until(lambda: steps(run) > 300 * number, "it trains")
        before = {task: run.pidOf(task) for task in tasks}
        goesAndComesBack(run, number, 9, "worker-1")
        after = {task: run.pidOf(task) for task in tasks}
        assert {task for task in tasks if before[task] != after[task]} == {"worker-1"}
        more = made(run, "worker-1")
        until(lambda: made(run, "worker-1") > more or not run.running, "it makes steps again")
    run.ends()
    run.err.never(*BEFORE)
    assert updates(box / "dump") == 3000


def test_the_others_go_on(box):
    """While its next process is held back for a second the other one makes steps; and each result
    comes once."""
    plan = box.servers("async", 2, 1, "async")
    run = launch(box, plan, 2500, most=3)
    until(lambda: steps(run) > 100, "it trains")
    for number in (1, 2, 3):  # the third time it is held back for a second
        os.kill(run.pidOf("worker-1"), signal.SIGKILL)
        run.err.waitFor(joins(number, 3, "worker-1"))
        before = made(run, "worker-0")
        isBack(run, number)
    more = made(run, "worker-0") - before
    assert more > 10, f"only {more} steps of the other in a second"
    run.ends()
    assert updates(box / "dump") == 2500
    printed = made(run, "worker-0") + made(run, "worker-1")
    assert 2000 < printed <= 2500, (
        f"{printed} results: none twice, and none lost but those on their way at a death"
    )


def test_lost_on_the_way_back(box, transport):
    """Its next process dies too, at whatever moment of its return; at last one comes back, and each
    update counts once."""
    draw = random.Random(7)
    plan = box.servers("async", 3, 2, "async")
    run = launch(box, plan, 100000000, f"--transport={transport}", most=6)
    until(lambda: steps(run) > 100, "it trains")
    last = None
    for number in range(1, 5):
        pid = until(
            lambda: (now := run.pidNow("worker-2")) != last and now, f"process {number} of it"
        )
        time.sleep(draw.random() * 0.08 if last else 0)
        os.kill(pid, signal.SIGKILL)
        last = pid
        run.err.waitFor(joins(number, 6, "worker-2"), 40)
    backs = len(run.err.matches(BACK))
    until(
        lambda: len(run.err.matches(BACK)) > backs or run.pidNow("worker-2") is None,
        "it is back",
        40,
    )
    run.stop(1)
    run.err.never(*BEFORE)
    box.clearSockets()
    box.graphrun(
        plan,
        "--steps",
        (total := stoppedAt(run) + 100),
        "--checkpoint_dir",
        "ckpt",
        "--dump_variables",
        "dump",
    )
    assert updates(box / "dump") == total


def stoppedAt(run):
    return int(run.err.matches(r"stopped at step ([0-9]+) of [0-9]+ as asked")[0])


def test_two_away_at_once(box, transport):
    plan = box.servers("async", 4, 2, "async")
    run = launch(
        box,
        plan,
        2500,
        f"--transport={transport}",
        env=delay(worker0=1000, worker1=1000, worker2=1000, worker3=1000),
    )
    for number in (1, 2):
        until(lambda: steps(run) > 300 * number, "it trains")
        for task in ("worker-1", "worker-3"):
            os.kill(run.pidOf(task), signal.SIGKILL)
        isBack(run, 2 * number)
    run.ends()
    run.err.never(*BEFORE)
    assert updates(box / "dump") == 2500


@pytest.mark.parametrize(
    "optimizer",
    [
        "adamw<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.001, decay_steps = 4000>, weight_decay = 0.01>"
    ],
    ids=["adamw"],
)
def test_updates_that_count(box, optimizer):
    """An update whose rate or correction is made of the number of updates, which is written in the
    same step."""
    text = MLP.read_text()
    box.write(
        "counts.mlir", text.replace("momentum<learning_rate = 0.05, momentum = 0.9>", optimizer)
    )
    run = launch(box, box.servers("async", 3, 1, "async", box / "counts.mlir"), 2000)
    until(lambda: steps(run) > 300, "it trains")
    goesAndComesBack(run, 1, 9, "worker-1")
    run.ends()
    run.err.never(*BEFORE)
    assert updates(box / "dump") == 2000


def test_another_is_stopped(box, transport):
    """A worker comes back while another one, for which nobody waits, does not answer."""
    plan = box.servers("async", 3, 2, "async")
    run = launch(box, plan, 1500, f"--transport={transport}")
    until(lambda: steps(run) > 200, "it trains")
    stopped = run.pidOf("worker-2")
    os.kill(stopped, signal.SIGSTOP)
    os.kill(run.pidOf("worker-1"), signal.SIGKILL)
    isBack(run, 1)
    before = made(run, "worker-1")
    until(lambda: made(run, "worker-1") > before + 20, "it makes steps")
    os.kill(stopped, signal.SIGCONT)
    run.ends()
    run.err.never(*BEFORE)
    assert updates(box / "dump") == 1500


def test_silent(box):
    """A worker that is stopped is lost past --deadline: it is killed, and its next process comes
    back. Nobody else is named for it."""
    plan = box.servers("async", 2, 1, "async", max_staleness=3)
    run = launch(box, plan, 1500, "--deadline", 6)
    until(lambda: steps(run) > 300, "it trains")
    os.kill(run.pidOf("worker-1"), signal.SIGSTOP)
    run.err.waitFor(joins(1, 9, "worker-1"), 40)
    isBack(run, 1)
    run.ends()
    run.err.never(*BEFORE)
    assert {name.rstrip(":") for name in run.err.matches("a wait lasts: (.*?) ")} <= {
        asName("worker-1")
    }
    assert updates(box / "dump") == 1500


@pytest.mark.parametrize("when", ["away", "before"])
def test_stopped_while_away(box, when):
    """SIGTERM while a worker is away, or right before it dies: it comes back, and the run ends in
    good order, with a checkpoint from which it goes on."""
    plan = box.servers("async", 2, 2, "async")
    train = (
        plan,
        "--steps",
        4000,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        100000,
        "--max_restarts",
        3,
        "--dump_variables",
        "dump",
    )
    run = box.launch(*train, "--fetch", "loss", env=SLOW)
    until(lambda: steps(run) > 100, "it trains")
    goesAndComesBack(run, 1, 3, "worker-1")
    if when == "before":
        os.kill(run.pidOf("worker-1"), signal.SIGSTOP)  # it cannot end its part before it dies
        run.signal(signal.SIGTERM)
        time.sleep(0.1)
        os.kill(run.pidOf("worker-1"), signal.SIGKILL)
    else:
        os.kill(run.pidOf("worker-1"), signal.SIGKILL)
        run.err.waitFor(joins(2, 3, "worker-1"))
        run.signal(signal.SIGTERM)
    run.ends(1)
    run.err.expect("stopped at step [0-9]+ of 4000 as asked")
    run.err.never(*BEFORE)
    box.graphrun(*train)
    assert updates(box / "dump") == 4000


@pytest.mark.parametrize("task", ["ps-0", "worker-0"])
def test_who_is_needed(box, task):
    """A parameter server and the chief: all go back to the last checkpoint, and why is said."""
    plan = box.servers("async", 2, 1, "async")
    run = box.launch(
        plan,
        "--steps",
        1000,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        400,
        "--max_restarts",
        3,
        "--dump_variables",
        "dump",
        "--fetch",
        "loss",
        env=SLOW,
    )
    box.checkpoint("ckpt")
    until(lambda: steps(run) > 450, "the phase behind it has begun")
    os.kill(run.pidOf(task), signal.SIGKILL)
    run.err.waitFor(rf"restarting {asName(task)} from .*restart 1 of 3")
    run.ends()
    assert updates(box / "dump") == 1000
    if task == "ps-0":
        run.err.expect("was lost, and all go back to the last checkpoint, since it has variables")


def test_no_more_restarts(box):
    """The death that is one too many ends the run by its name, at once and not by a deadline."""
    plan = box.servers("async", 2, 1, "async")
    run = launch(box, plan, 100000000, most=1)
    until(lambda: steps(run) > 100, "it trains")
    os.kill(run.pidOf("worker-1"), signal.SIGKILL)
    isBack(run, 1)
    os.kill(run.pidOf("worker-1"), signal.SIGKILL)
    run.ends(138, 20)
    run.err.expect(
        rf"{asName('worker-1')} .*was killed by signal 9",
        r"all restarts are used up \(--max_restarts 1\)",
    )


def test_staleness(box):
    """With a bound on staleness the others wait for one that is away when they are so far ahead,
    and go on with it."""
    plan = box.servers("async", 3, 2, "async", max_staleness=2)
    run = launch(box, plan, 2000, "--stats", "stats.json", most=3)
    until(lambda: steps(run) > 300, "it trains")
    for number in (1, 2):
        goesAndComesBack(run, number, 3, "worker-2")
    run.ends()
    run.err.never(*BEFORE)
    assert updates(box / "dump") == 2000


def test_status_of_one_that_is_away(box):
    plan = box.servers("async", 2, 1, "async")
    run = launch(box, plan, 100000000, most=9)
    until(lambda: steps(run) > 100, "it trains")
    states = {}

    def look():  # it is away for twice as long each time
        states.update(
            {
                task["name"]: task["state"]
                for task in json.loads(box.graphrun("status", "ckpt", "--json").out.text())["tasks"]
            }
        )
        if states[asName("worker-1")] != "restarting" and (pid := run.pidNow("worker-1")):
            os.kill(pid, signal.SIGKILL)
        return states[asName("worker-1")] == "restarting"

    until(look, lambda: f"the status says so, and not {states}")
    assert states[asName("worker-0")] == "running" and states[asName("ps-0")] == "running"
    run.stop(1)
    box.clearSockets()
