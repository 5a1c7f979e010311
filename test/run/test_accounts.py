"""What the plan says of bytes and memory is what the runtime measures: payload bytes exactly, by
the transport's own count, in a phase that ends by end of stream with those of the step within which
each program ends; arena bytes never more and at least 95 % of it. Of channels whose messages have
an actual size the plan says the most: what those lack is all that is missing."""

import re

import pytest
from box import MLP, MODELS, ROOT, apart, hosts, servers
from formats import blocks, instructions, number


def lastSteps(programs, channels):
    """Sent and received by one instance of each program in the step within which an asynchronous
    phase ends: the update ticket is refused, and whoever receives what is not sent any more ends
    there."""
    stops = [
        next((i for i, (kind, _) in enumerate(all) if kind == "ticket"), None) for all in programs
    ]
    while True:
        found = list(stops)
        for p, all in enumerate(programs):
            for i, (kind, channel) in enumerate(all):
                sender = number(channels[channel], "sender")
                sent = [
                    k for k, what in enumerate(programs[sender]) if what == ("send_start", channel)
                ]
                if kind == "receive" and stops[sender] is not None and stops[sender] <= sent[0]:
                    found[p] = i if found[p] is None else min(i, found[p])
        if found == stops:
            break
        stops = found
    done = [all[:stop] for all, stop in zip(programs, stops)]
    assert not any(number(channel, "unit_bytes") for channel in channels) or not any(
        stop is not None for stop in stops
    )
    return [
        [
            sum(number(channels[c], "bytes") for kind, c in all if kind == way)
            for way in ("send_start", "release")
        ]
        for all in done
    ]


def sizedBytes(program, channels):
    """Sent and received by one instance in a step in messages of an actual size, at most."""
    most = [0, 0]
    alone = number(program, "instances", 1) == 1
    for kind, channel in instructions(program):
        if kind in ("send_start", "receive", "collect") and number(channels[channel], "unit_bytes"):
            most[kind != "send_start"] += number(channels[channel], "bytes") * (
                number(channels[channel], "instances", 1) if alone else 1
            )
    return most


def promised(text, tasks, steps):
    """Bytes sent, received and of the arena of each task, from the plan's text: sums over the
    task's programs of the train phase; and how many of those sent and received are in messages of
    an actual size, at most."""
    jobs = [re.search(r'name: "(\w+)"', block).group(1) for block in blocks(text, "jobs")]
    phases, programs, channels = (
        blocks(text, "phases"),
        blocks(text, "programs"),
        blocks(text, "channels"),
    )
    lasts = lastSteps([list(instructions(program)) for program in programs], channels)
    want = {name: [0, 0, 0, 0, 0] for name in tasks}
    arenas = {}  # phases take turns, so a task needs the largest of theirs
    for at, program in enumerate(programs):
        phase = phases[number(program, "phase")]
        train = "role:" not in phase  # TRAIN is 0, which the text form leaves out
        endOfStream = "ends_by_end_of_stream: true" in phase
        spread = re.search(r"^  spread: true", program, re.M)
        owner = re.search(r"^  task \{\n(.*?)^  \}", program, re.M | re.S)
        job = re.search(r"job: (\d+)", owner.group(1)) if owner else None
        index = re.search(r"index: (\d+)", owner.group(1)) if owner else None
        home = f"/job:{jobs[int(job.group(1)) if job else 0]}/task:{index.group(1) if index else 0}"
        for name in tasks:
            lanes = (
                name.startswith("/job:worker")
                if spread
                else number(program, "instances", 1) * (name == home)
            )
            if lanes:
                key = (name, number(program, "phase"))
                arenas[key] = arenas.get(key, 0) + number(program, "arena_bytes") * lanes
                want[name][2] = max(want[name][2], arenas[key])
                # Instance r of every program makes the steps that worker r makes, all together
                # `steps`.
                made = (
                    steps * lanes if not endOfStream else tasks[name]["steps"] if spread else steps
                )
                if train:
                    for way, field in enumerate(("bytes_sent_per_step", "bytes_received_per_step")):
                        want[name][way] += number(program, field) * made + (
                            lasts[at][way] * lanes if endOfStream else 0
                        )
                        want[name][3 + way] += sizedBytes(program, channels)[way] * made
    return want


def check(box, cluster, steps, transport="grpc", model=MLP, lacks=None):
    """`lacks`: of each task how many bytes its messages of an actual size lack, sent and received;
    where it is not known, up to all."""
    plan = box.compile("counted", cluster, model)
    text = box.show("counted", "plan-text", cluster, model).text()
    box.graphrun(
        plan,
        "--steps",
        steps,
        "--entry",
        "train",
        "--stats",
        "stats.json",
        f"--transport={transport}",
    )
    tasks = box.json("stats.json")["tasks"]
    for name, (sent, received, arena, *sized) in promised(text, tasks, steps).items():
        got = tasks[name]
        missing = [sent - got["bytes_sent"], received - got["bytes_received"]]
        if lacks:
            assert missing == lacks[name], name
        assert all(0 <= lack <= most for lack, most in zip(missing, sized)), name
        if not got["steps"]:  # an asynchronous worker may come when all updates are made
            continue
        assert 0.95 * arena <= got["arena_bytes_touched"] <= arena, name
        assert len(tasks) == 1 or (sent and received), (
            f"{name} of several tasks exchanges nothing: the plan text was not understood"
        )


