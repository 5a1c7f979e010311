"""--max_restarts: what the launcher starts again, and what it does not."""
import os
import signal

import pytest
from box import FOREVER, LOST, asName, delay, same
from faults import fault

RUN = "--steps", 400, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 20
SLOW = delay(worker1=1000)


@pytest.fixture
def straight(box, two):
    return box.weights(two, *RUN[:2], to="straight")


def again(number, most):
    return rf"; restarting all tasks from .* in [0-9.m]+s \(restart {number} of {most}\)$"


@pytest.mark.parametrize("task,transport", [("ps-0", "shm"), ("worker-0", "grpc"), ("worker-1", "shm")])
def test_killed(box, two, straight, transport, task):
    """kill -9 of each task: all are started again, from the last checkpoint, and end with the bits of an undisturbed run."""
    run = box.launch(two, *RUN, "--max_restarts", 2, "--dump_variables", "dump", "--log_file", "log.json", f"--transport={transport}", env=SLOW)
    box.checkpoint("ckpt")
    os.kill(run.pidOf(task), signal.SIGKILL)
    run.ends()
    run.err.expect(rf"^graphrun: {asName(task)} \(process .*\) was killed by signal 9.*" + again(1, 2), "going on from ckpt/step-")
    run.err.never("restart 2 of 2")
    box.file("log.json").expect('"task":"launcher","message":".*restart 1 of 2')
    same(straight, box / "dump")


def test_before_the_first_checkpoint(box, two, straight):
    """Then from the beginning."""
    run = box.launch(two, "--steps", 400, "--checkpoint_dir", "ckpt", "--max_restarts", 3, "--dump_variables", "dump",
                     env={**SLOW, **fault(box, "kill", 1, "ps-0", "ckpt/step-")})
    run.ends()
    run.err.expect("from the beginning, as there is no checkpoint yet, in 500ms .restart 1 of 3.$")
    same(straight, box / "dump")


def test_used_up(box, two):
    """A task that dies each time: the pauses grow, the last death ends the run."""
    run = box.launch(two, *RUN, "--max_restarts", 2, env=fault(box, "kill", 1, "ps-0", "ckpt/step-", once=False))
    run.ends(LOST)
    run.err.expect(r"in 500ms \(restart 1 of 2\)", r"in 1s \(restart 2 of 2\)", "killed by signal 9", r"all restarts are used up \(--max_restarts 2\)")


@pytest.mark.parametrize("what", ["enospc", "eio"])
def test_the_same_again(box, two, what):
    """A full disk and one that fails end the run: a restart would meet them again. The shard of a later checkpoint cannot be opened."""
    run = box.launch(two, *RUN, "--max_restarts", 2, env=fault(box, what, 2, "ps-0", "ckpt/step-40", once=False))
    run.ends(1)
    run.err.expect("No space left on device" if what == "enospc" else "Input/output error", "^graphrun: no restart: the same would happen again")
    run.err.never("restarting")
    assert sorted(os.listdir(box / "ckpt")) == ["step-20"]


def test_silent(box, two, straight):
    """A process that is stopped is found by its silence, ended, and started again with the others."""
    run = box.launch(two, *RUN, "--max_restarts", 1, "--dump_variables", "dump", env=SLOW)
    box.checkpoint("ckpt")
    os.kill(run.pidOf("worker-1"), signal.SIGSTOP)
    run.ends()
    run.err.expect("/job:worker/task:1.* did not answer for .*" + again(1, 1))
    same(straight, box / "dump")


def test_stopped(box, two):
    """SIGTERM ends for good, while tasks run and between two starts."""
    run = box.trains(two, *RUN[2:], "--max_restarts", 5)
    run.stop(1)
    run.err.never("restart")
    run = box.launch(two, "--steps", FOREVER, *RUN[2:], "--max_restarts", 50, env=fault(box, "kill", 1, "ps-0", "ckpt/step-", once=False))
    run.err.waitFor(again(3, 50))
    run.stop(1)
    run.err.expect("^graphrun: stopped before the restart, as asked; start again with --checkpoint_dir ckpt to go on")


def test_one_task(box):
    """A plan of one task has a launcher then."""
    plan = box.oneDevice("one", 2)
    run = box.launch(plan, *RUN, "--max_restarts", 1, "--dump_variables", "dump", env=fault(box, "half", 40, "worker-0", "ckpt/step-"))
    run.ends()
    run.err.expect("/job:worker/task:0 .* was killed by signal 9" + ".*" + again(1, 1))
    same(box.weights(plan, *RUN[:2]), box / "dump")

