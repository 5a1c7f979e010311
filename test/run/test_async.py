"""Asynchronous training: --steps counts applied updates, every worker ends, a kill is survived, a
slow worker holds nobody up."""

import pytest
from box import delay
from formats import updates


@pytest.fixture
def plan(box):
    return box.servers("async", 3, 2, "async")


def test_updates(box, plan, transport):
    """As many as asked for, whoever makes them."""
    dump = box.weights(plan, "--steps", 300, f"--transport={transport}", "--stats", "stats.json")
    assert updates(dump) == 300
    assert (
        sum(
            task["steps"]
            for name, task in box.json("stats.json")["tasks"].items()
            if "worker" in name
        )
        == 300
    )


def test_fetch(box, plan):
    """The loss of each update, whoever made it."""
    run = box.graphrun(plan, "--steps", 300, "--fetch", "loss")
    assert len(run.out.matches("^/job:worker/task:[0-2] loss [0-9.e+-]+$")) == 300


def test_slow_worker(box, plan):
    """It makes fewer steps than its share."""
    box.graphrun(plan, "--steps", 300, "--stats", "stats.json", env=delay(worker2=100000))
    tasks = box.json("stats.json")["tasks"]
    assert tasks["/job:worker/task:2"]["steps"] < 100


def test_killed(box, plan):
    """A death is named, and the next run goes on from the checkpoint."""
    box.dies(plan, "worker-2", folder="dir")
    box.graphrun(plan, "--epochs", 1, "--checkpoint_dir", "dir").err.expect(
        "going on from dir/step-"
    )
