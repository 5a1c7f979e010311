"""--trace: all tasks of a run in one file, which Perfetto's own schema reads and ui.perfetto.dev
opens."""

import collections
import subprocess
import sys

import pytest
from box import BUILD, MLP, ROOT, asFlags, asName, delay, same

sys.path.append(str(BUILD.parent / "python"))
MODEL = ROOT / "examples/fashion-mnist/model.mlir"


@pytest.fixture(scope="module")
def schema():
    """Perfetto's messages, from its Python package."""
    return pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2",
        reason="no perfetto (test/run.sh installs it into build/python)",
    )


Slice = collections.namedtuple("Slice", "track name category begin end notes out into inner")


class Trace:
    """What is in the file, after what has to be true of any: no field that Perfetto does not know,
    tracks that are described, times that do not go back on a track, slices that nest, flows that
    begin once and end once, and not before."""

    def __init__(self, schema, path):
        trace = schema.Trace()
        trace.ParseFromString(path.read_bytes())
        assert trace.packet and trace.IsInitialized()
        event = schema.TrackEvent
        self.processes, self.tracks, self.slices, self.instants = {}, {}, [], []
        stacks, now = collections.defaultdict(list), collections.defaultdict(int)
        for packet in trace.packet:
            unknown(packet)
            assert packet.trusted_packet_sequence_id == 1
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                assert track.uuid not in self.tracks
                if track.HasField("process"):
                    self.processes[track.process.pid] = track.process
                    self.tracks[track.uuid] = None
                else:
                    assert track.parent_uuid in self.tracks and track.thread.pid in self.processes
                    self.tracks[track.uuid] = (
                        self.processes[track.thread.pid].process_name,
                        track.thread.thread_name,
                    )
                continue
            assert packet.HasField("track_event")
            one = packet.track_event
            assert self.tracks[one.track_uuid], "an event on a track that is no lane's"
            assert packet.timestamp >= now[one.track_uuid], "a track goes back in time"
            now[one.track_uuid] = packet.timestamp
            stack = stacks[one.track_uuid]
            notes = {
                note.name: note.string_value or note.uint_value for note in one.debug_annotations
            }
            if one.type == event.TYPE_SLICE_BEGIN:
                made = Slice(
                    self.tracks[one.track_uuid],
                    one.name,
                    one.categories[0],
                    packet.timestamp,
                    [],
                    notes,
                    list(one.flow_ids),
                    list(one.terminating_flow_ids),
                    [],
                )
                (stack[-1].inner if stack else self.slices).append(made)
                stack.append(made)
            elif one.type == event.TYPE_SLICE_END:
                stack.pop().end.append(packet.timestamp)
            else:
                assert one.type == event.TYPE_INSTANT
                self.instants.append(notes)
        assert not any(stacks.values()), "a slice has no end"
        self.parts = [part for step in self.slices for part in step.inner]
        assert all(step.category == "step" for step in self.slices) and not any(
            part.inner for part in self.parts
        )
        out = {flow: part for part in self.parts for flow in part.out}
        into = {flow: part for part in self.parts for flow in part.into}
        assert out.keys() == into.keys() and len(out) == sum(
            len(part.out) for part in self.parts
        ) == sum(len(part.into) for part in self.parts)
        for flow, part in out.items():
            assert part.begin <= into[flow].end[0], f"{part.name} comes behind {into[flow].name}"
        self.flows = [(part, into[flow]) for flow, part in out.items()]

    def steps(self):
        """The numbers of the steps of each lane."""
        found = collections.defaultdict(list)
        for step in self.slices:
            found[step.track].append(int(step.name.removeprefix("step ")))
        return dict(found)


def unknown(message):
    """Perfetto knows every field."""
    from google.protobuf import unknown_fields

    assert not len(unknown_fields.UnknownFieldSet(message)), message
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                unknown(inner)


