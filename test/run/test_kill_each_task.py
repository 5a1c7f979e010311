"""kill -9 of each task in turn, and going on from the checkpoints that the run left."""
import os
import signal

import pytest
from box import FOREVER, same
from process import DEATH


@pytest.mark.parametrize("job, index", [("ps", 0), ("worker", 0), ("worker", 1)])
@pytest.mark.parametrize("transport", ["shm", "grpc"])
def test_killed(box, two, transport, job, index):
    """graphrun ends the others at once, exits with 1, names task and signal, also in the log file, and says how to go on."""
    run = box.launch(two, "--steps", FOREVER, f"--transport={transport}", "--checkpoint_dir", "dir", "--checkpoint_every_steps", 100,
                     "--log_file", "log.json")
    box.checkpoint("dir")
    os.kill(run.task(job, index), signal.SIGKILL)
    run.ends(1, DEATH)
    run.err.expect(rf"^graphrun: /job:{job}/task:{index} \(process [0-9]+ on .*\) was killed by signal 9", "--checkpoint_dir dir")
    box.file("log.json").expect(f'"task":"launcher","message":"/job:{job}/task:{index} .* was killed by signal 9')


def test_goes_on(box, two):
    """A run that was killed is finished to the bits of an uninterrupted one; one that is finished says so, and evaluates."""
    straight = box.weights(two, "--steps", 600)
    run = box.launch(two, "--steps", 600, "--checkpoint_dir", "go", "--checkpoint_every_steps", 50)
    box.checkpoint("go")
    if server := run.taskNow("ps", 0):
        os.kill(server, signal.SIGKILL)
    run.ends(None)
    resumed = box.weights(two, "--steps", 600, "--checkpoint_dir", "go")
    box.processes[-1].err.expect("going on from go/step-[0-9]+")
    same(straight, resumed)
    finished = box.graphrun(two, "--steps", 600, "--checkpoint_dir", "go")
    finished.err.expect("nothing to train: the run is at step 600")
    finished.out.expect("^test accuracy")
