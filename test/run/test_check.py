"""graphrun check on one machine: all is well, or each kind of wrong by its name, all of them and
not only the first, within the time limit."""

import hashlib
import os
import signal
import socket

import pytest
from box import MODELS, tls
from formats import samples
from process import DEATH, children, commandLine, ended, until


class Check:
    def __init__(self, box, ports):
        self.box, self.hosts = box, ports.flags

    def good(self, *arguments):
        __tracebackhide__ = True
        return self.box.graphrun("check", *arguments)

    def bad(self, pattern, *arguments):
        __tracebackhide__ = True
        run = self.box.graphrun("check", *arguments, status=1)
        run.out.expect(f"^wrong  .*{pattern}")
        return run

    def task(self, name, plan, *arguments, limit=40):
        """One of several by hand, which wait so many seconds for each other."""
        return self.box.task(name, "check", plan, *arguments, *self.hosts, "--timeout", limit)


@pytest.fixture
def check(box, ports):
    return Check(box, ports)


def test_alone(box, check):
    check.good(box.oneDevice("one", 2)).out.expect("^1 task, 0 links: all is well$")


def test_launched(box, two, check):
    """A checkpoint folder that the check made is gone again."""
    check.good(two, "--checkpoint_dir", "run").out.expect(
        "^ok     plan [0-9a-f]{8}… of mlp.mlir, graphrun ",
        "^ok     /job:ps/task:0 process [0-9]+ on ",
        "^ok     data set train: 203 samples, the same on /job:worker/task:0, /job:worker/task:1",
        "^ok     --checkpoint_dir run: writable, the same folder on /job:ps/task:0",
        "^ok     /job:worker/task:1 -> /job:ps/task:0 shm: [0-9.e+]+ µs one way, [0-9.e+]+ .bit/s there, [0-9.e+]+ .bit/s back",
        "^3 tasks, 3 links: all is well",
    )
    assert not (box / "run").exists()
    check.good(two, "--transport", "grpc").out.expect(
        "^ok     /job:worker/task:0 -> /job:ps/task:0 grpc: "
    )


def test_folder_of_a_run(box, two, check):
    """It is as it was."""
    box.graphrun(two, "--steps", 30, "--checkpoint_dir", "run")
    before = sorted(os.listdir(box / "run"))
    check.good(two, "--checkpoint_dir", "run").out.expect(
        "^ok     --checkpoint_dir: the run goes on from run/step-30"
    )
    assert sorted(os.listdir(box / "run")) == before


def test_said_once(two, check):
    """What is wrong with a file of the whole run, however many tasks there are, also with one that
    the launcher alone looks at."""
    for pattern, *arguments in (
        ("--stats no/such/stats.json: .*No such file", "--stats", "no/such/stats.json"),
        ("--dump_variables /proc/dump", "--dump_variables", "/proc/dump"),
    ):
        check.bad(pattern, two, *arguments).out.expect("^3 tasks, 3 links: 1 thing is wrong$")


@pytest.fixture
def halted(box, two):
    """A check of which one task stands still, while another waits for it with its signals
    caught."""
    launcher = box.launch("check", two, "--timeout", 60, name="launcher")
    os.kill(launcher.pidOf("ps-0"), signal.SIGSTOP)
    worker = launcher.pidOf("worker-1")
    until(lambda: waitsForSignals(worker), "worker:1 is past its start, where a stop is held back")
    return launcher, worker


def waitsForSignals(pid):
    """SIGTERM is not blocked, or one of its threads waits for it."""
    mask = 1 << (signal.SIGTERM - 1)
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return "graphrun" in " ".join(commandLine(pid)) and (
        int(fields["SigCgt"], 16) & mask or not int(fields["SigBlk"], 16) & mask
    )


def test_stopped_task(halted):
    """A task of a launched check takes a stop."""
    launcher, worker = halted
    os.kill(worker, signal.SIGTERM)
    launcher.ends(1, DEATH)
    launcher.err.expect("/job:worker/task:1 .* was killed by signal 15")


def test_stopped_launcher(halted):
    """The launcher's own stop ends all of them."""
    launcher, _ = halted
    launcher.stop(1, DEATH)
    launcher.err.expect("^graphrun: the check was stopped, as asked$")
    assert not children(launcher.pid)


