"""Another user of the machine: nothing of the victim's is run, shown, ended or slowed for good, and
its memory does not grow."""

import os
import pwd
import shutil
from pathlib import Path

import pytest
from box import BUILD, FOREVER, HERE, asFlags, same
from process import END, TRAINS, until

STRANGER = "what listens there does not know this run's secret"


PYTHON = shutil.which("python3", path="/usr/bin")  # one that other users can run


class User:
    """A user of this test alone, a number that no account has, with a folder, home and key of its
    own."""

    def __init__(self, box, number, folder):
        self.box, self.number, self.folder = box, number, box / folder
        with pytest.raises(KeyError):
            pwd.getpwuid(number)
        self.folder.mkdir(mode=0o700)
        os.chown(self.folder, number, number)
        self.words = [
            "setpriv",
            "--reuid",
            number,
            "--regid",
            number,
            "--clear-groups",
            "env",
            "-u",
            "XDG_RUNTIME_DIR",
            f"HOME={self.folder}",
            f"XDG_STATE_HOME={self.folder}/state",
            f"TMPDIR={self.folder}",
            f"PATH={box.folder}/bin:{os.environ['PATH']}",
        ]

    def processes(self):
        return [path.name for path in Path("/proc").glob("[0-9]*") if owner(path) == self.number]

    def give(self, *names):
        for name in names:
            shutil.copy(self.box / name, self.folder)
            (self.folder / name).chmod(0o644)

    def start(self, *command, **how):
        how.setdefault("name", str(command[0]))
        return self.box.start(*self.words, *command, cwd=self.folder, **how)

    def run(self, *command, status=0, **how):
        __tracebackhide__ = True
        return self.start(*command, **how).ends(status)

    def disturb(self, kind, port, seconds):
        """What neighbour.py can do to a port."""
        return self.start(
            PYTHON, self.box / "bin/neighbour.py", kind, port, seconds, name=f"{kind}-{port}"
        )


def owner(path):
    try:
        return path.stat().st_uid
    except OSError:  # it has ended meanwhile
        return None


@pytest.fixture
def users(box):
    """Two of them, with what both run where both can read it: the victim, the neighbour."""
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    box.folder.chmod(0o711)
    for folder, file in (
        ("bin", BUILD / "bin/graphrun"),
        ("lib", BUILD / "lib/libgraphc_onednn.so"),
        ("bin", HERE / "neighbour.py"),
    ):
        (box / folder).mkdir(exist_ok=True)
        shutil.copy(file, box / folder)
    pair = User(box, 61001, "v"), User(box, 61002, "n")
    yield pair
    until(
        lambda: not [pid for user in pair for pid in user.processes()],
        "no process of the two users is left",
    )
    left = [path for user in pair for path in user.folder.glob("graphc-*")]
    assert not left, "a socket's folder is left"


@pytest.fixture
def served(box, users, ports):
    """A plan of two workers with addresses, for both users."""
    box.compile("servers", {"worker": ports.addresses(2), "strategy": "mirrored"})
    for user in users:
        user.give("servers.json", "servers.plan")
    return ["--cluster", "servers.json", *asFlags("worker-1")]


def test_waiting_server(users, served, ports):
    """A false client where its chief would be is heard of by no word of the plan; the victim's own
    client is served as ever."""
    victim, neighbour = users
    server = victim.start("graphrun", "server", *served, name="server")
    server.waitFor("waits for a client")
    master = ["--master", f"grpc://localhost:{ports[0]}", "--steps", 3]
    neighbour.run("graphrun", "servers.plan", *master, "--join_deadline", 3, status=1).expect(
        "worker/task:1"
    )
    server.expect(f"no client at localhost:{ports[0]}: {STRANGER}: it is another user's process")
    server.never("runs mlp")
    victim.run("graphrun", "servers.plan", *master)
    server.waitFor("the run has finished")
    server.stop()


def test_status(box, users):
    """A run is shown to its own user alone: not to a neighbour, nor to root."""
    victim, neighbour = users
    box.compile("one", {"worker": 1})
    victim.give("one.plan")
    run = victim.start("graphrun", "one.plan", "--steps", FOREVER)
    run.waitFor(TRAINS)
    shown = victim.run("graphrun", "status").out
    shown.expect("^run: mlp")
    (pid,) = set(shown.matches("process ([0-9]+) on"))
    neighbour.run("graphrun", "status").out.expect("^no run of this user on this machine$")
    box.run("graphrun", "status").out.never(rf"\b{pid}\b")  # root's runs are those of other tests
    for other in neighbour.run, box.run:
        other("graphrun", "status", pid, status=1).err.expect(
            "no run of this user has such a process"
        )
    run.stop(status=1)


