"""A worker that is stopped (SIGSTOP) for longer than silence counts as death, where the others do
not wait for it."""

import os
import signal
import time

import pytest
from box import LONG, LOST, delay, goesOn, steps
from process import until

PLANS = {
    "backup": (3, {"replicas_to_aggregate": 2}),
    "async": (2, {"update": "async"}),
    "sync": (2, {}),
}


def begin(box, kind, *arguments):
    """A run with a line a step, its last worker's number and process."""
    workers, settings = PLANS[kind]
    run = box.launch(
        box.servers(kind, workers, 1, **settings),
        "--steps",
        1000000000,
        "--fetch",
        "loss",
        *arguments,
        env=delay(worker0=2000, worker1=2000, worker2=2000),
    )
    until(lambda: steps(run) > 30, "the first steps")
    return run, workers - 1, run.pidOf(f"worker-{workers - 1}")


@pytest.mark.parametrize(
    "kind, transport",
    [("backup", "shm"), ("async", "grpc")] + [("backup", "grpc"), ("async", "shm")] * LONG,
)
def test_returns(box, kind, transport):
    """The others go on; silence and return are said; the run ends in good order."""
    run, last, worker = begin(box, kind, f"--transport={transport}")
    os.kill(worker, signal.SIGSTOP)
    # Longer than 5 s of heartbeats and than 10 s of gRPC's own pings.
    run.err.waitFor(
        rf"/job:worker/task:{last} \(process {worker} on .*\) does not answer for 5s; the others go on without it, and the run ends "
        r"if it is silent for 5m \(--deadline\)"
    )
    time.sleep(12)
    goesOn(run, 50, "while it is stopped")
    assert run.running
    os.kill(worker, signal.SIGCONT)
    run.err.waitFor(
        rf"/job:worker/task:{last} \(process {worker} on .*\) answers again, after (1|2)[0-9]s"
    )
    goesOn(run, 50, "when it is back")
    run.stop(status=1)
    run.err.expect("stopped at step [0-9]+ of 1000000000 as asked")


def test_past_the_deadline(box):
    """--deadline ends the run by the name of the silent one, and not before."""
    run, _, worker = begin(box, "backup", "--deadline", 12)
    begun = time.monotonic()
    os.kill(worker, signal.SIGSTOP)
    run.ends(LOST)
    assert time.monotonic() - begun >= 10
    run.err.expect("^graphrun: .*/job:worker/task:2")


def test_killed(box):
    """A death is noticed at once."""
    run, _, _ = begin(box, "backup")
    box.killed(run, "worker-2")


def test_synchronous(box):
    """A synchronous worker has no such grace."""
    run, _, worker = begin(box, "sync")
    os.kill(worker, signal.SIGSTOP)
    run.ends(LOST)
    run.err.expect("/job:worker/task:1.*did not answer for 5s")
