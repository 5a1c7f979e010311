"""Runs that stand still end by the name of whoever is the cause, and of nobody else: tasks that are
stopped, a thread that is, a connection that is half open. A network that is cut for 2 s is
survived. graphrun explain says the same of what the tasks recorded."""

import ctypes
import os
import re
import signal
import threading
import time

import pytest
from box import FOREVER, LONG, LOST, asFlags, asName, delay, goesOn, same, steps, tls
from process import DEATH, ended, until
from test_machines import WORKERS, Three

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_CONT, WALL = 0x4206, 0x4207, 7, 0x40000000


def begins(box, plan, *arguments, **how):
    """A run with a line a step, once it makes steps."""
    run = box.launch(plan, "--steps", FOREVER, "--fetch", "loss", *arguments, **how)
    until(lambda: steps(run) > 10, "the first steps")
    return run


def cause(run):
    """The line by which the run ends."""
    return run.err.matches("^graphrun: (?!addresses from ).*")[0]


# What stands still: a plan's name, the task, the flags, and the words by which the run ends. All at
# once, since all of them wait.
SYNC, SUMS = (
    {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server"}},
    {"worker": 2, "strategy": "all_reduce"},
)
STOPPED = r"; it(?:s process [0-9]+)? is stopped \(SIGSTOP"
CASES = {
    "worker": (
        SYNC,
        "worker-1",
        ["--transport=grpc"],
        rf"/job:worker/task:1: process [0-9]+ on .* did not answer for 5s{STOPPED}.*; when it was heard last /job:worker/task:1 train_step\.worker\[1\] ",
    ),
    "server": (
        SYNC,
        "ps-0",
        [],
        rf"/job:ps/task:0: process [0-9]+ on .* did not answer for 5s{STOPPED}",
    ),
    "chief": (
        SYNC,
        "worker-0",
        [],
        rf"the chief /job:worker/task:0 did not answer for [0-9]+s{STOPPED}",
    ),
    "sums": (
        SUMS,
        "worker-1",
        [],
        rf"/job:worker/task:1: process [0-9]+ on .* did not answer for 5s{STOPPED}",
    ),
}


class StoppedThread:
    """A thread of another process that the kernel runs no more, in the middle of what it computes;
    the others of its process go on."""

    def __init__(self, thread):
        self.thread = thread

    def call(self, request):
        return ctypes.CDLL(None).ptrace(request, self.thread, None, None)

    def stop(self, ours):
        """Not in a system call: in a kernel most of the time, where those are long. `ours`: the
        process is this one's child."""
        if self.call(PTRACE_SEIZE) < 0:
            return False

        def stopped():
            self.call(PTRACE_INTERRUPT)
            os.waitpid(self.thread, WALL)
            with open(f"/proc/{self.thread}/syscall") as file:
                if file.read().startswith("-1 "):
                    return True
            self.call(PTRACE_CONT)
            time.sleep(0.013)
            return False

        until(stopped, "the thread computes")
        if not ours:  # its own parent hears of its end once we have
            threading.Thread(target=os.waitpid, args=(self.thread, WALL), daemon=True).start()
        return True


def test_stopped(box):
    """SIGSTOP of each role: after 5 s the run ends by its name, and by no other one. A lane that
    does not get on, in a task that answers, ends the run at --wait_deadline, and is named with the
    line of the model at which it is."""
    runs = {}
    for name, (cluster, task, flags, _) in CASES.items():
        plan = box.compile(name, cluster)
        runs[name] = begins(box, plan, *flags, "--failure_dir", f"{name}-failure", name=name)
    # Nothing is fetched, and kernels take most of the time: where a thread is stopped it holds no
    # lock.
    slow = box.trains(box.servers("wide", 2, 1, model=box.mlp(32768)), "--wait_deadline", 6)
    for name, run in runs.items():
        os.kill(run.pidOf(CASES[name][1]), signal.SIGSTOP)
    # A lane has its process's first thread.
    traced = StoppedThread(slow.pidOf("worker-1")).stop(ours=False)
    for name, run in runs.items():
        run.ends(LOST)
        _, task, _, words = CASES[name]
        said = cause(run)
        assert re.search(words, said), (name, said)
        assert re.match(rf"graphrun: (?:the chief )?{asName(task)}", said), (
            f"{name} begins with who it is: {said}"
        )
        explained = box.graphrun("explain", f"{name}-failure").out
        assert asName(task) in explained.lines()[0], explained.lines()[0]
        explained.expect("^tasks:$", rf"^  {asName(task)} \(process [0-9]+ on .*\)")
    if not traced:
        slow.stop(status=1)
        pytest.skip("this machine does not permit to stop a thread (ptrace)")
    slow.ends(1)
    said = cause(slow)
    assert re.match(
        r"graphrun: /job:worker/task:1 train_step\.worker\[1\] .*mlp-32768\.mlir:[0-9]+:[0-9]+.* for [0-9]+s; for it /job:.* "
        r"for [0-9]+s, longer than --wait_deadline \(6s\)",
        said,
    ), said
    slow.err.expect(r"a wait lasts: /job:worker/task:1 ")


@pytest.mark.parametrize(
    "cluster, before, flags",
    [
        (SYNC, 12, []),
        (SUMS, 12, ["--transport=grpc"]),
        (SUMS, 0, ["--save_checkpoint_steps", 8]),
    ],
    ids=["resumed", "resumed-sums", "later-phase"],
)
def test_steps_count_over_the_training(box, cluster, before, flags):
    """From 1, also behind a restart and in a later run of the phase, as results of --fetch come:
    no task is further than the last result, but for a few steps."""
    plan = box.compile("plan", cluster)
    if before:
        box.graphrun(plan, "--steps", before, "--checkpoint_dir", "kept")
    # Slow, so that each step is recorded.
    flags = ["--checkpoint_dir", "kept", "--failure_dir", "failure", *flags]
    run = begins(box, plan, *flags, env=delay(worker0=5000, worker1=5000))
    lane = r"/job:worker/task:1 train_step\.worker\[1\]"
    until(
        lambda: len(
            box.graphrun("explain", "failure", "--events", 1200).out.matches(
                rf"{lane} has ended step"
            )
        )
        > 8,
        "worker 1 has recorded steps",
    )
    os.kill(run.pidOf("worker-1"), 9)
    run.ends(LOST, DEATH)
    explained = box.graphrun("explain", "failure", "--events", 1200).out
    ends = [int(step) for step in explained.matches(rf"{lane} has ended step ([0-9]+)$")]
    waits = [int(step) for step in explained.matches(rf"{lane} waits at step ([0-9]+) ")]
    assert ends == sorted(set(ends)) and ends[0] > before, ends
    assert before + 3 < ends[-1] <= before + steps(run) + 3, (ends, steps(run))
    assert set(waits) <= set(range(before + 1, ends[-1] + 3)), waits


@pytest.mark.skipif(not LONG, reason="--long alone")
def test_alone(box):
    """Where nobody waits --deadline counts; what never comes back is ended all the same."""
    alone = box.trains(box.oneDevice("one", 1, model=box.mlp(32768)), "--deadline", 6)
    assert StoppedThread(alone.pid).stop(ours=True)
    alone.ends(1)
    alone.err.expect(
        r"^graphrun: /job:worker/task:0 train_step.* for [0-9]+s, longer than --deadline \(6s\)"
    )


@pytest.fixture
def three(box, machines):
    return Three(box, machines)


def silence(machines, one, other, command="add"):
    """What two machines send each other is dropped, without a word to either."""
    machines.ip(f"-n m{one} route {command} blackhole 10.77.0.{other}")
    machines.ip(f"-n m{other} route {command} blackhole 10.77.0.{one}")


def test_half_open(box, two, three, machines):
    """What the server and worker 1 send each other is lost, both reach the chief: the connection
    between them is named, at --wait_deadline by the chief, else by gRPC's own deadline."""
    flags = {2222: ["--wait_deadline", 6], **({2232: []} if LONG else {})}
    runs = {}
    for port, more in flags.items():
        hosts = [
            "--ps_hosts",
            f"10.77.0.1:{port}",
            "--worker_hosts",
            f"10.77.0.2:{port},10.77.0.3:{port}",
        ]
        tasks = {
            name: three.task(name, [two], "--steps", FOREVER, *more, hosts=hosts)
            for name in three.AT
        }
        runs[port] = tasks["worker-0"], tasks["ps-0"], tasks["worker-1"]
    for chief, *_ in runs.values():
        chief.err.waitFor("step [1-9]")
    silence(machines, 1, 3)
    for port, tasks in runs.items():
        ended(tasks, LOST)
        said = cause(tasks[0])
        assert re.match(
            "graphrun: the connection between (/job:ps/task:0 and /job:worker/task:1|/job:worker/task:1 and /job:ps/task:0)",
            said,
        ), said
        assert "half open" in said, said
        assert ("--wait_deadline (6s)" in said) == (port == 2222), said


def test_half_open_sums(box, three, machines):
    """The same among three workers who sum gradients, in the step behind the one in which a move is
    lost."""
    at = {"worker-0": 2, "worker-1": 3, "worker-2": 1}
    hosts = ["--worker_hosts", ",".join(f"10.77.0.{machine}:2242" for machine in at.values())]
    box.graphrun("certs", "of-three", *hosts)
    plan = box.compile("three", {"worker": 3, "strategy": "all_reduce"})
    tasks = [
        machines.start(
            machine,
            "graphrun",
            plan,
            "--steps",
            FOREVER,
            "--wait_deadline",
            6,
            *asFlags(name),
            *hosts,
            *tls(name, "of-three"),
            name=name,
        )
        for name, machine in at.items()
    ]
    tasks[0].err.waitFor("step [1-9]")
    silence(machines, 1, 3)
    ended(tasks, LOST)
    said = cause(tasks[0])
    assert re.match(
        "graphrun: the connection between /job:worker/task:(1 and /job:worker/task:2|2 and /job:worker/task:1): .*all_reduce.* half open.*--wait_deadline",
        said,
    ), said


def test_cut_of_two_seconds(box, three, machines):
    """It is survived, with servers and with all-reduce: the runs go on, to the same weights."""
    # Both runs take some four seconds, so that the cut is in the middle: worker 1 sends four
    # gradients a step to the servers, and one to another worker.
    late = {"servers": delay(worker1=5000), "sums": delay(worker1=20000)}
    train = ["--steps", 200]
    ports = [f"10.77.0.2:{port},10.77.0.3:{port}" for port in (2222, 2232)]
    servers, sums = (
        box.servers("plan", 2, 1),
        box.compile("sums", {"worker": 2, **WORKERS["all_reduce"][1]}),
    )
    runs = [
        {
            name: three.task(
                name,
                [servers],
                *train,
                "--dump_variables",
                "servers",
                hosts=["--ps_hosts", "10.77.0.1:2222", "--worker_hosts", ports[0]],
                env=late["servers"],
            )
            for name in three.AT
        },
        {
            name: three.task(
                name,
                [sums],
                *train,
                "--dump_variables",
                "sums",
                hosts=["--worker_hosts", ports[1]],
                env=late["sums"],
            )
            for name in ("worker-1", "worker-0")
        },
    ]
    for tasks in runs:
        tasks["worker-0"].err.waitFor("step [1-9]")
    box.run(
        *machines.inside,
        "sh",
        "-c",
        "ip link set port3 down; sleep 2; ip link set port3 up",
        name="cut",
    )
    for tasks in runs:
        assert tasks["worker-0"].running, "the cut was in the middle"
    for tasks, folder in zip(runs, ("servers", "sums")):
        ended(tasks.values())
        for task in tasks.values():
            task.never("did not answer", "a wait lasts")
        same(box.reference(2, *train)[0], box / folder)


def test_killed_is_explained(box, two):
    """kill -9 leaves a recording of its own too; a run that ends well, or is stopped as asked,
    leaves none."""
    # Slow, so that the last thousand events begin at the order.
    run = begins(box, two, "--failure_dir", "failure", env=delay(worker0=20000, worker1=20000))
    until(
        lambda: box.graphrun("explain", "failure", "--events", 1200).out.matches(
            r"worker\[1\] has ended step"
        ),
        "worker 1 has recorded steps",
    )
    os.kill(run.pidOf("worker-1"), 9)
    run.ends(LOST, DEATH)
    explained = box.graphrun("explain", "failure", "--events", 1200).out
    explained.expect(
        r"^cause: .*/job:worker/task:1",
        r"^  /job:worker/task:1 \(process [0-9]+ on .*\).*, has not said why it ended",
        r"-[0-9.]+ s order: run$",
        r"-[0-9.]+ s /job:worker/task:1 train_step\.worker\[1\] waits at step [0-9]+ to .*\.mlir:[0-9]+:[0-9]+",
        r"-[0-9.]+ s /job:worker/task:1 train_step\.worker\[1\] has ended step [0-9]+",
    )
    assert sorted(os.listdir(box / "failure")) == [
        "plan.sketch",
        "ps-0.rec",
        "worker-0.rec",
        "worker-1.rec",
    ]
    assert (
        max(os.path.getsize(box / "failure" / name) for name in os.listdir(box / "failure"))
        <= 512 << 10
    )
    box.graphrun(two, "--steps", 20, "--failure_dir", "failure")
    assert os.listdir(box / "failure") == []
    begins(box, two, "--failure_dir", "failure").stop(status=1)
    assert os.listdir(box / "failure") == []
    box.refused(
        "no task has left a recording here .*a run that ends well takes its recordings away",
        "explain",
        "failure",
        status=1,
    )


def test_running_is_explained(box, two):
    """Recordings of a run that goes on are read as well."""
    run = begins(box, two, "--failure_dir", "failure")
    until(
        lambda: (
            "cause: unknown: no task has said why it ended"
            in box.graphrun("explain", "failure").out.text()
        ),
        "all tasks get on",
    )
    goesOn(run, 10)
    run.stop(status=1)


def test_refused(box, two):
    box.refused("which folder", "explain")
    box.refused("No such file or directory", "explain", "nowhere", status=1)
    box.refused(
        "unknown flag --event; did you mean \"--events\"", "explain", "failure", "--event", "3"
    )
    box.refused("--events", "explain", "failure", "--events", "x")
    box.refused("one folder at a time: 'other' is too many", "explain", "failure", "other")
    box.write("file", "")
    box.refused("--failure_dir file: .*Not a directory", two, "--failure_dir", "file")
    box.refused("--wait_deadline: must be a number above 0, not 0", two, "--wait_deadline", "0")
    os.mkdir(box / "noise")
    box.write("noise/worker-0.rec", b"noise" * 1000)
    box.refused("plan.sketch", "explain", "noise", status=1)
    box.write("noise/plan.sketch", b"\xff" * 100)
    box.refused("noise: plan.sketch: it is no sketch of a plan", "explain", "noise", status=1)
