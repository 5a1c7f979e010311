"""--max_restarts: what the launcher starts again, who keeps its process, and what is not started
again."""

import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from box import FOREVER, LOST, ROOT, asName, delay, files, same, servers
from faults import fault, signalled
from formats import updates
from process import ended, until

RUN = "--steps", 400, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 20
SLOW = delay(worker1=1000)


@pytest.fixture
def straight(box, two):
    return box.weights(two, *RUN[:2], to="straight")


def again(number, most, who=".*"):
    """What the launcher says: it starts these again."""
    return rf"; restarting {who} from .* (?:at once|in [0-9.m]+s) \(restart {number} of {most}\)$"


TASKS = "worker-0", "worker-1", "ps-0"  # of `two`; the first is the chief


def pids(run, tasks=TASKS):
    return {task: run.pidOf(task) for task in tasks}


def alone(run, before, victim, number=1, most=2):
    """The launcher has started this task again, the others are the processes that they were."""
    __tracebackhide__ = True
    run.err.waitFor(again(number, most, asName(victim)))
    after = pids(run, before)
    assert {task for task in before if before[task] != after[task]} == {victim}


@pytest.mark.parametrize(
    "task,transport", [("ps-0", "shm"), ("worker-0", "grpc"), ("worker-1", "shm")]
)
def test_killed(box, two, straight, transport, task):
    """kill -9 of each task: it alone is started again, and all go on from the last checkpoint to
    the bits of an undisturbed run."""
    run = box.launch(
        two,
        *RUN,
        "--max_restarts",
        2,
        "--dump_variables",
        "dump",
        "--log_file",
        "log.json",
        f"--transport={transport}",
        env=SLOW,
    )
    box.checkpoint("ckpt")
    before = pids(run)
    os.kill(before[task], signal.SIGKILL)
    alone(run, before, task)
    run.ends()
    run.err.expect(
        rf"^graphrun: {asName(task)} \(process .*\) was killed by signal 9.*" + again(1, 2),
        "going on from ckpt/step-",
    )
    run.err.never("restart 2 of 2")
    box.file("log.json").expect('"task":"launcher","message":".*restart 1 of 2')
    same(straight, box / "dump")


@pytest.mark.parametrize(
    "strategy,task", [("all_reduce", "worker-1"), ("all_reduce", "worker-0"), ("async", "ps-0")]
)
def test_of_other_strategies(box, strategy, task):
    """By all-reduce the bits are those of an undisturbed run, of asynchronous updates each counts
    once."""
    plan = (
        box.servers("async", 2, 1, "async")
        if strategy == "async"
        else box.compile("sum", {"worker": 2, "strategy": {"name": strategy}})
    )
    tasks = TASKS if strategy == "async" else TASKS[:2]
    run = box.launch(
        plan, *RUN, "--max_restarts", 2, "--dump_variables", "dump", "--transport=grpc", env=SLOW
    )
    box.checkpoint("ckpt")
    before = pids(run, tasks)
    os.kill(before[task], signal.SIGKILL)
    alone(run, before, task)
    run.ends()
    assert updates(box / "dump") == 400
    if strategy == "all_reduce":
        same(box.weights(plan, *RUN[:2], to="straight"), box / "dump")


def test_of_gpus(box):
    """A process that stays gives the memory of its GPU back, and takes it again."""
    box.withFakeCuda(2)
    plan = box.compile(
        "gpu",
        {**servers(2, 1), "devices": {"worker": ["GPU:0"]}},
        ROOT / "examples/linear-regression/model.mlir",
    )
    how = "--steps", 200, "--checkpoint_dir", "ckpt", "--save_checkpoint_steps", 20
    run = box.launch(plan, *how, "--max_restarts", 2, "--dump_variables", "dump", env=SLOW)
    box.checkpoint("ckpt")
    before = pids(run)
    os.kill(before["worker-1"], signal.SIGKILL)
    alone(run, before, "worker-1")
    run.ends()
    same(box.weights(plan, *how[:2], to="straight"), box / "dump")


def test_again_and_again(box, two, straight):
    """Each in turn, some while the others still go on: who lives keeps its process, its descriptors
    and its threads, through all of it."""
    run = box.launch(two, *RUN, "--max_restarts", 20, "--dump_variables", "dump", env=SLOW)
    box.checkpoint("ckpt")
    sizes = []
    for number, task in enumerate(["worker-1", "ps-0", "worker-1", "ps-0", "worker-1"], 1):
        before = pids(run)
        os.kill(before[task], signal.SIGKILL)
        alone(run, before, task, number, 20)
        box.checkpoint("ckpt")
        goneOn = len(run.err.matches("going on from ckpt/step-"))
        until(
            lambda: len(run.err.matches("going on from ckpt/step-")) >= number,
            f"{goneOn} of {number} times it goes on",
        )
        sizes.append(len(os.listdir(f"/proc/{before['worker-0']}/fd")))
    run.ends()
    assert max(sizes) - min(sizes) < 12, f"the chief's descriptors grow: {sizes}"
    same(straight, box / "dump")


