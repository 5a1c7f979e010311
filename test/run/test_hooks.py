"""Sessions with hooks of a program's own, each task a process: of the chief, which starts the
others, meets them or drives servers, and of a worker; through graphc.h, in C and from Python
(ctypes), built against an installed graphc."""

import glob
import json
import os
import struct
import sys

import pytest
from box import FOREVER, HERE, LONG, LOST, ROOT, delay, same
from formats import updates
from process import DEATH, until
from test_install import build

LINEAR = ROOT / "examples/linear-regression/model.mlir"
STEPPER = HERE / "hooks/stepper.py"
# Replicas make their steps together.
SHARED = {
    "servers": {"ps": 1, "worker": 2, "strategy": "parameter_server"},
    "all-reduce": {"worker": 2, "strategy": "all_reduce"},
    "in-graph": {
        "worker": 2,
        "strategy": {"name": "in_graph"},
        "placement": [{"name": "w1", "device": "/job:worker/task:1"}],
    },
}
ASYNC = {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}}


@pytest.fixture(scope="module")
def installed(shared):
    """The program in C and the shared library."""
    shared.run(
        "cmake",
        "--install",
        os.environ.get("GRAPHC_BUILD", ROOT / "build/release"),
        "--prefix",
        shared / "graphc",
    )
    build(
        shared,
        shared / "graphc",
        HERE / "hooks",
        "built",
        "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld",
    )
    return shared / "built"


@pytest.fixture
def stepper(box, installed):
    """Starts a program whose session steps a plan: stepper(plan, {options}, stop=7, …), as
    hooks/stepper.py reads it."""

    def start(plan, options, name="session", **asked):
        asked.update(
            library=str(installed / "libgraphc_c.so"),
            plan=str(plan),
            options={key: str(value) for key, value in options.items()},
        )
        return box.start(sys.executable, STEPPER, json.dumps(asked), name=name)

    return start


def single(text):
    """The f32 that was printed, by its bits."""
    return struct.pack("f", float(text))


def values(program):
    """Step (from 1) → loss."""
    return {
        int(step): single(value)
        for _, step, value in map(str.split, program.out.matches("^loss [0-9]+ .*"))
    }


def printed(run):
    """The losses of graphrun --fetch loss, in order."""
    return [single(line.split()[-1]) for line in run.out.matches("^loss .*")]


@pytest.mark.parametrize("name", SHARED)
def test_all_tasks_step_together(box, stepper, name):
    """The chief's session starts the others, and gets what graphrun --fetch prints, in the steps in
    which it asks. The step in which it asks for the end is everybody's last: weights and checkpoint
    are those of a run of as many steps."""
    plan = box.compile(name, SHARED[name])
    program = stepper(
        plan,
        {
            "steps": FOREVER,
            "graphrun": "graphrun",
            "dump_variables": "own",
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 4,
        },
        fetch=["loss"],
        every=3,
        stop=10,
    )
    program.ends()
    program.out.expect(
        "^begin$",
        "^created 0 -$",
        "^end$",
        f"^closed 10 0 training ends at step 10 of {FOREVER}: the end was asked for",
    )
    same(box / "own", box.weights(plan, "--steps", 10, "--fetch", "loss"))
    losses = printed(box.last)
    assert len(losses) == 10 and values(program) == {
        step: losses[step - 1] for step in (1, 4, 7, 10)
    }
    assert (
        sorted(name for name in os.listdir(box / "kept") if name != "finished.json")[0] == "step-10"
    )
    again = stepper(
        plan,
        {"steps": 12, "graphrun": "graphrun", "checkpoint_dir": "kept", "dump_variables": "twelve"},
    )
    again.ends()
    again.out.expect("^created 10 kept/step-10$", "^closed 12 0 -$")
    same(box / "twelve", box.weights(plan, "--steps", 12))


