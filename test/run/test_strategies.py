"""Every row of strategies.json, every cell of it: the table of strategies in docs/status.md."""

import pytest
from box import LONG, asFlags, differences, same, tls
from formats import updates
from process import ended
from strategies import FILES, ON_DEVICES, ON_GPUS, ROWS, clusterOf, nameOf

STEPS = 20
each = pytest.mark.parametrize("row", ROWS)


def tasksOf(cluster):
    return [f"{job}-{index}" for job, tasks in cluster.items() for index in range(tasks)]


def planOf(box, row, model, cluster):
    return box.compile(f"{model}-{nameOf(cluster)}", clusterOf(row, model, cluster), FILES[model])


def compare(box, row, model, cluster, folder):
    """The promise of the row: one device's bits, or the number of updates."""
    if "inexact" in row:
        assert updates(folder) == STEPS, folder
        return
    replicas = row.get("replicas", 1)
    one, _ = box.reference(
        cluster[replicas] if isinstance(replicas, str) else replicas,
        "--steps",
        STEPS,
        model=FILES[model],
    )
    same(one, folder)


def clustersFor(row, model, transport):
    """Each run of Fashion-MNIST evaluates on 10,000 images, and over gRPC runs take longer."""
    smallest, largest = row["clusters"][0], row["clusters"][-1]
    if LONG:
        return row["clusters"]
    if model == "fashion-mnist":
        return [largest]
    return row["clusters"] if transport == "shm" else [smallest, largest]


def overTransport(box, row, transport):
    for model in sorted(FILES.keys() - ON_GPUS):
        for cluster in clustersFor(row, model, transport):
            folder = box.weights(
                planOf(box, row, model, cluster),
                "--steps",
                STEPS,
                f"--transport={transport}",
                to=f"{model}-{nameOf(cluster)}-{transport}",
            )
            compare(box, row, model, cluster, folder)


@each
def test_processes(box, ports, row):
    """Each task started by hand as a process of its own."""
    row = ROWS[row]
    cluster, first, hosts = row["clusters"][-1], 0, []
    for job, tasks in cluster.items():
        hosts += [f"--{job}_hosts", ",".join(f"127.0.0.1:{ports[first + i]}" for i in range(tasks))]
        first += tasks
    plan = planOf(box, row, "bottleneck", cluster)
    ended(
        [
            box.task(task, plan, "--steps", STEPS, *hosts, "--dump_variables", "by-hand")
            for task in tasksOf(cluster)
        ]
    )
    compare(box, row, "bottleneck", cluster, box / "by-hand")


@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if "inexact" not in row])
def test_exact(box, row):
    """The comparison can fail: a step more gives other weights."""
    row = ROWS[row]
    cluster = row["clusters"][-1]
    plan = planOf(box, row, "mlp", cluster)
    right = box.weights(plan, "--steps", STEPS)
    compare(box, row, "mlp", cluster, right)
    assert any(
        name[0] == "w" for name in differences(right, box.weights(plan, "--steps", STEPS + 1))
    )


@each
def test_shm(box, row):
    overTransport(box, ROWS[row], "shm")


@each
def test_grpc(box, row):
    overTransport(box, ROWS[row], "grpc")


@each
def test_apart(box, machines, row):
    """Each task on a machine of its own over mutual TLS; what tasks send each other goes over the
    switch."""
    row, sent = ROWS[row], 0
    smallest, largest = row["clusters"][0], row["clusters"][-1]
    runs = [
        ("linear-regression", smallest),
        ("mlp", largest),
        ("bottleneck", largest),
        *row.get("alsoApart", []),
    ]
    for model, cluster in runs:
        plan, tasks, hosts = planOf(box, row, model, cluster), tasksOf(cluster), []
        machines.add(max(0, len(tasks) - machines.made))
        for job in cluster:
            hosts += [
                f"--{job}_hosts",
                ",".join(
                    f"10.77.0.{n}:2222"
                    for n, task in enumerate(tasks, 1)
                    if task.startswith(f"{job}-")
                ),
            ]
        certs, folder = f"certs-{nameOf(cluster)}", f"{model}-{nameOf(cluster)}-apart"
        box.graphrun("certs", certs, *hosts)
        before, started = machines.crossed(), []
        for n, name in reversed(list(enumerate(tasks, 1))):
            started.append(
                machines.start(
                    n,
                    "graphrun",
                    plan,
                    "--steps",
                    STEPS,
                    *asFlags(name),
                    *hosts,
                    *tls(name, certs),
                    "--dump_variables",
                    folder,
                    *(["--stats", "stats.json"] if name == "worker-0" else []),
                    name=name,
                )
            )
        ended(started)
        bytesSent = sum(task["bytes_sent"] for task in box.json("stats.json")["tasks"].values())
        assert machines.crossed() - before >= bytesSent
        sent += bytesSent
        (box / "stats.json").unlink()
        compare(box, row, model, cluster, box / folder)
        if row.get("sameInEveryRun"):
            same(box.weights(plan, "--steps", STEPS), box / folder)
    assert sent > 0  # not of every model: towers that compute the same are one


