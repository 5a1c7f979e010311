"""Runs whose processes lack threads, memory or a library that answers: an error with the cause, in
seconds, and nothing is left."""

import os
import signal

import pytest
from box import ROOT
from faults import holds
from process import SOON, children, until

EXAMPLE = ROOT / "examples/linear-regression/model.mlir"
CAUSE = r"cannot start .* thread|out of memory|[Cc]annot allocate memory|ulimit"


def clusters():
    return {
        "server": {
            "ps": 1,
            "worker": 2,
            "strategy": {"name": "parameter_server", "update": "sync"},
        },
        "async": {
            "ps": 1,
            "worker": 2,
            "strategy": {"name": "parameter_server", "update": "async"},
        },
        "reduce": {"worker": 2, "strategy": {"name": "all_reduce"}},
    }


def limited(box, plan, limit, *arguments):
    """The whole run below a limit of the shell: it ends, by an error that says the cause."""
    run = box.run(
        "bash",
        "-c",
        f'ulimit {limit} && exec graphrun "$@"',
        "bash",
        plan,
        *arguments,
        status=None,
        seconds=SOON,
    )
    assert run.status in (1, 2, 138), run.report()
    run.err.expect(rf"^graphrun: .*({CAUSE})")


@pytest.mark.parametrize(
    "strategy, limit",
    [("server", "-v 65536"), ("reduce", "-d 16384"), ("async", "-v 131072")],
)
def test_no_thread(box, strategy, limit):
    """The tasks cannot start what gRPC needs."""
    plan = box.compile(strategy, clusters()[strategy], EXAMPLE)
    limited(box, plan, limit)


def test_no_process(box):
    """Another user may have six processes and threads in all."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    plan = box.compile("server", clusters()["server"], EXAMPLE)
    for path in (box.folder, *box.folder.rglob("*")):
        os.chmod(path, 0o777 if path.is_dir() else 0o666)
    run = box.run(
        "setpriv",
        "--reuid=54321",
        "--clear-groups",
        "bash",
        "-c",
        f"ulimit -u 6 && exec graphrun {plan}",
        status=None,
        seconds=SOON,
    )
    assert run.status in (1, 2, 138), run.report()
    run.err.expect(rf"^graphrun: .*({CAUSE}|Resource temporarily unavailable)")


@pytest.mark.parametrize("limit", ["-d 2048", "-v 49152"])
def test_the_least(box, limit):
    """What docs/hangs.md says is enough to start."""
    box.run("bash", "-c", f"ulimit {limit} && exec graphrun --version").out.expect("^graphrun ")


def test_hangs_before_it_joins(box):
    """Where no task keeps a deadline of its own, the launcher keeps it for all of them."""
    plan = box.compile("server", clusters()["server"], EXAMPLE)
    box.write("held", "")
    run = box.graphrun(plan, "--join_deadline", 1, status=1, env=holds(box))
    run.oneError()
    run.err.expect(
        r"^graphrun: /job:\w+/task:\d \(process \d+ on .*\) failed: it did not join the run within 6s of its start, and was killed"
    )


def test_stopped_before_it_joins(box):
    """One SIGTERM ends a run whose tasks hang before they join it."""
    plan = box.compile("reduce", clusters()["reduce"], EXAMPLE)
    box.write("held", "")
    run = box.launch(plan, env=holds(box))
    until(lambda: len(children(run.pid)) == 2, "both tasks are there")
    run.signal(signal.SIGTERM)
    run.ends(1)
    run.err.expect(
        r"^graphrun: stopped as asked; /job:worker/task:\d had not joined the run, did not end within 5s, and was killed"
    )