def test_listener(users, served, ports):
    """One who only listens where the chief should be hears a greeting and random numbers, 40 bytes
    of each who calls, and never the key."""
    victim, neighbour = users
    heard = neighbour.disturb("listen", ports[0], END)
    heard.waitFor("listens")
    joins = victim.run("graphrun", "servers.plan", *served, "--join_deadline", 30, status=1)
    joins.expect(f"the chief /job:worker/task:0 at localhost:.*: {STRANGER}")
    until(
        lambda: len([line for line in heard.out.lines() if line]) >= 2,
        "somebody called the listener",
    )
    heard.end()
    lines = heard.out.lines()
    assert all(len(line) <= 80 and set(line) <= set("0123456789abcdef") for line in lines), (
        "a caller has said more than a greeting"
    )
    key = (victim.folder / "state/graphc/key").read_bytes()[:32].hex()
    assert len(key) == 64 and key not in heard.out.text()


class ByHand:
    """The victim's tasks by hand, over gRPC, with few descriptors."""

    def __init__(self, box, users, ports):
        self.box, (self.victim, self.neighbour) = box, users
        box.servers("two", 2, 1)
        for user in users:
            user.give("two.plan")
        self.at = [ports[1], ports[2]]  # of the workers
        self.hosts = [
            "--ps_hosts",
            f"127.0.0.1:{ports[0]}",
            "--worker_hosts",
            f"127.0.0.1:{ports[1]},127.0.0.1:{ports[2]}",
        ]
        self.free = ports[3]

    def start(self, *arguments):
        return [
            self.victim.start(
                "sh",
                "-c",
                'ulimit -n 300; exec "$@"',
                "sh",
                "graphrun",
                "two.plan",
                "--transport",
                "grpc",
                *asFlags(name),
                *arguments,
                *self.hosts,
                name=name,
            )
            for name in ("worker-0", "worker-1", "ps-0")
        ]


@pytest.fixture
def byHand(box, users, ports):
    return ByHand(box, users, ports)


def test_floods(byHand):
    """Floods of the chief's port and a worker's: a checkpoint is written during each, memory does
    not grow, one who asks to be a task does not come as far as its name, and the run goes on until
    it is asked to stop."""
    saved = byHand.victim.folder / "saved"
    newest = lambda: max(
        int(path.parent.name.removeprefix("step-"))
        for path in saved.glob("step-*[0-9]/manifest.json")
    )
    chief, worker, server = byHand.start(
        "--steps", FOREVER, "--checkpoint_dir", "saved", "--save_checkpoint_secs", 1
    )
    byHand.box.checkpoint("v/saved")
    before = [task.peak() for task in (chief, worker)]
    for kind in "big", "resets", "idle", "garbage", "calls":
        floods = [byHand.neighbour.disturb(kind, port, END) for port in byHand.at]
        for flood in floods:
            flood.waitFor("begins")
        for _ in range(2):  # the first one may have begun before the floods
            last = newest()
            until(lambda: newest() > last, f"a checkpoint is written during {kind}")
        for flood in floods:
            assert flood.status in (None, 0)
            flood.end()
    joins = byHand.neighbour.run(
        "graphrun",
        "two.plan",
        "--steps",
        3,
        "--transport",
        "grpc",
        *asFlags("worker-1"),
        *byHand.hosts[:2],
        "--worker_hosts",
        f"127.0.0.1:{byHand.at[0]},127.0.0.1:{byHand.free}",
        status=1,
    )
    joins.expect("does not know this run's secret")
    grown = [task.peak() - was for task, was in zip((chief, worker), before)]
    assert max(grown) <= 32768, grown
    chief.stop(status=1)
    chief.expect("stopped at step [0-9]+ of 100000000 as asked")
    worker.ends(None)
    server.ends(None)


def test_comes_together(byHand):
    """A run whose ports are flooded when it comes does come together, with the weights of one that
    nobody disturbs."""
    byHand.victim.run("graphrun", "two.plan", "--steps", 300, "--dump_variables", "alone")
    floods = [byHand.neighbour.disturb("idle", port, 8) for port in byHand.at for _ in range(3)]
    for flood in floods:
        flood.waitFor("begins")
    for task in byHand.start("--steps", 300, "--dump_variables", "flooded"):
        task.ends(0)
    same(byHand.victim.folder / "alone", byHand.victim.folder / "flooded")
    for flood in floods:
        flood.ends(None)


CALL = """
import socket
for line in open("/proc/net/unix").readlines()[1:]:
    fields = line.split(None, 7)
    if len(fields) < 8 or "graphc" not in fields[7] or "graphc-test-ports" in fields[7]:
        continue
    name = fields[7].rstrip("\\n")
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect("\\0" + name[1:] if name.startswith("@") else name)
            print("called", name)
        except OSError:
            pass
print("tried")
"""


def test_no_address(users, byHand):
    """A launched run has no address at all: of all sockets that the machine shows, the neighbour
    can call none of it."""
    victim, neighbour = users
    run = victim.start(
        "graphrun",
        "two.plan",
        "--steps",
        FOREVER,
        "--checkpoint_dir",
        "launched",
        "--save_checkpoint_secs",
        1,
        "--transport",
        "grpc",
    )
    byHand.box.checkpoint("v/launched")
    calls = neighbour.run(PYTHON, "-c", CALL)
    calls.expect("^tried$")
    calls.never("called")
    run.stop(status=1)