def test_by_hand(box, two, ports, check):
    """In any order; links in the cluster file are compared."""
    box.write(
        "cluster.json",
        {
            "cluster": {
                "ps": [f"localhost:{ports[0]}"],
                "worker": [f"127.0.0.1:{ports[1]}", f"localhost:{ports[2]}"],
            },
            "links": [
                {
                    "from": "/job:worker/task:0",
                    "to": "/job:ps",
                    "gigabits_per_second": 4000,
                    "latency_us": 5000000,
                },
                {
                    "from": "/job:worker",
                    "to": "/job:ps",
                    "gigabits_per_second": 0.001,
                    "latency_us": 1,
                },
            ],
        },
    )
    other = check.task("worker-1", two)
    other.err.waitFor(
        r"waiting for the chief /job:worker/task:0 at 127.0.0.1:[0-9]+ \(Connection refused\)"
    )
    server = check.task("ps-0", two, "--steps", 30)
    chief = check.task(
        "worker-0", two, "--cluster", "cluster.json", "--transport", "grpc", "--fetch", "loss"
    )
    ended([chief, other, server])
    chief.out.expect(
        r"^note   /job:worker/task:0 -> /job:ps/task:0 .*; links says 5e\+06 µs, 4e\+03 Gbit/s: .* times less bandwidth and .* less latency than said",
        "^note   /job:worker/task:1 -> /job:ps/task:0 .* times more bandwidth",
    )
    other.out.expect(
        "^ok     /job:worker/task:1: all is well; the whole stands where the chief /job:worker/task:0 was started"
    )


def test_missing_and_another_plan(box, two, ports, check):
    """Somebody does not come, another one has another plan: both in one list."""
    chief = check.task("worker-0", two, limit=10)
    server = check.task("ps-0", box.servers("other", 2, 1, "async"), limit=10)
    ended([chief, server], 1)
    chief.out.expect(
        f"^wrong  /job:worker/task:1 at localhost:{ports[2]}: Connection refused: graphrun check was not started there",
        "^wrong  /job:ps/task:0 .* has another plan: its fingerprint is [0-9a-f]{64}, the chief.s [0-9a-f]{64}",
        "^-      /job:worker/task:0 -> /job:ps/task:0: not tried",
        "^3 tasks, 3 links: 2 things are wrong$",
    )
    server.out.expect("^wrong  /job:ps/task:0: has another plan: its fingerprint is")


