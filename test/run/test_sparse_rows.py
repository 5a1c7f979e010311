"""Rows of a variable that lives on a parameter server: numbers and rows travel, and not the
variable nor its gradient. The bits are those of one device and of all_reduce, which both make dense
gradients."""

import random
import struct

import pytest
from box import MODELS, same, servers
from test_accounts import check

LARGE = MODELS / "embedding-bag.mlir"
ROWS, WIDTH = 20000, 64
DISTINCT = {"embedding_rows": "distinct"}  # not a row for each number, as on one host
OPTIMIZERS = {
    "sgd": "{optimizer = #graph.sgd<learning_rate = 0.5>}",
    "scheduled": "{optimizer = #graph.sgd<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.5, decay_steps = 9>>, clip_value = 0.001}",
    "clipped": "{optimizer = #graph.sgd<learning_rate = 0.5>, clip_global_norm = 0.01}",
    "decayed": "{optimizer = #graph.sgd<learning_rate = 0.5, weight_decay = 0.01>}",
    "momentum": "{optimizer = #graph.momentum<learning_rate = 0.5, momentum = 0.9>}",
    "adam": "{optimizer = #graph.adam<learning_rate = 0.01>}",
    "averaged": "{optimizer = #graph.sgd<learning_rate = 0.5>, moving_average = 0.9}",
}


def model(box, optimizer="sgd", words=300):
    """The model with a smaller table, of which few words are in many bags, so that micro-batches
    and workers have rows in common."""
    text = (
        LARGE.read_text()
        .replace("200000", str(ROWS))
        .replace(f"limits = [{ROWS}", f"limits = [{words}")
    )
    assert "#graph.sgd" in text
    return box.write(
        "bags.mlir",
        text.replace("{optimizer = #graph.sgd<learning_rate = 0.5>}", OPTIMIZERS[optimizer]),
    ).name


def one(box, name, **settings):
    return box.weights(
        box.compile("one", {"worker": 1, "strategy": {"name": "one_device", **settings}}, name),
        "--steps",
        5,
    )


def partitioned(box, cluster, name):
    """The text, in which no channel carries the table or its gradient."""
    text = box.show("many", "partitioned", cluster, name)
    assert not [
        line for line in text.lines() if "dist.channel" in line and f"{ROWS}x{WIDTH}" in line
    ]
    return text


@pytest.mark.parametrize("rows", ["all", "distinct"])
@pytest.mark.parametrize("workers, ps", [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)])
def test_bits(box, workers, ps, rows, transport):
    """A row for each number, which is the choice where nothing says that tasks are on several
    hosts, or each number's once."""
    name = model(box)
    reference = one(box, name, micro_batches=4)
    cluster = servers(workers, ps, micro_batches=4, **(DISTINCT if rows == "distinct" else {}))
    text = partitioned(box, cluster, name)
    text.expect("dist.receive .*table.*rows count") if rows == "distinct" else text.never(
        "graph.distinct|sized"
    )
    same(
        reference,
        box.weights(box.compile("many", cluster, name), "--steps", 5, f"--transport={transport}"),
    )


@pytest.mark.parametrize("rows", ["all", "distinct"])
def test_numbers_of_a_variable(box, rows):
    """Numbers that lie on the server, and are the same for all replicas, are not theirs to send."""
    box.write(
        "lies.mlir",
        """graph.dataset @data : (tensor<5xf32>) = #graph.synthetic<samples = 64, seed = 3>
graph.variable @table : tensor<20x17xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.variable @ids : tensor<4xi32> = #graph.value<dense<[1, 18, 14, 1]> : tensor<4xi32>> {trainable = false}
graph.func @train_step() attributes {role = #graph.role<train>} {
  %table = graph.read @table : tensor<20x17xf32>
  %ids = graph.read @ids : tensor<4xi32>
  %e = graph.embedding %table, %ids : (tensor<20x17xf32>, tensor<4xi32>) -> tensor<4x17xf32>
  %x = graph.next_batch @data {batch = 1} : tensor<1x5xf32>
  %a = graph.reduce_mean %x dimensions = [0, 1] : (tensor<1x5xf32>) -> tensor<f32>
  %s = graph.tanh %e : tensor<4x17xf32>
  %b = graph.reduce_mean %s dimensions = [0, 1] : (tensor<4x17xf32>) -> tensor<f32>
  %l = graph.multiply %a, %b : tensor<f32>
  graph.minimize %l {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return
}
""",
    )
    cluster = servers(2, 1, micro_batches=2, **(DISTINCT if rows == "distinct" else {}))
    same(
        one(box, "lies.mlir", micro_batches=2),
        box.weights(box.compile("many", cluster, "lies.mlir"), "--steps", 5),
    )


