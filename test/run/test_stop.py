"""A run that is told to stop, whose launcher dies, or of which a process is stopped."""

import os
import signal
import sys
import time

from box import LOST, delay, same
from process import TRAINS


def test_sigterm(box, two):
    """SIGTERM stops at a step boundary with a checkpoint, and says how to go on."""
    run = box.trains(two, "--checkpoint_dir", "dir")
    run.stop(status=1)
    run.err.expect(
        "^graphrun: stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir dir"
    )
    assert list(box.folder.glob("dir/step-*/")), "a checkpoint"


def test_resumed_in_an_epoch(box, two):
    """Ctrl-C, a signal to the whole group, is one request; stopped in the middle of an epoch and
    resumed, the bits are as uninterrupted."""
    straight = box.weights(two, "--steps", 1000)
    run = box.launch(
        two,
        "--steps",
        1000,
        "--checkpoint_dir",
        "middle",
        "--save_checkpoint_steps",
        100000,
        env=delay(worker1=10000),
    )
    run.err.waitFor(TRAINS)
    os.killpg(run.pid, signal.SIGINT)
    run.ends(1)
    run.err.expect("start again with --checkpoint_dir middle")
    resumed = box.launch(
        two, "--steps", 1000, "--checkpoint_dir", "middle", "--dump_variables", "resumed"
    ).ends()
    resumed.err.expect("going on from middle/step-")
    same(straight, box / "resumed")


def test_launcher_killed(box, two):
    """kill -9 of the launcher takes its tasks along."""
    run = box.trains(two)
    run.kill()
    box.nothingLeft()


def test_silent_task(box, two):
    """A process that is stopped is found by its silence, and named."""
    run = box.trains(two)
    os.kill(run.pidOf("worker-1"), signal.SIGSTOP)
    run.ends(LOST)
    run.err.expect("/job:worker/task:1.*did not")


def test_all_sleep(box, two):
    """All stopped for longer than silence is borne (Ctrl-Z, a machine that sleeps): nobody is
    lost."""
    run = box.trains(two, "--checkpoint_dir", "slept")
    os.killpg(run.pid, signal.SIGSTOP)
    time.sleep(10)
    os.killpg(run.pid, signal.SIGCONT)
    time.sleep(1)
    run.stop(status=1)
    run.err.expect("stopped at step [0-9]+ of 100000000 as asked")


def test_sigchld_ignored(box, two):
    """Started by a parent that ignores SIGCHLD, whose children inherit that, it sees its tasks end
    all the same."""
    box.run(
        sys.executable,
        "-c",
        "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        f"os.execvp('graphrun', ['graphrun', '{two}', '--steps', '5'])",
    ).err.expect("step 5/5")