def onDevices(box, row, kind, clusters):
    """Each run by another seed, so that the device does its work in another order."""
    ones, seed = {}, 0

    def train(plan, folder, model):
        nonlocal seed
        seed += 1
        box.environment["GRAPHC_SIM_SEED"] = str(seed)
        return box.weights(plan, "--steps", 3 if model in ON_GPUS else STEPS, to=folder)

    def one(model, replicas):
        config = {
            "worker": 1,
            "strategy": {"name": "one_device", "micro_batches": replicas},
            "devices": {"worker": [f"{kind}:0"]},
        }
        if (model, replicas) not in ones:
            name = f"one-{model}-{replicas}"
            ones[model, replicas] = train(box.compile(name, config, FILES[model]), name, model)
        return ones[model, replicas]

    for onHost in [(), ("ps",)] if "ps" in row["clusters"][0] else [()]:
        for model in (
            *ON_DEVICES,
            *(ON_GPUS if kind == "GPU" and not onHost and "inexact" not in row else ()),
        ):
            for cluster in clusters:
                given = {
                    job: row.get("devices", {}).get(job, ["CPU:0"])
                    for job in cluster
                    if job not in onHost
                }
                devices = {
                    job: [name.replace("CPU", kind) for name in names]
                    for job, names in given.items()
                }
                folder = f"{model}-{nameOf(cluster)}" + "".join(f"-{job}-on-cpu" for job in onHost)
                weights = train(
                    planOf(box, {**row, "devices": devices}, model, cluster), folder, model
                )
                # Products of the others are the library's on a CPU.
                if kind == "SIM" or "inexact" in row or model == "linear-regression":
                    compare(box, row, model, cluster, weights)
                if row.get("sameInEveryRun"):  # on a CPU too, where both compile the products
                    other = (
                        row
                        if kind == "SIM" or model == "linear-regression"
                        else {**row, "devices": devices}
                    )
                    same(
                        train(planOf(box, other, model, cluster), f"{folder}-again", model), weights
                    )
                elif "inexact" not in row:
                    replicas = row.get("replicas", 1)
                    same(
                        one(model, cluster[replicas] if isinstance(replicas, str) else replicas),
                        weights,
                    )


def rowsOn(cell):
    return pytest.mark.parametrize(
        "row", [name for name, row in ROWS.items() if cell not in row.get("notOn", {})]
    )


@rowsOn("sim")
def test_sim(box, row):
    """By graphc and graphrun that know such a device, whose work is done in another order in each
    run."""
    box.withSim()
    clusters = ROWS[row]["clusters"]
    onDevices(box, ROWS[row], "SIM", clusters if LONG else clusters[-1:])


@rowsOn("gpu")
def test_gpu(box, row):
    """By PTX that a driver for tests runs."""
    box.withFakeCuda(2)
    onDevices(box, ROWS[row], "GPU", [ROWS[row]["clusters"][-1]])


@each
def test_lost(box, row):
    """kill -9 of the first task, of the chief and of the last: the run ends at once and names the
    task and the signal."""
    row = ROWS[row]
    cluster = row["clusters"][-1]
    tasks = tasksOf(cluster)
    for task in dict.fromkeys([tasks[0], "worker-0", tasks[-1]]):
        box.dies(planOf(box, row, "mlp", cluster), task, folder=f"kept-{task}")