def lanes(workers=2):
    return {
        ("/job:ps/task:0", "train_step.ps0 on CPU:0"),
        *((f"/job:worker/task:{i}", f"train_step.worker[{i}] on CPU:0") for i in range(workers)),
    }


def test_of_servers_and_workers(box, schema, transport):
    """One parameter server and two workers: ten steps of each, every message an arrow, kernels with
    their lines."""
    plan = box.servers("two", workers=2, ps=1, model=MODEL)
    run = box.graphrun(
        plan,
        "--steps",
        40,
        "--trace",
        "run.pftrace",
        "--transport",
        transport,
        "--stats",
        "stats.json",
    )
    run.err.expect(
        r"^\[worker:0\] trace run\.pftrace: steps 2 to 11, [0-9,]+ slices, [0-9,]+ messages; ui\.perfetto\.dev opens it$"
    )
    run.err.expect(r"^\[worker:0\]  /job:worker/task:1 +[0-9.]+ ms .* %")
    trace = Trace(schema, box / "run.pftrace")
    assert {process.process_name for process in trace.processes.values()} == {
        "/job:ps/task:0",
        "/job:worker/task:0",
        "/job:worker/task:1",
    }
    assert trace.steps() == {lane: list(range(2, 12)) for lane in lanes()}
    kernels = [part for part in trace.parts if part.category in ("kernel", "library")]
    assert kernels and all(part.notes["source"].startswith("model.mlir:") for part in kernels)
    assert {part.category for part in trace.parts} >= {
        "kernel",
        "library",
        "message",
        "sum",
        "data",
    }
    # Each worker sends each of four gradients, ten times; all but what the first step sent ahead
    # has both ends.
    between = collections.Counter((a.track[0], b.track[0]) for a, b in trace.flows)
    for worker in ("/job:worker/task:0", "/job:worker/task:1"):
        assert between[worker, "/job:ps/task:0"] >= 40 and between["/job:ps/task:0", worker] >= 36
    sent = [part for part in trace.parts if part.category == "message" and part.notes.get("bytes")]
    assert (
        max(part.notes["bytes"] for part in sent if part.name.startswith("send"))
        == 2 * 784 * 512 * 4
    )
    measured = box.json("stats.json")["trace"]
    assert measured["messages"] == len(trace.flows) and measured["lost"] == 0
    for name, task in measured["tasks"].items():
        assert task["steps"] == 10
        whole = sum(step.end[0] - step.begin for step in trace.slices if step.track[0] == name)
        waited = sum(
            part.end[0] - part.begin
            for part in trace.parts
            if part.track[0] == name and part.category == "wait"
        )
        assert task["step_ms"] == pytest.approx(whole / 1e7, rel=1e-3) and task[
            "waits"
        ] == pytest.approx(waited / whole, rel=1e-3)


def test_waits_name_their_cause(box, schema, transport):
    """A server that sends each message 20 ms late makes its workers wait, and each wait names the
    task it is for."""
    plan = box.servers("two", workers=2, ps=1, model=MODEL)
    box.graphrun(
        plan,
        "--steps",
        12,
        "--trace",
        "run.pftrace",
        "--transport",
        transport,
        env=delay(ps0=20000),
    )
    waits = [
        part
        for part in Trace(schema, box / "run.pftrace").parts
        if part.category == "wait" and "for" in part.notes
    ]
    for worker in ("/job:worker/task:0", "/job:worker/task:1"):
        assert "/job:ps/task:0" in {part.notes["for"] for part in waits if part.track[0] == worker}
    assert all(
        part.notes["for"].removeprefix("/job:").replace("/task", "") in part.name for part in waits
    )


