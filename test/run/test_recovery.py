"""graphc --recovery memory: a run that has lost a task goes on from the memory of another, at most
a step behind where it was."""

import os
import signal
import time

import pytest
from box import FOREVER, MODELS, delay, same, steps
from faults import fault, holds
from process import TRAINS, until
from test_restarts import alone, pids

STEPS = 400
# No checkpoint before the end.
RUN = "--steps", STEPS, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 100000


def cluster(workers, **settings):
    return {"worker": workers, "strategy": {"name": "all_reduce", **settings}}


def tasks(workers):
    return [f"worker-{i}" for i in range(workers)]


def test_the_same_bits(box):
    """The commit point changes when things are done, and nothing of what is computed."""
    without, within = (
        box.compile(name, cluster(2), flags=flags)
        for name, flags in (("without", ()), ("within", ["--recovery=memory"]))
    )
    same(box.weights(without, "--steps", 50), box.weights(within, "--steps", 50))
    box.graphc("--verify_plan", within)


@pytest.mark.parametrize(
    "workers,victim,transport",
    [
        (2, "worker-1", "shm"),
        (2, "worker-0", "grpc"),
        (4, "worker-2", "grpc"),
        (4, "worker-0", "shm"),
    ],
)
def test_killed(box, workers, victim, transport):
    """kill -9 without any checkpoint: one step at most is made again, and the end is that of an
    undisturbed run."""
    plan = box.compile(f"memory{workers}", cluster(workers, recovery="memory"))
    straight = box.weights(plan, "--steps", STEPS)
    run = box.launch(
        plan,
        *RUN,
        "--max_restarts",
        2,
        "--dump_variables",
        "dump",
        "--fetch",
        "loss",
        f"--transport={transport}",
        env=delay(worker1=4000 if workers == 2 else 1000),
    )
    until(lambda: steps(run) > 40, "40 steps")
    before = pids(run, tasks(workers))
    killed = time.monotonic()
    os.kill(before[victim], signal.SIGKILL)
    run.err.waitFor("going on from step")
    made = steps(run)
    until(lambda: steps(run) > made or not run.running, "the next step")
    print(f"{time.monotonic() - killed:.3f} s from the death to the next step's loss")
    alone(run, before, victim)
    run.ends()
    run.err.expect(r"going on from step [0-9]+ in the memory of /job:worker/task:[0-9], copied in")
    run.err.never("going on from ckpt")
    assert len(run.out.matches("^loss")) <= STEPS + 1  # a step that is made again is printed again
    same(straight, box / "dump")


@pytest.mark.parametrize("model", ["dropout", "deep-mlp", "wide", "normalized"])
def test_one_after_the_other(box, model):
    """Whoever was copied to is copied from: the first that is killed, then the other one, of whom
    nobody has read a checkpoint."""
    plan = box.compile(
        f"memory-{model}", cluster(2, recovery="memory"), model=MODELS / f"{model}.mlir"
    )
    straight = box.weights(plan, "--steps", STEPS)
    run = box.launch(
        plan, *RUN, "--max_restarts", 3, "--dump_variables", "dump", env=delay(worker1=3000)
    )
    run.err.waitFor(TRAINS)
    for number, victim in enumerate(["worker-1", "worker-0"], 1):
        before = pids(run, tasks(2))
        os.kill(before[victim], signal.SIGKILL)
        until(lambda: len(run.err.matches("going on from step")) == number, f"recovery {number}")
        alone(run, before, victim, number, 3)
    run.ends()
    run.err.never("going on from ckpt")
    same(straight, box / "dump")


def launchForever(box, restarts, env):
    """Two workers that recover from memory and train until they are stopped."""
    plan = box.compile("memory2", cluster(2, recovery="memory"))
    flags = "--steps", FOREVER, *RUN[2:], "--max_restarts", restarts, "--fetch", "loss"
    return box.launch(plan, *flags, env=env)


