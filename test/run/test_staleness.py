"""max_staleness: the others wait for a worker that is stopped (SIGSTOP) once they are so many steps
ahead; without the bound they do not."""

import os
import signal
import time

from box import delay, goesOn, steps
from process import always, until

BOUND = {"update": "async", "max_staleness": 2}


def begin(box, plan, deadline, transport="shm"):
    """A run paced so that it lasts some seconds, and its worker 2, stopped after the first
    steps."""
    run = box.launch(
        plan,
        "--steps",
        1500,
        "--fetch",
        "loss",
        "--deadline",
        deadline,
        f"--transport={transport}",
        "--stats",
        "stats.json",
        env=delay(worker0=300, worker1=300, worker2=300),
    )
    until(lambda: steps(run) > 30, "the first steps")
    worker = run.pidOf("worker-2")
    os.kill(worker, signal.SIGSTOP)
    return run, worker


def finish(run, worker):
    os.kill(worker, signal.SIGCONT)
    run.ends()
    assert len(run.out.matches("^/job:worker/task:[0-2] loss")) == 1500


def standsStill(run):
    before = steps(run)
    time.sleep(0.3)
    return steps(run) == before


def staleness(tasks):
    (found,) = [task["staleness"] for task in tasks.values() if "staleness" in task]
    return found


def test_bounded(box, transport):
    """The others wait, with words that say who waits for whom; they go on with it. The distances
    are in --stats."""
    run, worker = begin(box, box.servers("bounded", 3, 2, **BOUND), 12, transport)
    run.err.waitFor(
        r"^\[ps:[01]\] .*waits at step [0-9]+ for /job:worker/task:2, the slowest worker at step [0-9]+, before it hands step [0-9]+ "
        r"to /job:worker/task:[01] \(max_staleness is 2\)"
    )
    before = steps(run)
    always(lambda: steps(run) == before, "nobody makes a step while worker:2 is stopped", 1)
    finish(run, worker)
    tasks = box.json("stats.json")["tasks"]
    found = staleness(tasks)
    assert found["max"] == 2 and found["waits"] >= 2
    assert sum(found["steps_ahead"].values()) == 1500 and max(map(int, found["steps_ahead"])) <= 2
    made = [task["steps"] for name, task in tasks.items() if "worker" in name]
    assert max(made) - min(made) <= 3


def test_free(box):
    """Without a bound the others go on, far ahead."""
    run, worker = begin(box, box.servers("free", 3, 2, "async"), 60)
    goesOn(run, 200)
    finish(run, worker)
    # 200 steps by two: one of them has made 100.
    assert staleness(box.json("stats.json")["tasks"])["max"] > 50


def test_killed_while_waited_for(box):
    """Who dies while others wait for it is named at once."""
    run, _ = begin(box, box.servers("bounded", 3, 2, **BOUND), 60)
    until(lambda: standsStill(run), "the others wait")
    box.killed(run, "worker-2")