@pytest.mark.parametrize("task", TASKS)
def test_at_the_start(box, two, straight, task):
    """Before there is a run: who had come so far leaves, and all of it begins again."""
    run = box.launch(
        two,
        "--steps",
        400,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        400,
        "--max_restarts",
        2,
        "--dump_variables",
        "dump",
        env=delay(worker1=500),
    )
    os.kill(run.pidOf(task), signal.SIGKILL)
    run.ends()
    box.clearSockets()
    run.err.expect(
        rf"^graphrun: {asName(task)} .* was killed by signal 9.* from the beginning, as there is no checkpoint yet, at once .restart 1 of 2.$"
    )
    same(straight, box / "dump")


def test_while_they_wait(box, two, straight):
    """One is lost while those that live wait for the next session, and one while it begins."""
    run = box.launch(
        two,
        *RUN,
        "--max_restarts",
        3,
        "--dump_variables",
        "dump",
        env={**SLOW, **fault(box, "kill", 1, "ps-0", "ckpt/step-")},
    )
    run.err.waitFor(again(1, 3))
    box.checkpoint("ckpt")
    os.kill(run.pidOf("ps-0"), signal.SIGKILL)
    for task in "worker-1", "worker-0":
        try:
            os.kill(run.pidOf(task), signal.SIGKILL)
        except ProcessLookupError:  # it was not to be kept
            pass
    run.ends()
    same(straight, box / "dump")


def test_stopped_while_it_waits(box, two, straight):
    """One that waits for the next session and is stopped would never hear of it: it is killed
    aloud, and started with the session."""
    run = box.launch(
        two,
        *RUN,
        "--max_restarts",
        5,
        "--dump_variables",
        "dump",
        "--join_deadline",
        30,
        env={**SLOW, **fault(box, "kill", 1, "ps-0", "ckpt/step-", once=False)},
    )
    run.err.waitFor(again(3, 5))  # in 1s
    os.kill(run.pidOf("worker-1"), signal.SIGSTOP)
    run.err.waitFor(
        r"^graphrun: /job:worker/task:1 \(process [0-9]+ on .*\) is stopped .* while it waits, is killed, and started again$"
    )
    run.err.waitFor(again(4, 5, "/job:ps/task:0"))
    run.ends(LOST)


def test_before_the_first_checkpoint(box, two, straight):
    """Then from the beginning."""
    run = box.launch(
        two,
        "--steps",
        400,
        "--checkpoint_dir",
        "ckpt",
        "--max_restarts",
        3,
        "--dump_variables",
        "dump",
        env={**SLOW, **fault(box, "kill", 1, "ps-0", "ckpt/step-")},
    )
    run.ends()
    run.err.expect(
        again(1, 3, asName("ps-0")),
        "from the beginning, as there is no checkpoint yet, at once .restart 1 of 3.$",
    )
    same(straight, box / "dump")


def test_used_up(box, two):
    """A task that dies each time: the pauses grow, the last death ends the run."""
    run = box.launch(
        two, *RUN, "--max_restarts", 2, env=fault(box, "kill", 1, "ps-0", "ckpt/step-", once=False)
    )
    run.ends(LOST)
    run.err.expect(
        r"at once \(restart 1 of 2\)",
        r"in 500ms \(restart 2 of 2\)",
        "killed by signal 9",
        r"all restarts are used up \(--max_restarts 2\)",
    )


@pytest.mark.parametrize("what", ["enospc", "eio"])
def test_the_same_again(box, two, what):
    """A full disk and one that fails end the run: a restart would meet them again. The shard of a
    later checkpoint cannot be opened."""
    run = box.launch(
        two, *RUN, "--max_restarts", 2, env=fault(box, what, 2, "ps-0", "ckpt/step-40", once=False)
    )
    run.ends(1)
    run.err.expect(
        "No space left on device" if what == "enospc" else "Input/output error",
        "^graphrun: no restart: the same would happen again",
    )
    run.err.never("restarting")
    assert sorted(os.listdir(box / "ckpt")) == ["step-20"]


def test_refused(box, two):
    """A command line, a plan and data with which nobody can work are refused once, and nobody is
    started again for them."""
    restarts = ["--checkpoint_dir", "dir", "--max_restarts", 3]
    box.write("cut.plan", (box / two).read_bytes()[:-100])
    idx = box.servers("idx", 2, 1, model=ROOT / "test/run/models/idx.mlir")
    for plan, flags, status, why in (
        (two, ["--steps", "many"], 2, "many"),
        ("cut.plan", ["--steps", 5], 2, "cut.plan"),
        (idx, ["--steps", 5, "--data_dir", "nowhere"], 1, "nowhere"),
    ):
        run = box.graphrun(plan, *flags, *restarts, status=status)
        run.err.expect(f"^graphrun: .*{why}")
        run.err.never("restarting")


