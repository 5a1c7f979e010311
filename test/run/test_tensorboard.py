"""--summary_dir, as TensorBoard itself reads it (test/requirements.txt)."""

import json
import sys
import urllib.request

import pytest
from box import BUILD, FOREVER, MODELS
from process import until

sys.path.append(str(BUILD.parent / "python"))
OBSERVED = MODELS / "observed.mlir"
ADDRESS = "TensorBoard [0-9.]+ at (http://[0-9.:]+/)"
PS = {"worker": 2, "ps": 1, "strategy": "parameter_server"}


@pytest.fixture
def read(box):
    """A run of the folder, as TensorBoard's server has it."""
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator",
        reason="no tensorboard (test/run.sh installs it into build/python)",
    )

    def load(name):
        loaded = accumulator.EventAccumulator(
            str(box / name), size_guidance={accumulator.HISTOGRAMS: 0, accumulator.SCALARS: 0}
        )
        return loaded.Reload()

    return load


def steps(events):
    return [event.step for event in events]


def test_read(box, read):
    box.graphrun(
        box.compile("two", PS, OBSERVED),
        "--steps",
        250,
        "--summary_dir",
        "tb",
        "--history",
        "h.jsonl",
        "--eval_every_epochs",
        50,
    )
    train, evaluated = read("tb"), read("tb/eval")
    assert set(train.Tags()["scalars"]) == {"loss", "learning_rate", "error", "global_step/sec"}
    assert train.Tags()["histograms"] == ["w"] and train.Tags()["graph"]
    assert steps(train.Scalars("loss")) == [1, 100, 200, 250]
    assert steps(train.Scalars("global_step/sec")) == [100, 200, 250]
    assert evaluated.Tags()["scalars"] == ["sum"] and steps(evaluated.Scalars("sum"))[-1] == 250
    told = [json.loads(line) for line in (box / "h.jsonl").read_text().splitlines()]
    for name in "loss", "error", "learning_rate":
        assert [event.value for event in train.Scalars(name)] == pytest.approx(
            [line["values"][name] for line in told if line["phase"] == "train"]
        )
    first = train.Histograms("w")[0]
    histogram = first.histogram_value
    assert (histogram.num, histogram.min, histogram.max, histogram.sum) == (3, -2, 1, -0.5) and sum(
        histogram.bucket
    ) == 3
    for value in 1, -2, 0.5:  # each between the limits of a bucket that has one
        (place,) = [
            i
            for i, limit in enumerate(histogram.bucket_limit)
            if limit > value and (i == 0 or histogram.bucket_limit[i - 1] <= value)
        ]
        assert histogram.bucket[place] == 1


def test_server(box, read):
    """What the program's pages ask for: scalars of training and evaluation while a run goes on, the
    histogram, the graph."""
    run = box.launch(
        box.compile("two", PS, OBSERVED),
        "--steps",
        FOREVER,
        "--summary_dir",
        "tb",
        "--eval_every_epochs",
        50,
    )
    until(
        lambda: (box / "tb").is_dir() and "loss" in read("tb").Tags()["scalars"],
        "a scalar of training",
    )
    server = box.start(
        "/usr/bin/python3",
        "-m",
        "tensorboard.main",
        "--logdir",
        "tb",
        "--host",
        "127.0.0.1",
        "--port",
        0,
        "--reload_interval",
        1,
        "--load_fast",
        "false",
        name="tensorboard",
        env={"PYTHONPATH": str(BUILD.parent / "python"), "TMPDIR": str(box.folder)},
    )
    server.err.waitFor(ADDRESS)
    (address,) = server.err.matches(ADDRESS)

    def asks(what):
        with urllib.request.urlopen(f"{address}data/{what}", timeout=60) as answer:
            return json.load(answer)

    until(
        lambda: {"loss", "error"} <= set(asks("plugin/scalars/tags").get(".", {})),
        "the scalars of training are there",
    )
    first = asks("plugin/scalars/scalars?run=.&tag=loss")
    assert first[0][1] == 1 and first[0][2] > 0, first
    until(
        lambda: asks("plugin/scalars/scalars?run=.&tag=loss")[-1][1] > first[-1][1],
        "later steps are there",
    )
    until(
        lambda: "sum" in asks("plugin/scalars/tags").get("eval", {}),
        "the scalars of the evaluation are there",
    )
    assert "w" in asks("plugin/histograms/tags")["."] and "." in asks("plugin/graphs/info")
    server.kill()
    run.stop(status=1)


def test_graph(box, read):
    """Ops with their devices, what they take from whom, from the parameter server to the worker and
    back."""
    box.graphrun(box.compile("two", PS, OBSERVED), "--steps", 1, "--summary_dir", "tb")
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    graph = read("tb").Graph()
    assert isinstance(graph, GraphDef)
    nodes = {node.name: node for node in graph.node}
    assert len(nodes) == len(graph.node)
    server, worker = "/job:ps/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:0"
    assert nodes["w"].op == "Variable" and nodes["w"].device == server
    assert {node.device for node in graph.node if node.op == "NextBatch"} == {worker}
    assert {node.device for node in graph.node} == {server, worker}
    assert all(name in nodes for node in graph.node for name in node.input)

    def reaches(name, goal, seen):
        return name == goal or any(
            reaches(other, goal, seen | {name}) for other in nodes[name].input if other not in seen
        )

    received = [node for node in graph.node if node.op == "Receive" and node.device == worker]
    assert received and all(
        nodes[sender].device == server for node in received for sender in node.input
    )
    gradients = [
        node for node in graph.node if node.op in ("Aggregate", "Collect") and node.device == server
    ]
    assert gradients and any(reaches(node.name, "w", set()) for node in gradients)
    assert [
        node.attr["location"].s
        for node in graph.node
        if node.op == "NextBatch" and node.name.startswith("train")
    ][0].endswith(b"observed.mlir:6:8")


def test_goes_on(box, read):
    """What a run that was killed had behind its checkpoint is left out: no step twice, though an
    older file has it."""
    plan, flags = (
        box.compile("one", {"worker": 1}, OBSERVED),
        [
            "--checkpoint_dir",
            "ckpt",
            "--summary_dir",
            "tb",
            "--save_summaries_steps",
            500,
            "--save_checkpoint_steps",
            FOREVER,
        ],
    )
    box.graphrun(plan, "--steps", 3000, *flags)
    run = box.launch(plan, "--steps", FOREVER, *flags)
    until(lambda: steps(read("tb").Scalars("loss"))[-1] > 6000, "steps behind the checkpoint")
    run.kill()
    box.graphrun(plan, "--steps", 5200, *flags)
    assert steps(read("tb").Scalars("loss")) == [1, *range(500, 5200, 500), 5200]


def test_asynchronous(box, read):
    """Each task is a run of its own, with its own steps. The bound: on a loaded machine one would
    make them all."""
    box.graphrun(
        box.servers("async", 2, 1, "async", OBSERVED, max_staleness=100),
        "--steps",
        400,
        "--summary_dir",
        "tb",
        "--save_summaries_steps",
        50,
    )
    for task in "tb/worker-0", "tb/worker-1":
        assert steps(read(task).Scalars("loss"))[0] == 1
    assert read("tb").Tags()["scalars"] == []
