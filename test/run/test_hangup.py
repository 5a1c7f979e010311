"""Closing the terminal ends a run in good order; where SIGHUP was ignored at the start (nohup) the
run goes on."""

import os
import signal
import sys

import pytest
from box import FOREVER, HERE
from process import TRAINS, always, children, ended, until

STOPPED = "stopped at step [0-9]+ of 100000000 as asked"


def plan(box, name):
    return {
        "ps": lambda: box.servers("ps", 2, 1),
        "one": lambda: box.oneDevice("one", 2),
        "reduce": lambda: box.compile("reduce", {"worker": 2, "strategy": "all_reduce"}),
    }[name]()


@pytest.mark.parametrize("name", ["ps", "one", "reduce"])
def test_terminal_closes(box, name):
    """A launcher and a lone task end with the checkpoint of their last step."""
    box.run(
        sys.executable,
        HERE / "terminal.py",
        "log.txt",
        "status.txt",
        "graphrun",
        plan(box, name),
        "--steps",
        FOREVER,
        "--checkpoint_dir",
        "ckpt",
    )
    until((box / "status.txt").exists, "the run ends")
    log = box.file("log.txt")
    log.expect(f"{STOPPED}; start again with --checkpoint_dir ckpt")
    assert (box / "status.txt").read_text() == "1"
    assert (
        box / f"ckpt/step-{log.matches('stopped at step ([0-9]+) of')[0]}/manifest.json"
    ).exists(), "the checkpoint of its last step"


@pytest.mark.parametrize("name", ["ps", "one"])
def test_nohup(box, name):
    """What it asks for holds, for the launcher, for its tasks and for a lone task."""
    run = box.start(
        "nohup", "graphrun", plan(box, name), "--steps", FOREVER, "--checkpoint_dir", "kept"
    )
    run.err.waitFor(TRAINS)
    for pid in [run.pid, *children(run.pid)]:
        os.kill(pid, signal.SIGHUP)
    always(lambda: run.running and "stopping" not in run.text(), "nohup is not overridden", 1)
    run.stop(status=1)
    run.err.expect(STOPPED)


def test_tasks_by_hand(box, task):
    """Told twice, by the kernel and by the shell: all end in order, with a checkpoint."""
    path = plan(box, "ps")
    chief, worker, server = [
        task(name, path, "--steps", FOREVER, "--checkpoint_dir", "by-hand")
        for name in ("worker-0", "worker-1", "ps-0")
    ]
    chief.waitFor(TRAINS)
    for _ in range(2):
        if worker.running:
            worker.signal(signal.SIGHUP)
    ended([chief, worker, server], 1)
    chief.expect(f"{STOPPED}; start again with --checkpoint_dir by-hand")
    assert list(box.folder.glob("by-hand/step-*[0-9]/manifest.json"))


def test_server(box, ports):
    """In the middle of a run: its client stops in order, the server ends with 0."""
    served = box.compile("cluster", {"worker": ports.addresses(2), "strategy": "mirrored"})
    server = box.task("worker-1", "server", "--cluster", "cluster.json")
    run = box.trains(
        served, "--master", f"grpc://localhost:{ports[0]}", "--checkpoint_dir", "served"
    )
    for _ in range(2):
        if server.running:
            server.signal(signal.SIGHUP)
    run.ends(1)
    run.err.expect(f"{STOPPED}; start again with --checkpoint_dir served")
    server.ends(0)
    server.expect("shut down as asked")