def test_port_taken_and_there_twice(two, ports, check):
    """One has no port, another is there twice: both in one list."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", ports[0]))
        taken.listen()
        twins = [check.task("worker-1", two), check.task("worker-1", two)]
        for twin in twins:
            twin.err.waitFor("waiting for the chief")
        chief = check.task("worker-0", two)
        until(lambda: not all(twin.running for twin in twins), "the second is sent away at once")
        server = check.task("ps-0", two)
        chief.ends(1)
    ended([server, *twins], 1)
    for task in chief, server:
        task.out.expect(
            f"^wrong  /job:ps/task:0: cannot listen on localhost:{ports[0]}: another process has this port"
        )
    chief.out.expect(
        "^-      /job:worker/task:1 -> /job:ps/task:0: not tried, since one of the two is not there or has no port",
        "^wrong  a second process says it is /job:worker/task:1: process [0-9]+ on .* besides process [0-9]+ on",
    )


def test_no_chief(two, ports, check):
    check.bad(
        r"the chief /job:worker/task:0 at 127.0.0.1:[0-9]+ did not come within 1s \(Connection refused\)",
        two,
        "--job_name",
        "ps",
        *ports.flags,
        "--timeout",
        1,
    )


def test_check_and_run(box, two, ports, check):
    """A check where a run should be, and a run (of another chief) where a check should be."""
    tasks = check.task("worker-1", two, limit=10), check.task("worker-0", two, limit=10)
    tasks[1].err.waitFor("waiting for /job:ps/task:0")
    box.graphrun(two, "--steps", 30, "--job_name", "ps", *ports.flags, status=1).expect(
        r"what answers as the chief .* takes no runs; is it graphrun check\?"
    )
    run = box.launch(
        two,
        "--steps",
        30,
        "--job_name",
        "ps",
        *ports.flags,
        "--worker_hosts",
        f"localhost:{ports[7]},localhost:{ports[8]}",
    )
    ended(tasks, 1)
    tasks[1].out.expect(
        "^wrong  /job:ps/task:0 at .*something of graphrun answers there that takes no part in the check"
    )
    run.signal(signal.SIGTERM)
    run.ends(None)


def test_silent(two, check):
    """A task that stops answering is named, and the rest is checked."""
    chief, other = check.task("worker-0", two, limit=10), check.task("worker-1", two, limit=10)
    chief.err.waitFor("waiting for /job:ps/task:0")
    other.signal(signal.SIGSTOP)
    server = check.task("ps-0", two, limit=10)
    chief.ends(1)
    other.signal(signal.SIGCONT)
    ended([server, other], 1)
    chief.out.expect(
        "^wrong  /job:worker/task:1 did not answer within 10s while looking at its CPU and data files",
        "^ok     /job:worker/task:0 -> /job:ps/task:0 shm: ",
    )


@pytest.fixture
def data(box):
    """The same data, data of which a byte differs, and less data."""
    samples(box / "one", 50)
    samples(box / "other", 50, first=8)
    samples(box / "fewer", 49)
    return box.servers("idx", 2, 1, model=MODELS / "idx.mlir")


def test_data_files(data, check):
    """They are there, or it is said that they are missing, in the same list as a folder that cannot
    be written."""
    check.good(data, "--data_dir", "one")
    run = check.bad(
        "/job:worker/task:1: data set train: data file images.gz not found; looked in nowhere",
        data,
        "--data_dir",
        "nowhere",
        "--checkpoint_dir",
        "/proc/run",
    )
    run.out.expect(
        "^wrong  .*--checkpoint_dir.*/proc/run", "^3 tasks, 3 links: [34] things are wrong$"
    )


@pytest.mark.parametrize("folder, samples", [("other", 50), ("fewer", 49)])
def test_data_files_differ(data, check, folder, samples):
    tasks = [
        check.task("worker-0", data, "--data_dir", "one"),
        check.task("worker-1", data, "--data_dir", folder),
        check.task("ps-0", data),
    ]
    ended(tasks, 1)
    tasks[0].out.expect(
        f"^wrong  data set train differs: 50 samples from one/images.* on /job:worker/task:0, {samples} samples from {folder}/images.* on /job:worker/task:1",
        "1 thing is wrong$",
    )


def test_cpu(box, check):
    """A CPU that lacks what the code needs, here something that no CPU has; the rest is checked all
    the same."""
    plan = box.compile(
        "v2",
        {"worker": 2, "ps": 1, "strategy": "parameter_server"},
        flags=["--target_cpu", "x86-64-v2"],
    )
    check.good(plan)
    data = (box / plan).read_bytes()
    assert data.count(b"\x06popcnt") == 1
    body = data[56:].replace(b"\x06popcnt", b"\x06avx999")
    box.write("cpu.plan", data[:24] + hashlib.sha256(body).digest() + body)
    run = check.bad("avx999", "cpu.plan")
    for name in "ps/task:0", "worker/task:0", "worker/task:1":
        run.out.expect(
            f"^wrong  /job:{name}: the plan.s code was compiled with --target_cpu=x86-64-v2 and needs avx999, which this CPU .* does not have"
        )
    run.out.expect("^ok     /job:worker/task:0 -> /job:ps/task:0 shm: ")


@pytest.fixture
def secured(box, two, check):
    """Starts the three tasks with these certificates: (whose, of which folder)."""
    box.graphrun("certs", *check.hosts)
    box.graphrun("certs", "foreign", *check.hosts)

    def start(status, worker1=("worker-1", "certs"), ps=("ps-0", "certs")):
        tasks = [
            check.task(name, two, *tls(*files), limit=15)
            for name, files in (("worker-0", ("worker-0",)), ("worker-1", worker1), ("ps-0", ps))
        ]
        ended(tasks, status)
        return tasks

    return start


def test_certificates(secured):
    """Good ones; of another authority; of another task."""
    secured(0)
    chief, _, server = secured(1, ps=("ps-0", "foreign"))
    server.out.expect(
        "^wrong  /job:ps/task:0: the chief .*: the certificate that .* shows is not accepted by --tls_ca here"
    )
    chief.out.expect(
        "^wrong  /job:ps/task:0 at .*: the certificate that .* shows is not accepted by --tls_ca here"
    )
    chief, other, _ = secured(1, worker1=("worker-0", "certs"))
    other.out.expect(
        "^wrong  /job:worker/task:1: --tls_cert certs/worker-0.crt is of /job:worker/task:0, but this task is /job:worker/task:1"
    )
    chief.out.expect(
        "^wrong  /job:worker/task:1 is refused: the certificate at the other end is of /job:worker/task:0, and not of /job:worker/task:1; give each task its own"
    )


def test_missing_key(two, data, check):
    """It is named, and so is what else is wrong on this machine."""
    check.bad(
        "--tls_cert certs/none.crt: No such file",
        two,
        "--job_name",
        "ps",
        *tls("none"),
        *check.hosts,
    )
    run = check.bad(
        "nothing but this machine could be looked at",
        data,
        "--job_name",
        "worker",
        *tls("none"),
        *check.hosts,
    )
    run.out.expect("^wrong  .*images.gz not found")


def test_servers(box, ports, check):
    """Waiting servers take part, and are servers again afterwards; one that is not there is
    missed."""
    plan = box.compile("servers", {"worker": ports.addresses(3), "strategy": "mirrored"})
    master = ["--master", f"grpc://localhost:{ports[0]}"]

    def server(index):
        started = box.task(f"worker-{index}", "server", "--cluster", "servers.json")
        started.waitFor("waits for a client")
        return started

    one = server(1)
    check.bad("/job:worker/task:2 did not come within 2s", plan, *master, "--timeout", 2)
    other = server(2)
    check.good(plan, *master).out.expect("^3 tasks, 3 links: all is well$")
    one.expect("checks mlp.mlir for process")
    box.graphrun(plan, *master, "--steps", 5)
    one.stop()
    other.stop()


def test_no_plan(box):
    box.graphrun("check", status=2).expect(r"which plan\? graphrun check model.plan")