def test_asynchronous(box, stepper):
    """The chief's session takes its own replica's steps and sees its values, while the others go
    on; the end is everybody's, and each update is counted."""
    plan = box.compile("async", ASYNC, LINEAR)
    program = stepper(
        plan,
        {"steps": FOREVER, "graphrun": "graphrun", "dump_variables": "own"},
        fetch=["loss"],
        stop=20,
    )
    program.ends()
    assert sorted(values(program)) == list(range(1, 21))
    ended = int(program.out.matches(r"^closed 20 0 training ends at step ([0-9]+) of")[0])
    assert updates(box / "own") == ended >= 20
    stepper(plan, {"steps": 30, "graphrun": "graphrun", "dump_variables": "thirty"}).ends()
    assert updates(box / "thirty") == 30


def test_a_workers_session(box, stepper, ports, task):
    """Tasks by hand, two of them with sessions: the chief's gets the mean over replicas, the
    worker's its own value. Where the worker's asks for the end, all end at one step, in good
    order."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {
        "ps_hosts": f"localhost:{ports[0]}",
        "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}",
    }
    server = task("ps-0", plan)
    chief = stepper(
        plan, {**hosts, "steps": 100000, "dump_variables": "own"}, name="chief", fetch=["loss"]
    )
    worker = stepper(
        plan,
        {**hosts, "job_name": "worker", "task_index": 1},
        name="worker",
        fetch=["loss"],
        stop=25,
    )
    for one in chief, worker, server:
        one.ends()
    made = int(
        chief.out.matches(
            "^closed ([0-9]+) 0 training ends at step [0-9]+ of 100000: the end was asked for"
        )[0]
    )
    assert 25 <= made < 100000
    worker.out.expect("^created 0 -$", "^end$", "^closed 25 0 -$")
    same(box / "own", box.weights(plan, "--steps", made, "--fetch", "loss"))
    means, own = dict(enumerate(printed(box.last), 1)), values(worker)
    assert values(chief) == means and sorted(own) == list(range(1, 26))
    # The other replica's value, by which the mean of f32 comes out: own and mean differ, and not by
    # more than a replica can make of it.
    apart = [struct.unpack("f", own[step])[0] - struct.unpack("f", means[step])[0] for step in own]
    assert (
        any(apart)
        and any(difference < 0 for difference in apart)
        and any(difference > 0 for difference in apart)
    )


def test_servers(box, stepper, ports):
    """The chief's session is the client of servers that wait; one run after the other."""
    plan = box.compile("cluster", {"worker": ports.addresses(2), "strategy": "all_reduce"})
    server = box.task("worker-1", "server", "--cluster", "cluster.json")
    server.waitFor("waits for a client")
    reference = box.compile("same", {"worker": 2, "strategy": "all_reduce"})
    for steps in 3, 5:
        program = stepper(
            plan,
            {
                "steps": FOREVER,
                "master": f"grpc://localhost:{ports[0]}",
                "dump_variables": f"own-{steps}",
            },
            stop=steps,
        )
        program.ends()
        same(box / f"own-{steps}", box.weights(reference, "--steps", steps))
    server.stop(None)


@pytest.mark.parametrize("victim", ["worker-1", "ps-0"] if LONG else ["worker-1"])
def test_a_task_is_killed(box, stepper, victim):
    """kill -9 of a task that the session has started: it ends with the status of a loss and says
    who died how; no hook is called any more."""
    plan = box.compile("servers", SHARED["servers"])
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, fetch=["loss"])
    program.out.waitFor("^loss 100 ")
    os.kill(program.pidOf(victim), 9)
    program.ends(LOST, DEATH)
    program.err.expect(f"/job:{victim.replace('-', '/task:')}.*was killed by signal 9")
    program.out.never("^end$")
    box.nothingLeft()