def savedStep(box):
    """The step of the only checkpoint."""
    (saved,) = os.listdir(box / "ckpt")
    return int(saved.removeprefix("step-"))


def test_stopped_before_the_restart(box):
    """SIGTERM in the pause before the second restart: what is in memory goes on for a step, and is
    saved."""
    run = launchForever(box, 5, delay(worker1=1000))
    for number in 1, 2:
        until(
            lambda: (
                len(run.err.matches("going on from step")) == number - 1
                and steps(run) > 40 * number
            ),
            "some steps",
        )
        os.kill(run.pidOf("worker-1"), signal.SIGKILL)
        run.err.waitFor(rf"\(restart {number} of 5\)$")
    made = steps(run)
    run.stop(status=1)
    run.err.expect(
        r"in 500ms \(restart 2 of 5\)$",
        "^graphrun: stopped at step [0-9]+ of .* as asked; start again with --checkpoint_dir ckpt",
    )
    assert savedStep(box) >= made


def test_stopped_while_a_task_starts(box):
    """SIGTERM while the new process of a lost task starts, which takes longer than the 5 s that a
    task which hangs has then: it joins, and what is in memory is saved."""
    run = launchForever(box, 2, {**holds(box), **delay(worker1=1000)})
    until(lambda: steps(run) > 20, "some steps")
    box.write("held", "")
    lost = run.pidOf("worker-1")
    os.kill(lost, signal.SIGKILL)
    run.err.waitFor(r"\(restart 1 of 2\)$")
    until(lambda: run.pidNow("worker-1") not in (None, lost), "a new process")
    made = steps(run)
    run.signal(signal.SIGTERM)
    time.sleep(8)
    (box / "held").unlink()
    run.ends(1)
    run.err.expect("^graphrun: stopped at step [0-9]+ of .* as asked; start again with")
    assert savedStep(box) >= made


def test_due_where_it_died(box):
    """A checkpoint that a death has cost is made where the run goes on, and no later one in its
    place. Who lives keeps the code that it has loaded."""
    plan = box.compile("memory2", cluster(2, recovery="memory"))
    straight = box.weights(plan, "--steps", 100)
    run = box.launch(
        plan,
        "--steps",
        100,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        40,
        "--keep_checkpoint_max",
        0,
        "--max_restarts",
        2,
        "--dump_variables",
        "dump",
        env={**delay(worker1=3000), **fault(box, "kill", 3, "worker-0", "ckpt/step-40")},
    )
    living = run.pidOf("worker-1")
    code = until(lambda: mapped(living), "its code")
    run.err.waitFor("going on from step 40 in the memory of /job:worker/task:1, copied in")
    assert mapped(living) == code
    run.ends()
    assert sorted(os.listdir(box / "ckpt")) == ["finished.json", "step-100", "step-40", "step-80"]
    same(straight, box / "dump")


def mapped(process):
    """Where a plan's code lies in it, and in which file."""
    with open(f"/proc/{process}/maps") as maps:
        return sorted((line.split()[0], line.split()[4]) for line in maps if "graphc-code" in line)


def test_nobody_lives(box):
    """All are killed at once: the last checkpoint counts, and where there is none the beginning."""
    plan = box.compile("memory2", cluster(2, recovery="memory"))
    straight = box.weights(plan, "--steps", STEPS)
    run = box.launch(
        plan,
        "--steps",
        STEPS,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        20,
        "--max_restarts",
        2,
        "--dump_variables",
        "dump",
        env=delay(worker1=3000),
    )
    box.checkpoint("ckpt")
    both = pids(run, tasks(2)).values()
    # Neither task nor the launcher acts on the first death before the second one.
    for process in (run.pid, *both):
        os.kill(process, signal.SIGSTOP)
    for process in both:
        os.kill(process, signal.SIGKILL)
    run.signal(signal.SIGCONT)
    run.ends()
    run.err.expect("going on from ckpt/step-")
    run.err.never("going on from step")
    same(straight, box / "dump")