def test_dense(box):
    """all_reduce sends dense gradients, and one device adds them: the same sums in another way."""
    name = model(box)
    same(
        one(box, name, micro_batches=4),
        box.weights(
            box.compile(
                "all", {"worker": 2, "strategy": {"name": "all_reduce", "micro_batches": 4}}, name
            ),
            "--steps",
            5,
        ),
    )


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers(box, optimizer):
    """Updates of rows, and dense ones of gradients that came as rows."""
    name = model(box, optimizer)
    for rows in {}, DISTINCT:
        cluster = servers(2, 1, **rows)
        text = partitioned(box, cluster, name)
        (text.expect if optimizer in ("sgd", "scheduled") else text.never)(
            "graph.apply_sgd_rows @table"
        )
        same(
            one(box, name, micro_batches=2),
            box.weights(box.compile("many", cluster, name), "--steps", 5),
        )


@pytest.mark.parametrize(
    "settings",
    [
        {"micro_batches": 12, "sum_leaves": 4},
        {"replication": "in_graph", "micro_batches": 4},
        {"placement": "split", "min_shard_bytes": 65536},
    ],
    ids=["leaves", "in_graph", "split"],
)
@pytest.mark.parametrize("rows", [{}, DISTINCT], ids=["all", "distinct"])
def test_settings(box, settings, rows):
    name = model(box)
    cluster = servers(2, 2, **settings, **rows)
    partitioned(box, cluster, name)
    sums = {key: value for key, value in settings.items() if key in ("micro_batches", "sum_leaves")}
    same(
        one(box, name, **{"micro_batches": 2, **sums}),
        box.weights(box.compile("many", cluster, name), "--steps", 5),
    )


@pytest.mark.parametrize("rows", [{}, DISTINCT], ids=["all", "distinct"])
def test_mirrored(box, rows):
    name = model(box)
    cluster = {"worker": 2, "strategy": {"name": "mirrored", **rows}}
    partitioned(box, cluster, name)
    same(
        one(box, name, micro_batches=2),
        box.weights(box.compile("many", cluster, name), "--steps", 5),
    )


@pytest.mark.parametrize("rows", [{}, DISTINCT], ids=["all", "distinct"])
def test_asynchronous(box, rows, transport):
    """One worker's updates are those of one device; those of several come as they come."""
    name = model(box)
    cluster = servers(1, 1, update="async", **rows)
    partitioned(box, cluster, name)
    same(
        one(box, name),
        box.weights(box.compile("many", cluster, name), "--steps", 5, f"--transport={transport}"),
    )
    partitioned(box, servers(3, 2, update="async", **rows), name)
    box.graphrun(
        box.compile("three", servers(3, 2, update="async", **rows), name),
        "--steps",
        9,
        f"--transport={transport}",
    )


def test_traffic(box, transport):
    """Of a table of 51 MB each worker sends and receives a quarter of a megabyte: at most what the
    plan says, as the transport counts."""
    check(box, servers(2, 1, **DISTINCT), 5, transport, LARGE)
    for name, task in box.json("stats.json")["tasks"].items():
        each = 5 * (128 * 8 * (4 + 64 * 4) + 4096) * (1 if "worker" in name else 2)
        assert (
            each / 2 < task["bytes_sent"] < 1.1 * each
            and each / 2 < task["bytes_received"] < 1.1 * each
        ), name


def array(code, shape, numbers):
    """A NumPy file of 32-bit integers."""
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return (
        b"\x93NUMPY\1\0"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(numbers)}i", *numbers)
    )


STEPS = 6


