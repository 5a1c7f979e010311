"""graphrun under the address and the thread sanitizer, as users have it: launcher, tasks and
servers in processes of their own.

Handlers of signals, what the heartbeat asks and shows, the launcher's loop and the servers' are in
graphrun alone, where no test of the runtime's libraries comes. What any process reports fails the
test, also where nobody hears of its exit status.
"""

import os
import signal
import sys

import pytest
from box import ROOT, same, tls
from process import ended

sys.path.insert(0, str(ROOT / "test/ci"))
import sanitizers  # noqa: E402


@pytest.fixture(params=sanitizers.PRESETS)
def row(request, box):
    """The environment in which graphrun is a sanitizer's, and each process writes what it finds
    into a file of its own."""
    folder = ROOT / "build" / request.param / "bin"
    if not (folder / "graphrun").exists():
        pytest.fail(
            f"graphrun is not in build/{request.param}: cmake --preset {request.param} && cmake --build --preset {request.param}"
        )
    made = {
        **sanitizers.environment(ROOT),
        "PATH": os.pathsep.join([str(folder), box.environment["PATH"]]),
    }
    for name in "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS":
        made[name] += f":log_path={box / 'found'}"
    # A task that fails ends by _exit, with its threads as they are (docs/threading.md), and within
    # the launcher's patience.
    made["TSAN_OPTIONS"] += ":report_thread_leaks=0:atexit_sleep_ms=100"
    yield made
    if found := reports(box):
        pytest.fail("\n".join(file.read_text(errors="replace") for file in found))


def reports(box):
    return sorted(box.folder.glob("found.*"))


def test_seen(box, two, row):
    """What a task finds is seen here, so that the tests below can fail."""
    run = box.trains(two, env=row)
    os.kill(run.pidOf("worker-1"), signal.SIGSEGV)
    run.ends(138)
    (report,) = reports(box)
    assert "Sanitizer: SEGV on unknown address" in report.read_text()
    report.unlink()


def test_parameter_server(box, two, row, transport):
    """Training, evaluation and checkpoints: the same weights as from the build that users have."""
    flags = [
        two,
        "--epochs",
        1,
        f"--transport={transport}",
        "--save_checkpoint_steps",
        5,
        "--fetch",
        "loss",
    ]
    plain = box.weights(*flags, "--checkpoint_dir", "plain")
    same(plain, box.weights(*flags, "--checkpoint_dir", "watched", env=row))


def test_all_reduce(box, row, transport):
    """Three workers, each the owner of a part of the sums."""
    plan = box.compile("all", {"worker": 3, "strategy": "all_reduce"})
    same(
        box.weights(plan, "--steps", 20),
        box.weights(plan, "--steps", 20, f"--transport={transport}", env=row),
    )


def test_by_hand(box, two, ports, task, row):
    """Over TLS and gRPC alone, each task started by itself."""
    box.graphrun("certs", *ports.flags, env=row)
    connected = {**row, "LSAN_OPTIONS": row["LSAN_OPTIONS"].replace("lsan.supp", "lsan-tls.supp")}
    ended(
        [
            task(
                name,
                two,
                "--steps",
                20,
                *tls(name),
                "--transport",
                "grpc",
                "--dump_variables",
                "watched",
                env=connected,
            )
            for name in ("ps-0", "worker-1", "worker-0")
        ]
    )
    same(box.weights(two, "--steps", 20), box / "watched")


def test_stopped(box, two, row):
    """SIGTERM to the launcher, which its tasks' handlers and heartbeats see."""
    run = box.trains(two, "--checkpoint_dir", "dir", env=row)
    run.stop(status=1)
    run.err.expect("^graphrun: stopped at step [0-9]+ of 100000000 as asked")


def test_stopped_twice(box, two, row):
    """A task that hangs does not end; the second signal ends the launcher and all of them."""
    run = box.trains(two, env=row)
    os.kill(run.pidOf("worker-1"), signal.SIGSTOP)
    run.signal(signal.SIGTERM)
    run.err.waitFor("once more to stop at once")
    run.stop(status=1)
    box.nothingLeft()


def test_killed(box, two, row):
    box.killed(
        box.trains(two, "--checkpoint_dir", "dir", "--save_checkpoint_steps", 10, env=row),
        "worker-1",
    )


def test_check(box, two, row):
    box.graphrun("check", two, env=row).out.expect("^3 tasks, 3 links: all is well$")


def test_servers(box, ports, row):
    """Two runs, the second stopped with a server; the other one is stopped while it waits."""
    plan = box.compile("cluster", {"worker": ports.addresses(3), "strategy": "mirrored"})
    client = [plan, "--master", f"grpc://localhost:{ports[0]}"]
    first, second = [
        box.task(f"worker-{n}", "server", "--cluster", "cluster.json", env=row) for n in (1, 2)
    ]
    box.graphrun(*client, "--steps", 10, env=row)
    run = box.trains(*client, env=row)
    first.stop()
    run.ends(1).expect("stopped at step [0-9]+ of 100000000 as asked")
    second.stop()
