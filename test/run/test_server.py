"""graphrun server: servers in any order; a client with --master drives them, one after the other;
who dies, and what is refused."""

import json

import pytest
from box import LOST, MLP, MODELS, same
from formats import samples
from process import DEATH, until

IDX = MODELS / "idx.mlir"


class Cluster:
    """A plan of three workers, the first of which is the client's place, and servers for the
    others."""

    def __init__(self, box, ports):
        self.box, self.client = box, f"localhost:{ports[0]}"
        self.master = ["--master", f"grpc://{self.client}"]
        self.plan = box.compile("cluster", {"worker": ports.addresses(3), "strategy": "mirrored"})

    def server(self, index):
        return self.box.task(f"worker-{index}", "server", "--cluster", "cluster.json")

    def idle(self, *servers):
        """They wait for a client as the last thing they said."""
        for server in servers:
            until(
                lambda: (
                    f"waits for a client, /job:worker/task:0 at {self.client}"
                    in "".join(server.lines()[-1:])
                ),
                f"{server.name} waits for a client",
            )

    def both(self):
        servers = self.server(1), self.server(2)
        self.idle(*servers)
        return servers

    def run(self, plan=None, *arguments, **how):
        return self.box.graphrun(plan or self.plan, *self.master, *arguments, **how)

    def long(self):
        """A client whose run trains until something ends it."""
        return self.box.trains(self.plan, *self.master, name="client")


@pytest.fixture
def cluster(box, ports):
    return Cluster(box, ports)


@pytest.fixture
def one(box):
    """One device's weights."""
    return box.reference(3, "--steps", 40)[0]


def stopped(*servers):
    for server in servers:
        server.stop()
        server.expect("shut down as asked")
        server.never("CANCELLED")  # what a client says while it ends is no reason


def test_early(box, cluster, one):
    """A server and the client before the last server wait, and say for whom; the weights are one
    device's. The next clients: over gRPC, and another plan of the same cluster."""
    two = cluster.server(2)
    cluster.idle(two)
    client = box.launch(cluster.plan, *cluster.master, "--steps", 40, "--dump_variables", "early")
    client.err.waitFor("waiting for /job:worker/task:1")
    first = cluster.server(1)
    client.ends()
    same(one, box / "early")
    first.expect("runs mlp.mlir for process [0-9]+ on ")
    first.waitFor("the run has finished")
    cluster.idle(first, two)
    cluster.run(None, "--steps", 40, "--transport", "grpc", "--dump_variables", "again")
    same(one, box / "again")
    cluster.idle(first)
    cluster.run(box.compile("alone", {"worker": 3, "strategy": "in_graph"}), "--steps", 3)
    cluster.idle(first)
    stopped(first, two)


@pytest.mark.parametrize(
    "batches, settings",
    [
        (3, {"strategy": "mirrored"}),
        (1, {"strategy": "in_graph", "placement": [{"name": "w", "device": "/job:worker/task:2"}]}),
    ],
    ids=["mirrored", "in_graph"],
)
def test_data_files(box, cluster, batches, settings):
    """Data files that the client alone has, in a folder that its own folder holds: the servers have
    none and need none."""
    samples(box / "client/data", 50)
    alone = box.weights(
        box.oneDevice("one", batches, IDX), "--data_dir", "client/data", "--steps", 40
    )
    servers = cluster.both()
    plan = box.compile("filed", {"worker": 3, **settings}, IDX)
    cluster.run(
        f"../{plan}",
        "--data_dir",
        "data",
        "--steps",
        40,
        "--dump_variables",
        box / "filed",
        cwd="client",
    )
    same(alone, box / "filed")
    cluster.idle(*servers)
    stopped(*servers)


def test_busy_and_killed_client(box, cluster, one):
    """While a client is there, another one is told who; it dies, and the servers notice and wait
    again."""
    servers = cluster.both()
    client = cluster.long()
    cluster.run(None, "--steps", 3, status=1).err.expect(
        f"the cluster is busy: its client at {cluster.client} is process {client.pid} on .*, which runs mlp.mlir"
    )
    client.kill()
    servers[0].waitFor("the run has failed")
    cluster.idle(*servers)
    cluster.run(None, "--steps", 40, "--dump_variables", "after")
    same(one, box / "after")
    cluster.idle(*servers)
    stopped(*servers)