def test_killed_between_steps(box, stepper):
    """The same while the hook takes its time: the next call says so. And a session that is killed
    takes the tasks along that it has started."""
    plan = box.compile("servers", SHARED["servers"])
    dies = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, name="dies", die=50)
    dies.ends(137)
    box.nothingLeft()
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, pause=50)
    program.out.waitFor("^waiting")
    os.kill(program.pidOf("worker-1"), 9)
    box.write("killed", "")
    program.ends(LOST, DEATH)
    program.err.expect("/job:worker/task:1")


def restarted(program, number, most, why="was killed by signal 9"):
    program.err.waitFor(
        rf"{why}.*; restarting the run from (step [0-9]+|the beginning, as there is no checkpoint yet,) (at once|in .*s) .restart {number} of {most}.$"
    )


@pytest.mark.parametrize(
    "name,victim",
    [
        ("servers", "worker-1"),
        ("servers", "ps-0"),
        ("all-reduce", "worker-1"),
        ("in-graph", "worker-1"),
    ],
)
def test_goes_on_without_a_task(box, stepper, name, victim):
    """kill -9 of a task that the session has started: it makes itself anew from the last
    checkpoint, hooks hear of it, and the end is that of an undisturbed run, bit by bit, with the
    same losses."""
    plan = box.compile(name, SHARED[name])
    options = {
        "steps": 400,
        "checkpoint_dir": "kept",
        "save_checkpoint_steps": 20,
        "max_restarts": 3,
        "graphrun": "graphrun",
        "dump_variables": "own",
    }
    program = stepper(plan, options, fetch=["loss"], slow=4, outside=["loss"])
    for number in 1, 2:
        program.out.waitFor(f"^loss {70 * number} ")
        os.kill(program.pidOf(victim), 9)
        restarted(program, number, 3)
    program.ends()
    program.out.expect(
        "^created 0 -$", r"^created ([0-9]+) kept/step-\1$", "^end$", "^closed 400 0 -$"
    )
    assert (
        len(program.out.matches("^begin$")) == len(program.out.matches("^end$")) == 1
        and len(program.out.matches("^created ")) == 3
    )
    same(box / "own", box.weights(plan, "--steps", 400, "--fetch", "loss"))
    assert values(program) == dict(enumerate(printed(box.last), 1))
    made = [int(step) for step in program.out.matches("^loss ([0-9]+) ")]
    assert len(made) > 400, "some were made again"
    assert program.out.matches("^outside (.*)$") == program.out.matches("^loss (.*)$"), (
        "what the program itself wants"
    )


def test_lost_behind_the_last_step(box, stepper):
    """While it evaluates, with the last checkpoint made: no step is made again, hooks hear of the
    last one, and the evaluation is made."""
    plan = box.compile("servers", SHARED["servers"])
    box.environment.update(delay(ps0=50000))  # the evaluation takes long
    program = stepper(
        plan,
        {
            "steps": 3,
            "checkpoint_dir": "kept",
            "max_restarts": 1,
            "graphrun": "graphrun",
            "dump_variables": "own",
        },
        fetch=["loss"],
    )
    until(lambda: (box / "kept/step-3/manifest.json").exists(), "the last checkpoint")
    os.kill(program.pidOf("worker-1"), 9)
    restarted(program, 1, 1)
    program.ends()
    assert [int(step) for step in program.out.matches("^loss ([0-9]+) ")] == list(range(1, 4))
    program.out.expect("^created 0 -$", "^created 3 kept/step-3$", "^end$", "^closed 3 0 -$")
    same(box / "own", box.weights(plan, "--steps", 3))


