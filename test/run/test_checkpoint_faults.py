"""kill -9 at single operations on the files of a run; test/runtime/checkpoint/FaultsTest.cpp has
every one of them."""

import os

import pytest
from box import LONG, LOST, same
from faults import fault

STEPS = 50
RUN = "--steps", STEPS, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 10


@pytest.mark.parametrize("task", ["worker-0", "ps-0"])
def test_killed_at_operations(box, two, task):
    """The chief and the parameter server are killed at operations on checkpoint and dump, and the
    run is started again: the weights are an undisturbed run's, and so are the folders. Eight
    operations of each, all of them with --long."""
    straight = box.weights(two, *RUN[:2], to="straight")
    box.graphrun(two, *RUN)
    whole = sorted(os.listdir(box / "ckpt"))
    for at in range(1, 400) if LONG else (1, 2, 5, 9, 14, 23, 37, 60):
        ckpt, dump = f"saved-{at}", f"saved-{at}-dump"
        run = [
            "--steps",
            STEPS,
            "--checkpoint_dir",
            ckpt,
            "--save_checkpoint_steps",
            10,
            "--dump_variables",
            dump,
        ]
        if (box / "fired").exists():
            (box / "fired").unlink()
        killed = box.launch(two, *run, env=fault(box, "half", at, task, f"saved-{at}"))
        killed.ends((0, LOST))
        if killed.status == 0:
            assert not (box / "fired").exists() and at > 9, "no operation was met"
            break
        killed.err.expect("was killed by signal 9")
        box.graphrun(two, *run)
        same(straight, box / dump)
        same(box / f"ckpt/step-{STEPS}", box / ckpt / f"step-{STEPS}")
        assert sorted(os.listdir(box / ckpt)) == whole
