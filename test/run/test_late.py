"""A task that is frozen before it joins; a chief that freezes later; a run that was stopped as
asked."""

import signal

import pytest
from box import FOREVER, LOST
from process import TRAINS

TASKS = "worker-0", "ps-0", "worker-1"
# Stops the task that FROZEN names by its flag, before its main.
FREEZE = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void freeze(int argc, char **argv) {
  const char *name = getenv("FROZEN");
  for (int i = 1; name && i < argc; ++i)
    if (strcmp(argv[i], name) == 0)
      raise(SIGSTOP);
}
"""


@pytest.fixture
def frozen(box):
    library = box.preload("frozen", FREEZE)
    return lambda task: {"FROZEN": task, **library}


def test_frozen_server(box, two, frozen):
    """It is named in the middle of the wait, and in the one line of error at its end."""
    run = box.graphrun(
        two, "--steps", 5, "--join_deadline", 4, status=1, env=frozen("--job_name=ps")
    )
    run.err.expect(
        r"waiting for /job:ps/task:0 for [1-3]s; at most [1-3]s more \(--join_deadline\)",
        r"^graphrun: .*gave up after 4s: /job:ps/task:0 did not come \(--join_deadline\)",
    )
    run.oneError()


def test_frozen_chief(box, two, frozen):
    run = box.graphrun(
        two, "--steps", 5, "--join_deadline", 2, status=1, env=frozen("--job_name=worker")
    )
    run.err.expect("^graphrun: .*the chief /job:worker/task:0 did not come within 2s")


def test_missing_by_hand(two, task):
    """Every task says who is missing, for how long, and how long that may last."""
    started = [task(name, two, "--steps", 5, "--join_deadline", 4) for name in ("ps-0", "worker-0")]
    for one in started:
        one.ends(1)
        one.expect(
            r"waiting for /job:worker/task:1 for [1-3]s; at most [1-4]s more \(--join_deadline\)"
        )
    started[1].expect("gave up after 4s: /job:worker/task:1 did not come")


def test_chief_freezes(two, task):
    """It is named by all, and no innocent one."""
    chief, *others = [task(name, two, "--steps", FOREVER) for name in TASKS]
    chief.waitFor(TRAINS)
    chief.signal(signal.SIGSTOP)
    for one in others:
        one.ends(LOST)
        one.expect("^graphrun: .*the chief /job:worker/task:0 did not answer for [0-9]+s")
        one.never("^graphrun: .*data stream")
    chief.kill()


def test_stopped(two, task):
    """A run that was stopped as asked ends with 1 in each task, which says why."""
    chief, *others = [
        task(name, two, "--steps", FOREVER, "--checkpoint_dir", "stopped") for name in TASKS
    ]
    chief.waitFor(TRAINS)
    chief.stop(status=1)
    chief.expect(
        "stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir stopped"
    )
    for one in others:
        one.ends(1)
        one.expect("the run was stopped, as asked")