@pytest.mark.parametrize(
    "cluster",
    [
        {"worker": 3, "strategy": "all_reduce"},
        {
            "ps": 1,
            "worker": 2,
            "strategy": {"name": "parameter_server", "update": "async", "max_staleness": 2},
        },
        {
            "ps": 1,
            "worker": 3,
            "strategy": {"name": "parameter_server", "replicas_to_aggregate": 2},
        },
        {"worker": 2, "strategy": {"name": "mirrored", "micro_batches": 32}},
    ],
    ids=["all_reduce", "async", "backup", "loops"],
)
def test_of_each_strategy(box, schema, cluster):
    """Every strategy writes one file, which has steps and messages of each task. Without the bound
    or the delays a worker that starts late makes no step."""
    plan = box.compile("plan", cluster, model=MODEL)
    slow = (
        delay(worker0=3000, worker1=3000, worker2=3000)
        if "replicas_to_aggregate" in cluster["strategy"]
        else {}
    )
    box.graphrun(plan, "--steps", 12, "--trace", "run.pftrace", env=slow)
    trace = Trace(schema, box / "run.pftrace")
    assert len({track[0] for track in trace.steps()}) == cluster.get("ps", 0) + cluster["worker"]
    tasks = {part.track[0] for flow in trace.flows for part in flow}
    assert len(tasks) == cluster.get("ps", 0) + cluster["worker"] and any(
        a.track[0] != b.track[0] for a, b in trace.flows
    )


def test_of_a_device(box, schema):
    """What the lane gives to a device with queues, and when it waits for them."""
    box.withSim()
    plan = box.compile(
        "sim",
        {"ps": 1, "worker": 2, "strategy": "parameter_server", "devices": {"worker": ["SIM:0"]}},
    )
    box.graphrun(plan, "--steps", 12, "--trace", "run.pftrace")
    trace = Trace(schema, box / "run.pftrace")
    of = [
        part
        for part in trace.parts
        if part.track == ("/job:worker/task:1", "train_step.worker[1] on SIM:0")
    ]
    assert {part.name for part in of if part.category == "queue"} >= {"give segment 1"}
    waits = [part for part in of if part.name.startswith("wait for queue ")]
    assert waits and all(part.category == "wait" for part in waits)


def test_same_result_and_pauses(box, schema):
    """A trace that spans a checkpoint is one file; the weights are those of a run without."""
    plan = box.servers("two", workers=2, ps=1)
    plain = box.weights(plan, "--steps", 30)
    traced = box.weights(
        plan,
        "--steps",
        30,
        "--trace",
        "run.pftrace",
        "--profile_steps",
        "8,12",
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        10,
    )
    same(plain, traced)
    assert set(map(tuple, Trace(schema, box / "run.pftrace").steps().values())) == {
        (8, 9, 10, 11, 12)
    }
    # Going on from there, steps are counted from the very first.
    box.refused(
        "--profile_steps 41,50: the run makes steps 31 to 40, none of these",
        plan,
        "--steps",
        40,
        "--checkpoint_dir",
        "ckpt",
        "--trace",
        "no.pftrace",
        "--profile_steps",
        "41,50",
        status=1,
    )
    made = box.graphrun(
        plan,
        "--steps",
        31,
        "--checkpoint_dir",
        "ckpt",
        "--trace",
        "no.pftrace",
        "--profile_steps",
        "3,5",
    )
    made.err.expect("--trace no.pftrace: steps 3 to 5 were made before; nothing is traced")
    assert not (box / "no.pftrace").exists()
    box.graphrun(plan, "--steps", 40, "--checkpoint_dir", "ckpt", "--trace", "on.pftrace")
    assert set(map(tuple, Trace(schema, box / "on.pftrace").steps().values())) == {
        tuple(range(33, 41))
    }


def test_of_evaluations_and_predictions(box, schema):
    """--entry says of what."""
    plan = box.oneDevice("one", 1, model=MODEL)
    box.graphrun(plan, "--entry", "eval", "--steps", 5, "--trace", "run.pftrace")
    assert set(map(tuple, Trace(schema, box / "run.pftrace").steps().values())) == {(2, 3, 4, 5)}