def test_master_of_tf_config(box, ports):
    """A TF_CONFIG whose chief is called "master", as in TensorFlow 1: the servers look for a plan's
    chief there."""
    addresses = ports.addresses(3)
    plan = box.compile(
        "chief", {"chief": addresses[:1], "worker": addresses[1:], "strategy": "in_graph"}
    )
    alone = box.weights(box.oneDevice("one", 1), "--steps", 20)
    config = {"cluster": {"master": addresses[:1], "worker": addresses[1:]}}
    servers = [
        box.launch(
            "server",
            env={"TF_CONFIG": json.dumps({**config, "task": {"type": "worker", "index": index}})},
        )
        for index in range(2)
    ]
    for server in servers:
        server.waitFor(f"waits for a client, /job:chief/task:0 at {addresses[0]}")
    box.graphrun(
        plan, "--master", f"grpc://{addresses[0]}", "--steps", 20, "--dump_variables", "served"
    )
    same(alone, box / "served")
    box.refused(
        "is the chief of this cluster, which is the client's place",
        "server",
        env={"TF_CONFIG": json.dumps({**config, "task": {"type": "master", "index": 0}})},
    )
    stopped(*servers)


def test_another_cluster(box, cluster):
    """Its plan is refused with both sides' tasks, and leaves the servers waiting."""
    servers = cluster.both()
    cluster.run(
        box.compile("two", {"worker": 2, "strategy": "mirrored"}), "--steps", 3, status=1
    ).err.expect(
        "the server's cluster has the tasks 3 worker, the plan of mlp.mlir is for 2 worker"
    )
    cluster.run(None, "--steps", 3)
    stopped(*servers)


def test_killed_server(cluster):
    """The client ends and names it; the other server waits again."""
    first, two = cluster.both()
    client = cluster.long()
    two.kill()
    client.ends(LOST, DEATH)
    client.expect("/job:worker/task:2.*is gone")
    cluster.idle(first)
    stopped(first)


def test_stopped_server(cluster):
    """SIGTERM in the middle of a run: everyone ends at a step's boundary, the server with it; an
    idle one too."""
    first, two = cluster.both()
    client = cluster.long()
    stopped(first)
    client.ends(1)
    client.expect("stopped at step [0-9]+ of 100000000 as asked")
    stopped(two)


def test_refused(box, cluster):
    """What cannot be is said at once."""
    file = ["--cluster", "cluster.json"]
    box.compile("two", {"worker": 2, "strategy": "mirrored"})
    box.refused(
        "is the chief of this cluster, which is the client.s place: graphrun model.plan --master grpc://localhost",
        "server",
        "--job_name",
        "worker",
        *file,
    )
    box.refused(
        "there is no /job:worker/task:7 in cluster.json",
        "server",
        "--job_name",
        "worker",
        "--task_index",
        7,
        *file,
    )
    box.refused(
        "the client brings the plan: leave many.plan out",
        "server",
        "many.plan",
        "--job_name",
        "worker",
        "--task_index",
        1,
        *file,
    )
    box.refused(
        "--steps is for the client",
        "server",
        "--steps",
        3,
        "--job_name",
        "worker",
        "--task_index",
        1,
        *file,
    )
    box.refused(
        "has no addresses for job worker",
        "server",
        "--job_name",
        "worker",
        "--task_index",
        1,
        "--cluster",
        "two.json",
    )
    box.refused("expected grpc://host:port", cluster.plan, "--master", cluster.client)
    box.graphc(MLP, "-o", "one.plan")
    box.refused(
        "the plan has one task, /job:worker/task:0, which is this process",
        "one.plan",
        *cluster.master,
    )
    box.refused("leave --job_name out", cluster.plan, *cluster.master, "--job_name", "worker")