def test_silent(box, two, straight):
    """A process that is stopped is found by its silence, ended before it can wake up, and started
    again; the others stay."""
    run = box.launch(two, *RUN, "--max_restarts", 1, "--dump_variables", "dump", env=SLOW)
    box.checkpoint("ckpt")
    before = pids(run)
    os.kill(before["worker-1"], signal.SIGSTOP)
    run.err.waitFor("/job:worker/task:1.* did not answer for .*" + again(1, 1))
    alone(run, before, "worker-1", 1, 1)
    run.ends()
    same(straight, box / "dump")


@pytest.mark.parametrize("restarts", [0, 2])
def test_stopped_at_the_end(box, two, straight, restarts):
    """A task that is stopped while it ends, when all have done what they had to: it is killed
    aloud, and the run has ended well."""
    run = box.graphrun(
        two,
        *RUN[:4],
        "--max_restarts",
        restarts,
        "--dump_variables",
        "dump",
        env=signalled(box, "ps", "destructor", "SIGSTOP"),
    )
    run.err.expect(
        r"^graphrun: /job:ps/task:0 \(process [0-9]+\) has not ended 5s behind the run's good end, and is killed$"
    )
    run.err.never("restart")
    same(straight, box / "dump")


# A worker is stopped, once, when it makes its answer to the last order: how much memory it has is
# asked there alone.
STOPS_AT_ITS_LAST_ANSWER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static FILE *opened(const char *name, const char *path, const char *mode) {
  char line[4096];
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, name);
  FILE *file = strcmp(path, "/proc/self/statm") ? NULL : real("/proc/self/cmdline", "r");
  size_t size = file ? fread(line, 1, sizeof line, file) : 0;
  if (memmem(line, size, "--job_name=worker", 17) && memmem(line, size, "--task_index=1", 14) && open("once", O_CREAT | O_EXCL, 0600) >= 0)
    raise(SIGSTOP);
  return real(path, mode);
}
FILE *fopen(const char *path, const char *mode) { return opened("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return opened("fopen64", path, mode); }
"""


def test_lost_at_the_last_order(box, two, straight):
    """A task that is lost when the chief's own part has ended already is a loss like any other:
    started again, and 138 without."""
    env = box.preload("last", STOPS_AT_ITS_LAST_ANSWER)
    run = box.graphrun(two, *RUN[:4], "--dump_variables", "dump", status=LOST, env=env)
    run.err.expect("/job:worker/task:1.* did not answer for 5s; it is stopped")
    (box / "once").unlink()
    run = box.graphrun(two, *RUN[:4], "--max_restarts", 1, "--dump_variables", "dump", env=env)
    run.err.expect(
        "/job:worker/task:1.* did not answer for 5s; it is stopped .*; restarting .* .restart 1 of 1"
    )
    same(straight, box / "dump")


def test_stopped(box, two):
    """SIGTERM ends for good, while tasks run and between two starts."""
    run = box.trains(two, *RUN[2:], "--max_restarts", 5)
    run.stop(1)
    run.err.never("restart")
    run = box.launch(
        two,
        "--steps",
        FOREVER,
        *RUN[2:],
        "--max_restarts",
        50,
        env=fault(box, "kill", 1, "ps-0", "ckpt/step-", once=False),
    )
    run.err.waitFor(again(3, 50))
    run.stop(1)
    run.err.expect(
        "^graphrun: stopped before the restart, as asked; start again with --checkpoint_dir ckpt to go on"
    )


def test_one_task(box):
    """A plan of one task has a launcher then."""
    plan = box.oneDevice("one", 2)
    run = box.launch(
        plan,
        *RUN,
        "--max_restarts",
        1,
        "--dump_variables",
        "dump",
        env=fault(box, "half", 40, "worker-0", "ckpt/step-"),
    )
    run.ends()
    run.err.expect("/job:worker/task:0 .* was killed by signal 9" + ".*" + again(1, 1))
    same(box.weights(plan, *RUN[:2]), box / "dump")


def givenUp(box, plan, task, ports, at, *flags):
    """Without a launcher that ends it: a parameter server that was stopped at this operation of the
    save of step 40, and given up by the others."""
    train = (plan, "--steps", FOREVER, *flags)
    others = [task(name, *train, env=SLOW) for name in TASKS[:2]]
    stale = box.launch(
        *train,
        "--job_name=ps",
        "--task_index=0",
        *ports.flags,
        env={**SLOW, **fault(box, "stop", at, "ps-0", "ckpt/step-40")},
    )
    ended(others, LOST)
    others[0].err.expect("/job:ps/task:0.* did not answer for .* is stopped")
    return stale


@pytest.mark.parametrize("at", [1, 2], ids=["opens its shard", "writes it"])
def test_wakes_up(box, two, straight, ports, task, at):
    """It wakes up when a run that has gone on from the checkpoint before has made that step again.
    What it writes then goes nowhere."""
    flags = *RUN[2:], "--keep_checkpoint_max", 0
    stale = givenUp(box, two, task, ports, at, *flags)
    same(straight, box.weights(two, *RUN[:2], *flags, to="dump"))
    made = files(box / "ckpt")
    stale.signal(signal.SIGCONT)
    stale.ends((1, LOST))
    assert files(box / "ckpt") == made
    assert sorted(os.listdir(box / "ckpt")) == [
        "finished.json",
        *sorted(f"step-{step}" for step in range(20, 401, 20)),
    ]


@pytest.mark.parametrize("at", [1, 8], ids=["opens its file", "gives it its name"])
def test_wakes_up_in_a_dump(box, two, ports, task, at):
    """A parameter server that was stopped while it was to write --dump_variables, was given up, and
    wakes up after another run has ended there."""
    train = two, "--steps", 20, "--dump_variables", "dump"
    others = [task(name, *train) for name in TASKS[:2]]
    stale = box.launch(
        *train,
        "--job_name=ps",
        "--task_index=0",
        *ports.flags,
        env=fault(box, "stop", at, "ps-0", ".graphrun-dump"),
    )
    ended(others, LOST)
    straight = box.weights(two, "--steps", 60, to="straight")
    same(straight, box.weights(two, "--steps", 60, to="dump"))
    stale.signal(signal.SIGCONT)
    stale.ends((1, LOST))
    same(straight, box / "dump")
    assert files(box / "dump").keys() == files(box / "straight").keys()


def test_stopped_chief_in_a_dump(box, ports, task):
    """While it is there, if only stopped, another run does not begin to write where it may go on
    to; once it has ended that run does."""
    plan = box.compile("sum", {"worker": 2, "strategy": "all_reduce"})
    train, hosts = (plan, "--steps", 20, "--dump_variables", "dump"), ports.flags[2:]
    other = task("worker-1", *train, hosts=hosts)
    stale = box.launch(
        *train,
        "--job_name=worker",
        "--task_index=0",
        *hosts,
        env=fault(box, "stop", 3, "worker-0", ".graphrun-dump"),
    )
    other.ends(LOST)
    box.refused(
        "dump is in use by another run; end it or name another folder",
        plan,
        "--steps",
        60,
        "--dump_variables",
        "dump",
        status=1,
    )
    stale.signal(signal.SIGCONT)
    stale.ends((1, LOST))
    same(
        box.weights(plan, "--steps", 60, to="straight"), box.weights(plan, "--steps", 60, to="dump")
    )


def test_killed_in_a_dump(box):
    """What a killed chief leaves of it goes with its launcher."""
    plan = box.compile("sum", {"worker": 2, "strategy": "all_reduce"})
    box.graphrun(
        plan,
        "--steps",
        20,
        "--dump_variables",
        "dump",
        status=LOST,
        env=fault(box, "kill", 3, "worker-0", ".graphrun-dump"),
    )
    assert os.listdir(box / "dump") == []


def test_wakes_up_beside(box, ports, task):
    """It wakes up while the other run, whose weights are others, is in the middle of that very
    shard: each writes into a folder of its own."""
    plan = box.servers("async", 2, 1, "async")
    flags = *RUN[2:], "--keep_checkpoint_max", 0
    stale = givenUp(box, plan, task, ports, 1, *flags)
    run = box.launch(
        plan,
        *RUN[:2],
        *flags,
        "--dump_variables",
        "dump",
        env={
            **SLOW,
            **fault(box, "stop", 9, "ps-0", "ckpt/step-40"),
            "FAULT_FIRED": str(box / "again"),
        },
    )
    server = run.pidOf("ps-0")
    until(
        lambda: (
            (box / "again").exists()
            and Path(f"/proc/{server}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
        ),
        "it is stopped within its shard",
    )
    stale.signal(signal.SIGCONT)
    time.sleep(1)  # the server's silence is no loss yet
    os.kill(server, signal.SIGCONT)
    stale.ends((1, LOST))
    run.ends()
    assert updates(box / "dump") == 400
    shutil.copytree(box / "ckpt/step-40", box / "only/step-40")
    box.graphrun(plan, "--entry", "eval", "--checkpoint_dir", "only")