def wordBags(box, workers, words):
    """The model on bags of given numbers; those of each step and worker. The first step's are all
    alike, and in the second all differ."""
    count = 128 * 8
    draw = random.Random(7)
    batches = [
        [
            [17] * count
            if step == 0
            else draw.sample(range(ROWS), count)
            if step == 1
            else draw.choices(range(words), k=count)
            for _ in range(workers)
        ]
        for step in range(STEPS)
    ]
    numbers = [n for step in batches for batch in step for n in batch]
    (box.folder / "ids.npy").write_bytes(array("<i4", (len(numbers) // 8, 8), numbers))
    (box.folder / "labels.npy").write_bytes(
        array("<i4", (len(numbers) // 8,), [i % 10 for i in range(len(numbers) // 8)])
    )
    text = LARGE.read_text().replace("200000", str(ROWS)).splitlines()
    text = [
        line
        if "graph.dataset" not in line
        else 'graph.dataset @bags : (tensor<8xi32>, tensor<i32>) = #graph.npy<files = ["ids.npy", "labels.npy"]>'
        for line in text
    ]
    return box.write("words.mlir", "\n".join(text) + "\n").name, batches


def test_actual_bytes(box, transport):
    """A worker sends and is sent each number's row once: the counters lack what the rows of all
    numbers would be more, to the byte. Where a row for each number travels they lack nothing."""
    workers = 2
    name, batches = wordBags(box, workers, 300)
    lacks = [
        sum(len(batches[step][w]) - len(set(batches[step][w])) for step in range(STEPS)) * WIDTH * 4
        for w in range(workers)
    ]
    assert min(lacks) > 0.5 * (STEPS - 2) * 128 * 8 * WIDTH * 4
    check(
        box,
        servers(workers, 1),
        STEPS,
        transport,
        name,
        lacks={
            task: [0, 0] for task in ("/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1")
        },
    )
    check(
        box,
        servers(workers, 1, **DISTINCT),
        STEPS,
        transport,
        name,
        lacks={
            "/job:ps/task:0": [sum(lacks)] * 2,
            **{f"/job:worker/task:{w}": [lacks[w]] * 2 for w in range(workers)},
        },
    )


def test_actual_bytes_of_parts(box, transport):
    """Of a table in parts each server sends the rows that it has and no others, and is sent their
    gradients."""
    name, batches = wordBags(box, 2, 300)
    half = ROWS // 2
    lack = {
        task: 0
        for task in ("/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0", "/job:worker/task:1")
    }
    for step in batches:
        for w, batch in enumerate(step):
            for ps in range(2):
                there = len({n for n in batch if ps * half <= n < (ps + 1) * half})
                for task in (f"/job:ps/task:{ps}", f"/job:worker/task:{w}"):
                    lack[task] += (len(batch) - there) * WIDTH * 4
    cluster = servers(2, 2, placement="split", min_shard_bytes=65536, **DISTINCT)
    box.show("parts", "partitioned", cluster, name).expect(
        f"dist.channel .*table.*: tensor<1024x{WIDTH}xf32> .*sized"
    )
    check(box, cluster, STEPS, transport, name, lacks={task: [n, n] for task, n in lack.items()})
    same(
        one(box, name, micro_batches=2),
        box.weights(box.compile("parts", cluster, name), "--steps", 5),
    )


def test_dense_where_smaller(box):
    """A small table is sent whole, as before."""
    text = box.write("small.mlir", LARGE.read_text().replace("200000", "1000")).name
    box.show("many", "partitioned", servers(2, 1), text).expect(
        "dist.aggregate @train_step.table.gradient : tensor<1000x64xf32>"
    )


def test_no_such_row(box):
    """A number that a data set gives and that is no row ends the run by name, also where the rows
    are taken elsewhere."""
    text = box.write(
        "none.mlir",
        LARGE.read_text()
        .replace("200000x64", f"{ROWS}x64")
        .replace("limits = [200000", f"limits = [{ROWS + 9000}"),
    ).name
    plan = box.compile("none", servers(2, 1), text)
    box.refused(f"data set bags: .* none of 0 to {ROWS - 1}", plan, "--steps", 9, status=1)