def test_clocks_that_differ(box, schema, task, ports):
    """A worker whose machine has been up for another while: its clock is 1,000 s off, and its
    slices are not."""
    unshare = ["unshare", "--time", "--monotonic", "1000", "--fork", "--kill-child"]
    if subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("the kernel does not permit time namespaces here")
    plan = box.servers("two", workers=2, ps=1)
    flags = ["--steps", 20, "--trace", "run.pftrace", "--transport", "grpc"]
    others = [task("ps-0", plan, *flags), task("worker-0", plan, *flags)]
    far = box.start(
        *unshare, "graphrun", plan, *flags, *asFlags("worker-1"), *ports.flags, name="worker-1"
    )
    for process in (*others, far):
        process.ends(0)
    trace = Trace(schema, box / "run.pftrace")
    begins = {
        track[0]: min(step.begin for step in trace.slices if step.track == track)
        for track in trace.steps()
    }
    # Nanoseconds; 20 steps of a small model, on clocks 1,000 s apart.
    assert max(begins.values()) - min(begins.values()) < 1e10, begins
    assert any(
        a.track[0] == asName("worker-1") or b.track[0] == asName("worker-1") for a, b in trace.flows
    )


@pytest.mark.parametrize(
    "flags, why",
    [
        (["--profile_steps", "2,5"], "--profile_steps needs --trace FILE"),
        (
            ["--trace", "t.pftrace", "--profile_steps", "5"],
            "--profile_steps 5: expected two step numbers, the first and the last to trace, counted from 1: 10,20",
        ),
        (
            ["--trace", "t.pftrace", "--profile_steps", "0,5"],
            "--profile_steps 0,5: expected two step numbers",
        ),
        (
            ["--trace", "t.pftrace", "--profile_steps", "6,5"],
            "--profile_steps 6,5: expected two step numbers",
        ),
        (["--trace", "."], r"--trace \.: it is a folder; name a file"),
        (["--trace", "no/t.pftrace"], "--trace no/t.pftrace: .*No such file or directory"),
        (["--trace", "two.plan"], "--trace two.plan: that is the plan, which would be overwritten"),
    ],
)
def test_bad_flags(box, two, flags, why):
    """Refused before anything starts."""
    box.refused(why, two, "--steps", 2, *flags)


def test_beside_the_prediction(box, two):
    """graphc shows a trace of the plan that it makes, and no other."""
    box.graphrun(two, "--steps", 12, "--trace", "run.pftrace")
    page = ["--partition", "two.json", MLP, "-o", "again.plan", "--report", "page.html"]
    box.graphc(*page, "--measured", "run.pftrace")
    shown = box.file("page.html")
    shown.expect("measured for one step")
    shown.expect("One of the 10 steps of the trace")
    # both lanes, at each of the three zooms
    assert len(shown.matches(r'>train_step\.worker\[[01]\]<title>')) == 2 * 3
    shown.expect(r"<td>train_step.*?</td>.*(ms|µs)</td>.*(ms|µs)</td>.*(ms|µs)</td>.* %</td></tr>")
    box.graphc("--intra_op_threads=2", *page, "--measured", "run.pftrace", status=1).err.expect(
        "^graphc: --measured run.pftrace: it is of a run of another plan"
    )
    box.write("cut.pftrace", (box / "run.pftrace").read_bytes()[:1000])
    for file, why in [
        ("cut.pftrace", "it is no trace that graphrun --trace has written"),
        ("two.plan", "it is no trace that graphrun"),
        ("no", "No such file"),
    ]:
        box.graphc(*page, "--measured", file, status=1).err.expect(
            f"^graphc: --measured {file}: .*{why}|^graphc: --measured .*{why}"
        )
    box.graphc(
        "--partition", "two.json", MLP, "-o", "again.plan", "--measured", "run.pftrace", status=2
    ).err.expect("--measured=PATH is for the page of --report")
    box.graphc(*page[:-1], "run.pftrace", "--measured", "run.pftrace", status=2).err.expect(
        "is read as the trace and would be overwritten"
    )
