"""kill -9 of each task in turn, and going on from the checkpoints that the run left."""

import os
import signal

import pytest
from box import asName, same


@pytest.mark.parametrize("task", ["ps-0", "worker-0", "worker-1"])
def test_killed(box, two, transport, task):
    """graphrun ends the others at once, exits with 138, names task and signal, also in the log
    file, and says how to go on."""
    box.dies(two, task, f"--transport={transport}", "--log_file", "log.json")
    box.file("log.json").expect(
        f'"task":"launcher","message":"{asName(task)} .* was killed by signal 9'
    )


def test_goes_on(box, two):
    """A run that was killed is finished to the bits of an uninterrupted one; one that is finished
    says so, and evaluates."""
    straight = box.weights(two, "--steps", 600)
    run = box.launch(two, "--steps", 600, "--checkpoint_dir", "go", "--save_checkpoint_steps", 50)
    box.checkpoint("go")
    if server := run.pidNow("ps-0"):
        os.kill(server, signal.SIGKILL)
    run.ends(None)
    resumed = box.weights(two, "--steps", 600, "--checkpoint_dir", "go")
    box.last.err.expect("going on from go/step-[0-9]+")
    same(straight, resumed)
    finished = box.graphrun(two, "--steps", 600, "--checkpoint_dir", "go")
    finished.err.expect("nothing to train: the run is at step 600")
    finished.out.expect("^test accuracy")
