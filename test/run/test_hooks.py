"""Sessions with hooks of a program's own, each task a process: of the chief, which starts the others, meets them or drives servers, and of a
worker; through graphc.h, in C and from Python (ctypes), built against an installed graphc."""
import json
import os
import struct
import sys

import pytest
from box import FOREVER, HERE, LONG, LOST, ROOT, same
from formats import updates
from process import DEATH, until
from test_install import build

LINEAR = ROOT / "examples/linear-regression/model.mlir"
STEPPER = HERE / "hooks/stepper.py"
# Replicas make their steps together.
SHARED = {"servers": {"ps": 1, "worker": 2, "strategy": "parameter_server"}, "all-reduce": {"worker": 2, "strategy": "all_reduce"},
          "in-graph": {"worker": 2, "strategy": {"name": "in_graph"}, "placement": [{"name": "w1", "device": "/job:worker/task:1"}]}}
ASYNC = {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}}


@pytest.fixture(scope="module")
def installed(shared):
    """The program in C and the shared library."""
    shared.run("cmake", "--install", os.environ.get("GRAPHC_BUILD", ROOT / "build/release"), "--prefix", shared / "graphc")
    build(shared, shared / "graphc", HERE / "hooks", "built", "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld")
    return shared / "built"


@pytest.fixture
def stepper(box, installed):
    """Starts a program whose session steps a plan: stepper(plan, {options}, stop=7, …), as hooks/stepper.py reads it."""
    def start(plan, options, name="session", **asked):
        asked.update(library=str(installed / "libgraphc_c.so"), plan=str(plan), options={key: str(value) for key, value in options.items()})
        return box.start(sys.executable, STEPPER, json.dumps(asked), name=name)
    return start


def single(text):
    """The f32 that was printed, by its bits."""
    return struct.pack("f", float(text))


def values(program):
    """Step (from 1) → loss."""
    return {int(step): single(value) for _, step, value in map(str.split, program.out.matches("^loss [0-9]+ .*"))}


def printed(run):
    """The losses of graphrun --fetch loss, in order."""
    return [single(line.split()[-1]) for line in run.out.matches("^loss .*")]


@pytest.mark.parametrize("name", SHARED)
def test_all_tasks_step_together(box, stepper, name):
    """The chief's session starts the others, and gets what graphrun --fetch prints, in the steps in which it asks. The step in which it asks
    for the end is everybody's last: weights and checkpoint are those of a run of as many steps."""
    plan = box.compile(name, SHARED[name])
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun", "dump_variables": "own", "checkpoint_dir": "kept",
                             "save_checkpoint_steps": 4}, fetch=["loss"], every=3, stop=10)
    program.ends()
    program.out.expect("^begin$", "^created 0 -$", "^end$", f"^closed 10 0 training ends at step 10 of {FOREVER}: the end was asked for")
    same(box / "own", box.weights(plan, "--steps", 10, "--fetch", "loss"))
    losses = printed(box.last)
    assert len(losses) == 10 and values(program) == {step: losses[step - 1] for step in (1, 4, 7, 10)}
    assert sorted(name for name in os.listdir(box / "kept") if name != "finished.json")[0] == "step-10"
    again = stepper(plan, {"steps": 12, "graphrun": "graphrun", "checkpoint_dir": "kept", "dump_variables": "twelve"})
    again.ends()
    again.out.expect("^created 10 kept/step-10$", "^closed 12 0 -$")
    same(box / "twelve", box.weights(plan, "--steps", 12))


def test_asynchronous(box, stepper):
    """The chief's session takes its own replica's steps and sees its values, while the others go on; the end is everybody's, and each update
    is counted."""
    plan = box.compile("async", ASYNC, LINEAR)
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun", "dump_variables": "own"}, fetch=["loss"], stop=20)
    program.ends()
    assert sorted(values(program)) == list(range(1, 21))
    ended = int(program.out.matches(r"^closed 20 0 training ends at step ([0-9]+) of")[0])
    assert updates(box / "own") == ended >= 20
    stepper(plan, {"steps": 30, "graphrun": "graphrun", "dump_variables": "thirty"}).ends()
    assert updates(box / "thirty") == 30


def test_a_workers_session(box, stepper, ports, task):
    """Tasks by hand, two of them with sessions: the chief's gets the mean over replicas, the worker's its own value. Where the worker's asks
    for the end, all end at one step, in good order."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {"ps_hosts": f"localhost:{ports[0]}", "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}"}
    server = task("ps-0", plan)
    chief = stepper(plan, {**hosts, "steps": 100000, "dump_variables": "own"}, name="chief", fetch=["loss"])
    worker = stepper(plan, {**hosts, "job_name": "worker", "task_index": 1}, name="worker", fetch=["loss"], stop=25)
    for one in chief, worker, server:
        one.ends()
    made = int(chief.out.matches("^closed ([0-9]+) 0 training ends at step [0-9]+ of 100000: the end was asked for")[0])
    assert 25 <= made < 100000
    worker.out.expect("^created 0 -$", "^end$", "^closed 25 0 -$")
    same(box / "own", box.weights(plan, "--steps", made, "--fetch", "loss"))
    means, own = dict(enumerate(printed(box.last), 1)), values(worker)
    assert values(chief) == means and sorted(own) == list(range(1, 26))
    # The other replica's value, by which the mean of f32 comes out: own and mean differ, and not by more than a replica can make of it.
    apart = [struct.unpack("f", own[step])[0] - struct.unpack("f", means[step])[0] for step in own]
    assert any(apart) and any(difference < 0 for difference in apart) and any(difference > 0 for difference in apart)


def test_servers(box, stepper, ports):
    """The chief's session is the client of servers that wait; one run after the other."""
    plan = box.compile("cluster", {"worker": ports.addresses(2), "strategy": "all_reduce"})
    server = box.task("worker-1", "server", "--cluster", "cluster.json")
    server.waitFor("waits for a client")
    reference = box.compile("same", {"worker": 2, "strategy": "all_reduce"})
    for steps in 3, 5:
        program = stepper(plan, {"steps": FOREVER, "master": f"grpc://localhost:{ports[0]}", "dump_variables": f"own-{steps}"}, stop=steps)
        program.ends()
        same(box / f"own-{steps}", box.weights(reference, "--steps", steps))
    server.stop(None)