@pytest.mark.parametrize("settings", [{}, {"max_staleness": 1}], ids=["async", "stale"])
def test_asynchronous(box, settings, transport):
    """Updates in any order, of workers that make as many as they come to."""
    check(box, servers(3, 2, update="async", **settings), 40, transport)


@pytest.mark.parametrize("workers, ps", [(2, 1), (3, 2)])
def test_synchronous(box, workers, ps, transport):
    check(box, servers(workers, ps), 25, transport)


@pytest.mark.parametrize("way", ["whole", "scatter", "ring"])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_all_reduce(box, n, way, transport):
    """Small messages whole and large ones in chunks, by each way of summing them."""
    cluster = (
        {"worker": n, "strategy": "all_reduce"}
        if way != "ring"
        else {"worker": apart(n), "strategy": {"name": "all_reduce", "order": "fast"}}
    )
    check(box, cluster, 6, transport, MLP if way == "whole" else MODELS / "wide.mlir")


def test_all_reduce_within_hosts(box, transport):
    check(
        box, {"worker": hosts(2, 2), "strategy": "all_reduce"}, 6, transport, MODELS / "wide.mlir"
    )


OWN = {"ps": 1, "worker": 3, "placement": [{"name": "w1", "device": "/job:worker/task:1"}]}


@pytest.mark.parametrize(
    "cluster",
    [
        {"worker": 2, "strategy": "mirrored"},
        {"worker": 2, "strategy": {"name": "mirrored", "micro_batches": 32}},
        servers(2, 1, replication="in_graph"),
        {
            "worker": 2,
            "strategy": "in_graph",
            "placement": [{"name": "w2", "device": "/job:worker/task:1"}],
        },
        OWN,
    ],
    ids=["mirrored", "loops", "towers", "in_graph", "own"],
)
def test_others(box, cluster):
    """The other strategies, and a worker that does more than the replicated programs: where a rule
    puts a variable."""
    check(box, cluster, 25)


def cells(line):
    return re.split(r" {2,}", re.sub(r" +\(×\d+\)", "", line).strip())


def test_rows(box):
    """The table has a row for that worker and counts it alone: sent, received and arena of each row
    are those of each of its tasks."""
    check(box, OWN, 25)
    tasks, rows, covered = box.json("stats.json")["tasks"], {}, {}
    for line in box.show("own", "table", OWN).lines():
        if found := re.match(
            r" /job:(\w+)(?:/task:(\d+))?/device:\S+(?:  \(×(\d+)\))?((?: +\d+)+)$", line.rstrip()
        ):
            figures = [int(cell) for cell in found.group(4).split()]
            rows[found.group(1), found.group(2)] = (
                int(found.group(3) or 1),
                figures[2],
                figures[4],
                figures[5],
            )
    assert rows
    for name, got in tasks.items():
        job, task = re.match(r"/job:(\w+)/task:(\d+)", name).groups()
        key = (job, task) if (job, task) in rows else (job, None)
        covered[key] = covered.get(key, 0) + 1
        _, arena, received, sent = rows[key]
        assert (got["bytes_sent"], got["bytes_received"]) == (sent * 25, received * 25), name
        assert 0.95 * arena <= got["arena_bytes_touched"] <= arena, name
    assert covered == {key: row[0] for key, row in rows.items()}


@pytest.mark.parametrize("update", ["sync", "async"])
@pytest.mark.parametrize("example", ["fashion-mnist", "linear-regression"])
def test_examples(box, example, update):
    """The table's arenas, of the examples as they are (the data made up, so that nothing is
    fetched), with all their phases."""
    text = (ROOT / f"examples/{example}/model.mlir").read_text()
    if example == "fashion-mnist":
        text = re.sub(
            r"= *$",
            "= #graph.synthetic<samples = 256, seed = 7, limits = [0, 10]> {shuffle = true, seed = 7}",
            text,
            flags=re.M,
        )
        text = re.sub(r"^ *(#graph.idx|\{shuffle).*\n", "", text, flags=re.M)
        assert "idx" not in text
    box.write("model.mlir", text)
    cluster = servers(2, 1, update=update)
    table = box.show("cluster", "table", cluster, "model.mlir").lines()
    box.graphrun(
        box.compile("cluster", cluster, "model.mlir"), "--steps", 40, "--stats", "stats.json"
    )
    tasks, want, header = box.json("stats.json")["tasks"], {}, cells(table[0])
    for row in map(cells, table[1:]):
        if not row[0].startswith("/job:"):
            continue
        jobs, task = re.match(r"/job:([\w,]+)(?:/task:(\d+))?/device:", row[0]).groups()
        for name in tasks:
            job, index = re.match(r"/job:(\w+)/task:(\d+)", name).groups()
            if job in jobs.split(",") and task in (None, index):
                want[name] = want.get(name, 0) + int(row[header.index("arena")])
    assert any(want.values()) and any(task["steps"] for task in tasks.values())
    for name, task in tasks.items():
        assert task["arena_bytes_touched"] <= want[name], name
        if task["steps"]:  # an asynchronous worker may come when all steps are made
            assert task["arena_bytes_touched"] >= 0.95 * want[name], name
