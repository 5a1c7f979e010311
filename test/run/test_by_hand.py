"""Each task by hand, in any order; and everything that is refused: another plan, a second worker:1,
a port in use, another machine."""

import json
import signal

import pytest
from box import asName, same
from formats import fingerprint
from process import ended


def test_last_the_chief(box, two, ports, task):
    """It alone has --fetch, and every task sends its values; the bits are a launched run's. Task 0
    is meant where none is named."""
    launched = box.weights(two, "--steps", 30)
    others = (
        task("worker-1", two, "--steps", 30),
        box.launch(two, "--steps", 30, "--job_name", "ps", *ports.flags, name="ps"),
    )
    others[0].waitFor(
        r"waiting for the chief /job:worker/task:0 at 127.0.0.1:\d+ \(Connection refused\) for [0-9ms]+; at most [0-9ms]+ more"
    )
    chief = task("worker-0", two, "--steps", 30, "--dump_variables", "by-hand", "--fetch", "loss")
    ended([*others, chief])
    assert len(chief.out.matches("^loss [0-9]")) == 30
    same(launched, box / "by-hand")


def test_refused_while_others_wait(box, two, ports, task):
    """Another plan's parameter server, a second worker:1 (on its port, and on another one), another
    user's task; then the right one comes."""
    run = [two, "--steps", 30]
    waiting = task("worker-0", *run), task("worker-1", *run)
    for one in waiting:
        one.waitFor("waiting for /job:ps/task:0 for [0-9ms]+; at most [0-9ms]+ more")
    other = box.servers("other", 2, 1, "async")
    task("ps-0", other, "--steps", 30).ends(1).expect(
        fingerprint(box / other), fingerprint(box / two)
    )
    task("worker-1", *run).ends(1).expect(
        f"cannot listen on localhost:{ports[2]}: another process has this port"
    )
    elsewhere = [
        "--ps_hosts",
        f"localhost:{ports[0]}",
        "--worker_hosts",
        f"127.0.0.1:{ports[1]},localhost:{ports[3]}",
    ]
    task("worker-1", *run, hosts=elsewhere).ends(1).expect(
        r"there is a /job:worker/task:1 already \(process [0-9]+ on "
    )
    task("ps-0", *run, env={"XDG_STATE_HOME": str(box / "other")}).ends(1).expect(
        "what listens there does not know this run's secret: it is another user's process, or"
    )
    ended([*waiting, task("ps-0", *run)])


@pytest.mark.parametrize("name", ["worker-0", "ps-0"])
def test_stopped_while_it_waits(two, task, name):
    """The chief for the others, another for the chief."""
    one = task(name, two, "--steps", 30)
    one.waitFor("waiting for")
    one.signal(signal.SIGTERM)
    one.ends(None)
    one.expect(f"{asName(name)}: stopped while waiting for the .*, as asked")


def test_two_runs_at_once(box, two, ports, task):
    """Of one plan, on other ports."""
    launched = box.weights(two, "--steps", 30)
    runs = {n: ports.of(n) for n in (4, 8)}
    started = [
        task(name, two, "--steps", 30, *more, hosts=hosts)
        for n, hosts in runs.items()
        for name, more in (("ps-0", ()), ("worker-0", ("--dump_variables", f"by-hand{n}")))
    ]
    ended(started + [task("worker-1", two, "--steps", 30, hosts=hosts) for hosts in runs.values()])
    for n in runs:
        same(launched, box / f"by-hand{n}")


def test_files_and_environment(box, two, ports, task):
    """Addresses from a cluster file and from TF_CONFIG; what is not used is said."""
    cluster = {
        "cluster": {
            "ps": [f"localhost:{ports[0]}"],
            "worker": [f"localhost:{ports[1]}", f"localhost:{ports[2]}"],
        }
    }
    box.write("cluster.json", cluster)
    others = [
        task(name, two, "--steps", 5, hosts=["--cluster", "cluster.json"])
        for name in ("ps-0", "worker-1")
    ]
    chief = box.launch(
        two,
        "--steps",
        5,
        env={"TF_CONFIG": json.dumps({**cluster, "task": {"type": "worker", "index": 0}})},
    )
    ended([*others, chief])
    chief.expect("TF_CONFIG")
    task(
        "ps-0", two, "--steps", 5, hosts=[], env={"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}}'}
    ).ends(2).expect("TF_CONFIG", "--ps_hosts localhost:PORT.*--cluster FILE")


def test_roles_of_tf_config(box, ports):
    """Each task by its environment alone, the chief under the name that it had in TensorFlow 1."""
    addresses = ports.addresses(3)
    plan = box.compile("chief", {"chief": 1, "worker": 2, "strategy": "in_graph"})
    launched = box.weights(plan, "--steps", 20)
    config = {"cluster": {"master": addresses[:1], "worker": addresses[1:]}, "environment": "cloud"}
    tasks = [
        box.launch(
            plan,
            "--steps",
            20,
            "--dump_variables",
            "by-role",
            env={"TF_CONFIG": json.dumps({**config, "task": {"type": role, "index": index}})},
        )
        for role, index in (("worker", 1), ("worker", 0), ("master", 0))
    ]
    ended(tasks)
    tasks[2].expect("^graphrun: this is /job:chief/task:0, as TF_CONFIG says$")
    same(launched, box / "by-role")


def test_refused(box, two, ports):
    """Addresses that cannot be, a folder for the secret that cannot, a task that is none."""

    def refuse(pattern, *arguments, **how):
        box.refused(pattern, two, *arguments, **how)

    far = ["--ps_hosts", "localhost:1", "--worker_hosts", "localhost:2,10.0.0.7:3"]
    refuse(
        "mutual TLS; give --tls_cert",
        "--job_name",
        "ps",
        "--ps_hosts",
        "10.0.0.7:1",
        "--worker_hosts",
        "localhost:2,localhost:3",
    )
    refuse("worker:1 is 10.0.0.7:3.*--local.*--job_name", *far)
    box.graphrun(two, "--steps", 5, "--local", *far)
    refuse(
        "worker", "--job_name", "ps", "--ps_hosts", "localhost:1", "--worker_hosts", "localhost:2"
    )
    refuse(
        "secret by which this user.s tasks know each other.*XDG_STATE_HOME.*/dev/null",
        "--job_name",
        "ps",
        *ports.flags,
        env={"XDG_STATE_HOME": "", "HOME": "/dev/null"},
    )
    refuse("--task_index 7.*2 tasks of job worker", "--job_name", "worker", "--task_index", 7)