def test_the_end_is_asked_for_while_it_waits(box, stepper, ports):
    """Nobody starts the lost one again: a request to stop ends the wait, with the hooks' end, and
    what was made stays."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {
        "ps_hosts": f"localhost:{ports[0]}",
        "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}",
    }
    byHand = [f"--{key}={value}" for key, value in hosts.items()]
    server = box.start("graphrun", plan, "--job_name=ps", "--task_index=0", *byHand, name="server")
    worker = box.start(
        "graphrun", plan, "--job_name=worker", "--task_index=1", *byHand, name="worker"
    )
    program = stepper(
        plan,
        {
            **hosts,
            "steps": FOREVER,
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 20,
            "max_restarts": 3,
        },
        sigterm=True,
    )
    box.checkpoint("kept")
    server.kill()
    restarted(program, 1, 3, "/job:ps/task:0.*")
    worker.ends(LOST)
    program.waitFor("waiting for /job:ps/task:0")
    os.kill(program.pid, 15)
    program.ends(1)
    program.out.expect("^end$", "^closed [1-9][0-9]* 1 ")
    program.err.expect("stopped")


def test_asynchronous_goes_on(box, stepper):
    """Each update counts once."""
    plan = box.compile("async", ASYNC)
    # The chief's hook is slow too, so that 400 updates take about a second.
    box.environment.update(delay(worker1=5000))
    program = stepper(
        plan,
        {
            "steps": 400,
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 20,
            "max_restarts": 3,
            "graphrun": "graphrun",
            "dump_variables": "own",
        },
        slow=2,
    )
    box.checkpoint("kept")
    os.kill(program.pidOf("worker-1"), 9)
    restarted(program, 1, 3)
    program.ends()
    assert updates(box / "own") == 400


def test_waits_for_servers(box, stepper, ports):
    """Tasks by hand, the chief's and a worker's as sessions that go on, and a server that somebody
    starts again: they wait for it."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {
        "ps_hosts": f"localhost:{ports[0]}",
        "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}",
    }
    by_hand = [f"--{key}={value}" for key, value in hosts.items()]
    server = box.start("graphrun", plan, "--job_name=ps", "--task_index=0", *by_hand, name="server")
    chief = stepper(
        plan,
        {
            **hosts,
            "steps": 300,
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 20,
            "max_restarts": 1,
            "dump_variables": "own",
        },
        name="chief",
        slow=2,
    )
    worker = stepper(
        plan, {**hosts, "job_name": "worker", "task_index": 1, "max_restarts": 1}, name="worker"
    )
    box.checkpoint("kept")
    server.kill()
    restarted(chief, 1, 1, "/job:ps/task:0.*")
    worker.err.waitFor("/job:ps/task:0.*; joining the chief again .restart 1 of 1.$")
    again = box.start("graphrun", plan, "--job_name=ps", "--task_index=0", *by_hand, name="again")
    for one in chief, worker, again:
        one.ends()
    same(box / "own", box.weights(plan, "--steps", 300))


def test_a_waiting_server_comes_again(box, stepper, ports):
    """The same of servers that wait for a client: the one that was killed is there again, the
    others have waited, and the session goes on."""
    plan = box.compile("cluster", {"worker": ports.addresses(3), "strategy": "all_reduce"})
    servers = [box.task(f"worker-{i}", "server", "--cluster", "cluster.json") for i in (1, 2)]
    for server in servers:
        server.waitFor("waits for a client")
    program = stepper(
        plan,
        {
            "steps": 300,
            "master": f"grpc://localhost:{ports[0]}",
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 20,
            "max_restarts": 1,
            "dump_variables": "own",
        },
        slow=2,
    )
    box.checkpoint("kept")
    servers[0].kill()
    restarted(program, 1, 1, "/job:worker/task:1.*")
    servers[0] = box.task("worker-1", "server", "--cluster", "cluster.json")
    program.ends()
    for server in servers:
        server.stop(None)
    reference = box.compile("same", {"worker": 3, "strategy": "all_reduce"})
    same(box / "own", box.weights(reference, "--steps", 300))


MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def test_a_launchers_sessions(box, stepper, installed):
    """Open MPI starts the program once a task, or once beside graphrun for the others, and each
    knows its place by its rank; also by way of a job folder, of which nothing is left."""
    plan = box.compile("servers", SHARED["servers"])
    reference = box.weights(plan, "--steps", 30, "--fetch", "loss")
    losses = dict(enumerate(printed(box.last), 1))
    os.mkdir(box / "jobs", 0o700)
    for name, more in ("all", {}), ("folder", {"job_dir": "jobs"}), ("mixed", {}):
        asked = {
            "library": str(installed / "libgraphc_c.so"),
            "plan": str(plan),
            "fetch": ["loss"] if name == "mixed" else [],
            "options": {"steps": "30", "dump_variables": f"own-{name}", **more},
        }
        program = [sys.executable, STEPPER, json.dumps(asked)]
        run = box.run(
            *MPIRUN,
            "--output-filename",  # what each rank prints, which mpirun's own output may mix
            f"ranks-{name}",
            "-n",
            *([1, *program, ":", "-n", 2, "graphrun", plan] if name == "mixed" else [3, *program]),
            name=name,
        )
        run.err.expect(
            "this is /job:worker/task:0, rank 0 of Open MPI's job .*: rank 0 is worker:0, 1 is ps:0, 2 is worker:1"
        )
        same(box / f"own-{name}", reference)
        if name == "mixed":
            assert values(run) == losses
        else:
            for rank in range(3):
                (said,) = glob.glob(str(box / f"ranks-{name}/*/rank.{rank}/stdout"))
                with open(said, encoding="utf-8") as file:
                    assert "\nclosed 30 0 -\n" in file.read(), "the server counts steps too"
    assert not os.listdir(box / "jobs")


def test_restarts_are_used_up(box, stepper):
    """The next loss ends the run as it does without, also where it comes while a hook takes its
    time."""
    plan = box.compile("servers", SHARED["servers"])
    program = stepper(
        plan,
        {
            "steps": FOREVER,
            "checkpoint_dir": "kept",
            "save_checkpoint_steps": 20,
            "max_restarts": 1,
            "graphrun": "graphrun",
        },
        pause=50,
    )
    for number in 1, 2:
        until(lambda: len(program.out.matches("^waiting$")) == number, f"it waits, {number}")
        os.kill(program.pidOf("worker-1"), 9)
        box.write("killed", "")
    program.ends(LOST, DEATH)
    assert program.out.matches("^created (.*)$") == ["0 -", "40 kept/step-40"]
    program.err.expect(
        "/job:worker/task:1.*restarting the run from step 40 at once .restart 1 of 1.$",
        "^/job:worker/task:1",
    )
    program.out.never("^end$")
    box.nothingLeft()


def test_a_run_goes_on(box, installed):
    """graphc::run, which nobody steps: the losses that it keeps are those of an undisturbed run,
    each step's once."""
    plan = box.compile("servers", {**SHARED["servers"], "ps": 1})
    program = box.start(
        installed / "running", plan, "graphrun", 2000, ".", name="running", env=delay(worker1=1000)
    )
    box.checkpoint("kept")
    os.kill(program.pidOf("worker-1"), 9)
    restarted(program, 1, 2)
    program.ends()
    same(box / "own", box.weights(plan, "--steps", 2000, "--fetch", "loss"))
    assert (
        list(values(program).items()) == list(enumerate(printed(box.last), 1))
        and len(program.out.lines()) == 2000
    )


def test_killed_while_they_start(box, stepper):
    """A program that is killed while the tasks that it starts are on their way: they find nobody,
    and end at once, not at --join_deadline."""
    plan = box.compile("servers", SHARED["servers"])
    box.write(
        "slow",
        "#!/bin/sh\necho $1 >>started; while ! [ -e go ]; do sleep 0.01; done; exec graphrun \"$@\" 2>>told\n",
    ).chmod(0o755)
    program = stepper(plan, {"steps": FOREVER, "graphrun": str(box / "slow")})
    until(
        lambda: (box / "started").exists() and len(box.file("started").lines()) == 2,
        "the tasks are on their way",
    )
    program.kill()
    box.write("go", "")
    box.nothingLeft()
    box.file("told").expect("the program that has started this: it has ended")