@pytest.mark.parametrize("victim", ["worker-1", "ps-0"] if LONG else ["worker-1"])
def test_a_task_is_killed(box, stepper, victim):
    """kill -9 of a task that the session has started: it ends with the status of a loss and says who died how; no hook is called any more."""
    plan = box.compile("servers", SHARED["servers"])
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, fetch=["loss"])
    program.out.waitFor("^loss 100 ")
    os.kill(program.pidOf(victim), 9)
    program.ends(LOST, DEATH)
    program.err.expect(f"/job:{victim.replace('-', '/task:')}.*was killed by signal 9")
    program.out.never("^end$")
    box.nothingLeft()


def test_killed_between_steps(box, stepper):
    """The same while the hook takes its time: the next call says so. And a session that is killed takes the tasks along that it has started."""
    plan = box.compile("servers", SHARED["servers"])
    dies = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, name="dies", die=50)
    dies.ends(137)
    box.nothingLeft()
    program = stepper(plan, {"steps": FOREVER, "graphrun": "graphrun"}, pause=50)
    program.out.waitFor("^waiting")
    os.kill(program.pidOf("worker-1"), 9)
    program.ends(LOST, DEATH)
    program.err.expect("/job:worker/task:1")


def test_a_hook_fails(box, stepper, ports, task):
    """The run ends by the hook's name in every task, with the status of a failure; nothing is saved."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    hosts = {"ps_hosts": f"localhost:{ports[0]}", "worker_hosts": f"127.0.0.1:{ports[1]},localhost:{ports[2]}"}
    for job in "chief", "worker":
        others = [task("ps-0", plan), task("worker-1" if job == "chief" else "worker-0", plan, "--steps", FOREVER, "--checkpoint_dir", "kept")]
        own = {} if job == "chief" else {"job_name": "worker", "task_index": 1}
        program = stepper(plan, {**hosts, **own, "steps": FOREVER}, name=job, fail=6)
        program.ends(1)
        program.err.expect("hook Watcher, afterRun at step 5: ValueError: enough is enough")
        program.out.never("^end$")
        for one in others:
            one.ends(1)
            one.expect(f"/job:worker/task:{0 if job == 'chief' else 1}: hook Watcher, afterRun at step 5: ValueError: enough is enough")
    assert not [name for name in os.listdir(box / "kept") if name.startswith("step-")]


def test_refused(box, stepper):
    """What cannot be is said before anything starts, or ends it: who the others are, which graphrun, an option, a result."""
    plan = box.compile("two", {"ps": 1, "worker": 2, "strategy": "parameter_server"})
    for options, says in [({}, "has 3 tasks, and nothing says where the others are: ClusterOptions::graphrun starts them here"),
                          ({"graphrun": "/none/graphrun"}, "cannot start /job:ps/task:0 by /none/graphrun: posix_spawn: No such file or directory"),
                          ({"graphrun": "false"}, r"/job:(ps/task:0|worker/task:1): process [0-9]+ ended with exit status 1"),
                          ({"graphrun": "graphrun", "job_name": "worker", "task_index": 1}, "this is the chief, /job:worker/task:0"),
                          ({"master": "localhost:1"}, "expected grpc://HOST:PORT"), ({"setps": 5}, 'setps: a session has no such option; did you mean "steps"'),
                          ({"steps": "many"}, "steps: many is no whole number"), ({"graphrun": "graphrun", "steps": 5}, "fetch los: the function has no such result")]:
        program = stepper(plan, options, fetch=["los"])
        program.ends(1)
        program.err.expect(says)
        box.nothingLeft()


def test_in_c(box, installed):
    """A program in plain C: hooks, values in a buffer of its own with type and shape, errors of what it does wrong."""
    plan = box.compile("linear", {"ps": 1, "worker": 2, "strategy": "parameter_server"}, LINEAR)
    program = box.run(installed / "stepping", plan, 0.1, "graphrun")
    program.out.expect("^the plan: .*", '^step: a session has no such option; did you mean "steps"', "^from step 0, initial values$",
                       "^6 steps, 111, went on, mean loss: 1, training ends at step 6 of 1000: the end was asked for")
    reference = printed(box.graphrun(plan, "--steps", 6, "--fetch", "loss"))
    assert [single(line.split()[-1]) for line in program.out.matches("^step [0-9]+ loss .*")] == reference
    assert box.run(installed / "stepping", plan, 0.1, "/none/graphrun", status=1).err.text().startswith("cannot start /job:ps/task:0")