def test_a_hook_fails(box, stepper, ports, task):
    """The run ends by the hook's name in every task, with the status of a failure; nothing is
    saved."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {
        "ps_hosts": f"localhost:{ports[0]}",
        "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}",
    }
    for job in "chief", "worker":
        others = [
            task("ps-0", plan),
            task(
                "worker-1" if job == "chief" else "worker-0",
                plan,
                "--steps",
                FOREVER,
                "--checkpoint_dir",
                "kept",
            ),
        ]
        own = {} if job == "chief" else {"job_name": "worker", "task_index": 1}
        program = stepper(plan, {**hosts, **own, "steps": FOREVER}, name=job, fail=6)
        program.ends(1)
        program.err.expect("hook Watcher, afterRun at step 5: ValueError: enough is enough")
        program.out.never("^end$")
        for one in others:
            one.ends(1)
            one.expect(
                f"/job:worker/task:{0 if job == 'chief' else 1}: hook Watcher, afterRun at step 5: ValueError: enough is enough"
            )
    assert not [name for name in os.listdir(box / "kept") if name.startswith("step-")]


def test_too_late(box, stepper):
    """What is called too late is an error, and the session stops there, in good order, as graphc.h
    says; not at the run's end, hours later."""
    program = stepper(
        box.compile("one", {"worker": 1}), {"steps": 100000, "checkpoint_dir": "kept"}, late=10
    )
    program.ends(1)
    program.out.expect("^closed 10 1 ")
    program.err.expect("the session was started; options, feeds and hooks come before")
    assert (box / "kept/step-10").exists()


def test_refused(box, stepper):
    """What cannot be is said before anything starts, or ends it: who the others are, which
    graphrun, an option, a result."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    for options, says in [
        (
            {},
            "has 3 tasks, and nothing says where the others are: ClusterOptions::graphrun starts them here",
        ),
        (
            {"graphrun": "/none/graphrun"},
            "cannot start /job:ps/task:0 by /none/graphrun: posix_spawn: No such file or directory",
        ),
        (
            {"graphrun": "false"},
            r"/job:(ps/task:0|worker/task:1): process [0-9]+ ended with exit status 1",
        ),
        (
            {"graphrun": "graphrun", "job_name": "worker", "task_index": 1},
            "this is the chief, /job:worker/task:0",
        ),
        ({"master": "localhost:1"}, "expected grpc://HOST:PORT"),
        ({"setps": 5}, 'setps: a session has no such option; did you mean "steps"'),
        ({"steps": "many"}, "steps: many is no whole number"),
        (
            {"graphrun": "graphrun", "max_restarts": 3},
            "maxRestarts needs checkpointDirectory and the entry train",
        ),
        ({"graphrun": "graphrun", "steps": 5}, "fetch los: the function has no such result"),
    ]:
        program = stepper(plan, options, fetch=["los"])
        program.ends(1)
        program.err.expect(says)
        box.nothingLeft()


def test_in_c(box, installed):
    """A program in plain C: hooks, values in a buffer of its own with type and shape, errors of
    what it does wrong."""
    plan = box.compile("linear", {"ps": 1, "worker": 2, "strategy": "parameter_server"}, LINEAR)
    program = box.run(installed / "stepping", plan, 0.1, "graphrun")
    program.out.expect(
        "^the plan: .*",
        '^step: a session has no such option; did you mean "steps"',
        "^from step 0, initial values$",
        "^6 steps, 111, went on, mean loss: 1, training ends at step 6 of 1000: the end was asked for",
    )
    reference = printed(box.graphrun(plan, "--steps", 6, "--fetch", "loss"))
    assert [
        single(line.split()[-1]) for line in program.out.matches("^step [0-9]+ loss .*")
    ] == reference
    assert (
        box.run(installed / "stepping", plan, 0.1, "/none/graphrun", status=1)
        .err.text()
        .startswith("cannot start /job:ps/task:0")
    )
