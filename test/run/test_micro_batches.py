"""One order of sums: a step of M micro-batches gives one device's weights and losses, bit for bit,
however many replicas share them, by which strategy they do and over how many parameter servers.
test/tools/graphc/strategy.test has what cannot be shared so."""

import re

import pytest
from box import LONG, MLP, MODELS, differences, same
from formats import blocks, instructions, mostHeld, number, updates


def train(box, name, jobs, strategy, *arguments, model=MLP):
    """The weights of six steps, and the losses."""
    plan = box.compile(name, {**jobs, "strategy": strategy}, model)
    weights = box.weights(plan, "--steps", 6, "--fetch", "loss", *arguments)
    losses = box.last.out.matches("^loss .*")
    assert len(losses) == 6
    return weights, losses


def one(box, name="one", model=MLP, **settings):
    return train(box, name, {"worker": 1}, {"name": "one_device", **settings}, model=model)


def equal(box, reference, jobs, strategy, *arguments, model=MLP):
    __tracebackhide__ = True
    weights, losses = train(box, "many", jobs, strategy, *arguments, model=model)
    same(reference[0], weights)
    assert losses == reference[1]


@pytest.mark.parametrize(
    "workers, microBatches", [(1, 8), (2, 8), (8, 8), (3, 6), *([(4, 8)] if LONG else [])]
)
def test_bits(box, workers, microBatches):
    reference = one(box, micro_batches=microBatches)
    for replication in "between_graph", "in_graph":
        settings = {"replication": replication, "micro_batches": microBatches}
        for ps in 1, 2:
            equal(
                box,
                reference,
                {"ps": ps, "worker": workers},
                {"name": "parameter_server", **settings},
            )
        equal(box, reference, {"worker": workers}, {"name": "all_reduce", **settings})


def test_leaves(box):
    """Leaves of three, added one after another; and as many leaves as there are replicas."""
    settings = {"micro_batches": 12, "sum_leaves": 4}
    reference = one(box, **settings)
    equal(box, reference, {"ps": 1, "worker": 2}, {"name": "parameter_server", **settings})
    equal(box, reference, {"worker": 4}, {"name": "all_reduce", **settings})
    equal(box, reference, {"worker": 2}, {"name": "mirrored", **settings})


def test_six_in_one_program(box):
    reference = one(box, micro_batches=6)
    equal(box, reference, {"worker": 3}, {"name": "mirrored", "micro_batches": 6})
    equal(box, reference, {"worker": 2}, {"name": "in_graph", "micro_batches": 6})


@pytest.mark.parametrize("workers", [4, 8])
def test_many_chunks(box, workers, transport):
    """Sums in place, of arriving messages, and of those that several gRPC streams bring."""
    wide = box.mlp(4096)
    reference = one(box, model=wide, micro_batches=8)
    for jobs, name in (
        ({"worker": workers}, "all_reduce"),
        ({"ps": 1, "worker": workers}, "parameter_server"),
    ):
        equal(
            box,
            reference,
            jobs,
            {"name": name, "micro_batches": 8},
            f"--transport={transport}",
            model=wide,
        )


def test_comparison_can_fail(box):
    """Another shape gives other bits; the plan says which shape it has."""
    assert differences(
        one(box, micro_batches=8, sum_leaves=1)[0], one(box, "eight", micro_batches=8)[0]
    )
    box.show(
        "many", "plan-text", {"worker": 4, "strategy": {"name": "all_reduce", "micro_batches": 8}}
    ).expect('reproduced_by: "one_device with micro_batches: 8, sum_leaves: 8"')


def test_backup_workers(box):
    """They promise no bits, but as many updates."""
    strategy = {"name": "parameter_server", "replicas_to_aggregate": 2, "micro_batches": 6}
    assert (
        updates(
            box.weights(
                box.compile("backup", {"ps": 1, "worker": 3, "strategy": strategy}), "--steps", 6
            )
        )
        == 6
    )


def test_loop(box):
    """Those of one program are a loop, which 256 make hardly larger than 16."""
    sizes = {}
    for count in 16, 256:
        cluster = {"worker": 1, "strategy": {"name": "one_device", "micro_batches": count}}
        plan = box / box.compile(f"loop{count}", cluster)
        programs = blocks(box.show(f"text{count}", "plan-text", cluster).text(), "programs")
        sizes[count] = (
            plan.stat().st_size,
            max(number(program, "arena_bytes") for program in programs),
        )
    box.last.out.expect("^    repeat {")
    assert sizes[256][0] <= 1.5 * sizes[16][0], "bytes of the plan"
    assert sizes[256][1] <= 1.3 * sizes[16][1], "bytes of the largest arena"


SIMS = {"worker": ["SIM:0"]}


def copies(box, model=MLP, **settings):
    """One device that writes each out."""
    copied = box.copied(model)
    assert not loops(box, {"worker": 1, "strategy": {"name": "one_device", **settings}}, copied)
    return train(box, "copies", {"worker": 1}, {"name": "one_device", **settings}, model=copied)


# By norm, each gradient's own and all gradients', which every step exceeds.
CLIPPED = {
    "": "",
    "clip_norm": ", clip_norm = 0.05",
    "clip_global_norm": ", clip_global_norm = 0.05",
}
clipped = pytest.mark.parametrize("clip", CLIPPED, ids=lambda clip: clip or "no norm")


def clip_by(text, clip):
    """A model whose gradients are clipped."""
    assert len(re.findall(MINIMIZED, text)) == 1
    return re.sub(MINIMIZED, lambda found: found.group() + CLIPPED[clip], text)


MINIMIZED = r"optimizer = #graph\.\w+<[^<>]*>"


def clipped_mlp(box, clip):
    return box.write("clipped.mlir", clip_by(MLP.read_text(), clip)) if clip else MLP


@clipped
@pytest.mark.parametrize(
    "microBatches, leaves, shared",
    [
        (10, 10, False),
        (24, 4, True),
        *([(20, 10, False), (48, 16, True), (64, 2, True)] if LONG else []),
    ],
)
def test_loop_bits(box, microBatches, leaves, shared, clip):
    """Any number of leaves, of one micro-batch and of several; a norm is of the mean that is
    applied."""
    settings, model = {"micro_batches": microBatches, "sum_leaves": leaves}, clipped_mlp(box, clip)
    reference = copies(box, model, **settings)
    box.withSim()
    for devices in {}, {"devices": SIMS}:
        equal(
            box,
            reference,
            {"worker": 1, **devices},
            {"name": "one_device", **settings},
            model=model,
        )
        assert loops(
            box, {"worker": 1, **devices, "strategy": {"name": "one_device", **settings}}, model
        )
    equal(box, reference, {"worker": 1}, {"name": "mirrored", **settings}, model=model)
    if shared:
        equal(
            box,
            reference,
            {"ps": 2, "worker": 2},
            {"name": "parameter_server", **settings},
            model=model,
        )
        equal(box, reference, {"worker": 2}, {"name": "all_reduce", **settings}, model=model)
    if clip:
        assert differences(copies(box, **settings)[0], reference[0]), (
            "the norms are within their bounds"
        )


IN_GRAPH = {"replication": "in_graph"}
SPLIT = {"placement": "split", "min_shard_bytes": 8}


@pytest.mark.parametrize(
    "clip, microBatches",
    [
        ("clip_norm", 8),
        ("clip_global_norm", 32),
        *([("clip_norm", 32), ("clip_global_norm", 8)] if LONG else []),
    ],
)
def test_clipped_bits(box, clip, microBatches):
    """Gradients clipped by norm, copies and loops of them, whoever shares them; of split variables
    too."""
    settings, model = {"micro_batches": microBatches}, clipped_mlp(box, clip)
    reference = one(box, model=model, **settings)
    for more in {}, IN_GRAPH:
        equal(
            box, reference, {"worker": 2}, {"name": "all_reduce", **settings, **more}, model=model
        )
        for ps, placed in (1, {}), (2, SPLIT):
            equal(
                box,
                reference,
                {"ps": ps, "worker": 2},
                {"name": "parameter_server", **settings, **more, **placed},
                model=model,
            )
    equal(box, reference, {"worker": 4}, {"name": "mirrored", **settings}, model=model)
    assert differences(one(box, **settings)[0], reference[0]), "the norms are within their bounds"


TOWERS = [
    ({"worker": 2}, {"name": "mirrored"}),
    ({"worker": 2}, {"name": "all_reduce", **IN_GRAPH}),
    ({"ps": 2, "worker": 2}, {"name": "parameter_server", **IN_GRAPH}),
    (
        {"worker": 3},
        {"name": "mirrored", "devices": ["/job:worker/task:2/cpu:0", "/job:worker/task:1/cpu:0"]},
    ),
]


@pytest.mark.parametrize("microBatches, leaves", [(32, 16), (64, 2)] if LONG else [(24, 4)])
@pytest.mark.parametrize(
    "jobs, strategy", TOWERS, ids=["mirrored", "all_reduce", "parameter_server", "dealt by a third"]
)
def test_loops_of_towers(box, jobs, strategy, microBatches, leaves, transport):
    """One device deals the batches of each iteration to all; each sums its own."""
    settings = {"micro_batches": microBatches, "sum_leaves": leaves}
    reference = copies(box, **settings)
    equal(box, reference, jobs, {**strategy, **settings}, f"--transport={transport}")
    found = loops(box, {**jobs, "strategy": {**strategy, **settings}})
    assert len(found) == jobs["worker"]
    assert any(
        "receive" in kinds[kinds.index("repeat") : kinds.index("accumulate")]
        for _, kinds in found
        if "accumulate" in kinds
    )


def test_loops_of_towers_are_small(box):
    """512 over two devices make plan and arena hardly larger than 32."""
    sizes = {}
    for count in 32, 512:
        cluster = {"worker": 2, "strategy": {"name": "mirrored", "micro_batches": count}}
        sizes[count] = (
            (box / box.compile(f"loop{count}", cluster)).stat().st_size,
            max(arena for arena, _ in loops(box, cluster)),
        )
    assert sizes[512][0] <= 1.5 * sizes[32][0], "bytes of the plan"
    assert sizes[512][1] <= 1.3 * sizes[32][1], "bytes of the largest arena"


@pytest.mark.parametrize("microBatches, leaves", [(24, 4), *([(48, 16)] if LONG else []), (6, 2)])
@pytest.mark.parametrize(
    "jobs, strategy",
    [
        ({"worker": 1}, "one_device"),
        ({"worker": 2}, "all_reduce"),
        ({"ps": 1, "worker": 2}, "parameter_server"),
        ({"worker": 2}, "mirrored"),
    ],
)
def test_loops_on_queues(box, jobs, strategy, microBatches, leaves, transport):
    """A device with queues has a loop from three micro-batches on, and the host's bits."""
    settings = {"micro_batches": microBatches, "sum_leaves": leaves}
    reference = one(box, **settings)
    box.withSim()
    equal(
        box,
        reference,
        {**jobs, "devices": SIMS},
        {"name": strategy, **settings},
        f"--transport={transport}",
    )
    assert len(
        loops(box, {**jobs, "devices": SIMS, "strategy": {"name": strategy, **settings}})
    ) == (jobs["worker"] if strategy == "mirrored" else 1)


def test_loops_on_queues_are_small(box):
    """256 micro-batches of a device with queues have the device's memory of 8, hardly more than two
    copies take, and the host's of one."""
    box.withSim()
    model, sizes = box.mlp(512), {}
    for count in 1, 2, 8, 256:
        cluster = {
            "worker": 1,
            "devices": SIMS,
            "strategy": {"name": "one_device", "micro_batches": count, "sum_leaves": min(count, 8)},
        }
        plan = box / box.compile(f"loop{count}", cluster, model)
        [program] = [
            each
            for each in blocks(
                box.show(f"text{count}", "plan-text", cluster, model).text(), "programs"
            )
            if "train" in each
        ]
        sizes[count] = (
            plan.stat().st_size,
            number(program, "device_arena_bytes"),
            number(program, "arena_bytes"),
        )
    assert sizes[256][0] <= 1.5 * sizes[8][0], "bytes of the plan"
    assert sizes[256][1] <= 1.3 * sizes[8][1] and sizes[8][1] < 4 * sizes[1][1], (
        "bytes of the device's arena"
    )
    assert sizes[256][2] <= 2 * sizes[1][2], "bytes of the host's arena"


def loops(box, cluster, model=MLP):
    """(arena, what is done in turn) of the programs that have one."""
    found = []
    for program in blocks(box.show("shown", "plan-text", cluster, model).text(), "programs"):
        kinds = [kind for kind, _ in instructions(program)]
        if "repeat" in kinds:
            found.append((number(program, "arena_bytes"), kinds))
    return found


MATRIX = """
graph.variable @w : tensor<512x512xf32> = #graph.glorot_uniform<seed = 1>
graph.dataset @data : (tensor<512xf32>) = #graph.synthetic<samples = 203, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 4} : tensor<4x512xf32>
  %w = graph.read @w : tensor<512x512xf32>
  %y = graph.matmul %x, %w : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
  %z = graph.multiply %y, %y : tensor<4x512xf32>
  %loss = graph.reduce_mean %z dimensions = [0, 1] : (tensor<4x512xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""


# What all micro-batches take, and a gradient that no library makes.
DECAY = MATRIX.replace(
    "  graph.minimize %loss {",
    """  %square = graph.multiply %w, %w : tensor<512x512xf32>
  %size = graph.reduce_mean %square dimensions = [0, 1] : (tensor<512x512xf32>) -> tensor<f32>
  %all = graph.add %loss, %size : tensor<f32>
  graph.minimize %all {""",
)
SCALES = (
    MATRIX.replace("(tensor<512xf32>)", "(tensor<512x512xf32>)")
    .replace("4x512xf32", "4x512x512xf32")
    .replace("dimensions = [0, 1]", "dimensions = [0, 1, 2]")
    .replace(
        "%y = graph.matmul %x, %w : (tensor<4x512x512xf32>, tensor<512x512xf32>) -> tensor<4x512x512xf32>",
        """%soft = graph.logistic %w : tensor<512x512xf32>
  %wide = graph.broadcast_in_dim %soft broadcast_dimensions = [1, 2] : (tensor<512x512xf32>) -> tensor<4x512x512xf32>
  %y = graph.multiply %x, %wide : tensor<4x512x512xf32>""",
    )
)


@clipped
@pytest.mark.parametrize(
    "workers, microBatches, leaves, gradients",
    [(1, 16, 16, 5), (1, 64, 16, 6), (1, 64, 1, 2), (2, 64, 16, 5), (4, 256, 16, 4)],
)
def test_gradients_that_are_held(box, workers, microBatches, leaves, gradients, clip):
    """A replica holds log2(W / N) + 2 of a MiB each, one less where a leaf is one micro-batch."""
    box.write("matrix.mlir", clip_by(MATRIX, clip))
    for jobs, name in (
        ({"worker": workers}, "all_reduce" if workers > 1 else "one_device"),
        ({"ps": 1, "worker": workers}, "parameter_server"),
    ):
        ((arena, _),) = loops(
            box,
            {
                **jobs,
                "strategy": {"name": name, "micro_batches": microBatches, "sum_leaves": leaves},
            },
            "matrix.mlir",
        )
        assert arena < (gradients + 0.5) * 2**20, name


COPIES = [
    ({"worker": 1}, {"name": "one_device", "micro_batches": count}) for count in range(2, 9)
] + [
    ({"worker": 1}, {"name": "one_device", "micro_batches": 8, "sum_leaves": 2}),
    ({"worker": 1}, {"name": "one_device", "micro_batches": 6, "sum_leaves": 1}),
    ({"worker": 2}, {"name": "all_reduce", "micro_batches": 16}),
    ({"ps": 1, "worker": 2}, {"name": "parameter_server", "micro_batches": 16}),
    (
        {"ps": 1, "worker": 2},
        {"name": "parameter_server", "micro_batches": 16, "replication": "in_graph"},
    ),
    ({"ps": 1, "worker": 4}, {"name": "parameter_server", "micro_batches": 32}),
    (
        {"ps": 1, "worker": 2},
        {"name": "parameter_server", "micro_batches": 16, "replicas_to_aggregate": 1},
    ),
    ({"worker": 2}, {"name": "mirrored", "micro_batches": 16}),
]


@clipped
@pytest.mark.parametrize(
    "jobs, strategy", COPIES, ids=lambda given: "-".join(map(str, given.values()))
)
def test_gradients_that_copies_hold(box, jobs, strategy, clip):
    """Nor where each micro-batch is written out does any program hold more."""
    box.write("matrix.mlir", clip_by(MATRIX, clip))
    shared = 1 if strategy["name"] == "one_device" else jobs["worker"]
    leaves = (
        shared
        if "replicas_to_aggregate" in strategy
        else strategy.get(
            "sum_leaves", max(w for w in range(1, 17) if strategy["micro_batches"] % w == 0)
        )
    )
    most = (leaves // shared).bit_length() + 1
    for text in blocks(
        box.show("held", "plan-text", {**jobs, "strategy": strategy}, "matrix.mlir").text(),
        "programs",
    ):
        assert mostHeld(text, 2**20) <= most
        assert number(text, "arena_bytes") < (most + 0.5) * 2**20
    assert not box.last.out.matches("^    repeat {")


@clipped
def test_gradients_that_towers_hold(box, clip):
    """Nor a device of towers in its loop."""
    box.write("matrix.mlir", clip_by(MATRIX, clip))
    for workers, gradients in (1, 6), (2, 5), (4, 4):
        for arena, _ in loops(
            box,
            {
                "worker": workers,
                "strategy": {"name": "mirrored", "micro_batches": 64, "sum_leaves": 16},
            },
            "matrix.mlir",
        ):
            assert arena < (gradients + 0.5) * 2**20


@pytest.mark.parametrize("model", [DECAY, SCALES], ids=["decay", "scales"])
def test_gradients_of_one_kernel(box, model):
    """Nor where one kernel could make all of them, as they take something in common: that is held
    as well."""
    box.write("joined.mlir", model)
    (program,) = blocks(
        box.show(
            "held",
            "plan-text",
            {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 8}},
            "joined.mlir",
        ).text(),
        "programs",
    )
    assert mostHeld(program, 2**20) <= 5 + 1


def test_sums_behind_a_loop(box):
    """The workers' sums are read where they were made, behind the loop and before their release."""
    model, cluster = box.write("matrix.mlir", MATRIX), {"worker": 2}
    settings = {"micro_batches": 64, "sum_leaves": 16}
    ((_, kinds),) = loops(box, {**cluster, "strategy": {"name": "all_reduce", **settings}}, model)
    order = [
        kind
        for kind in kinds
        if kind in ("repeat", "all_reduce_start", "all_reduce_done", "release", "send_done")
    ]
    assert order == ["repeat", "all_reduce_start", "all_reduce_done", "release", "send_done"]
    equal(
        box,
        one(box, model=model, **settings),
        cluster,
        {"name": "all_reduce", **settings},
        model=model,
    )


def test_gradients_leave_early(box):
    """The last micro-batch is written out, so that what it completes leaves while its backward pass
    goes on."""
    ((_, kinds),) = loops(
        box, {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "micro_batches": 32}}
    )
    behind = kinds[kinds.index("repeat") :]
    assert "call" in behind[behind.index("send_start") :]


def test_metrics(box):
    """Metrics of training and of the evaluation behind it are the same to the last bit, too. The
    loss of an epoch is the mean of what each replica tells of its own micro-batches, rounded there:
    of several replicas it may differ behind the digits that are shown."""
    finals = {}
    for workers in 1, 2, 4, 8:
        for strategy, ps in ("parameter_server", {"ps": 1}), ("all_reduce", {}):
            plan = box.compile(
                f"{strategy}-{workers}",
                {**ps, "worker": workers, "strategy": {"name": strategy, "micro_batches": 8}},
                MODELS / "metrics.mlir",
            )
            box.graphrun(plan, "--steps", 10, "--stats", "stats.json")
            finals[strategy, workers] = box.json("stats.json")["final"]
    losses = [final.pop("loss") for final in finals.values()]
    assert max(losses) - min(losses) < 1e-7 * max(losses)
    reference = finals["parameter_server", 1]
    assert {"error", "train error", "reconstruction_mse"} <= set(reference)
    for row, final in finals.items():
        assert final == reference, row


def test_metrics_of_loops(box, transport):
    """Nor do metrics keep micro-batches from being a loop: what they come to is that of copies, to
    the last bit, whoever shares them."""
    model, settings = MODELS / "metrics.mlir", {"micro_batches": 24, "sum_leaves": 8}
    box.withSim()
    finals = []
    for jobs, name in (
        ({"worker": 1, "devices": SIMS}, "one_device"),
        ({"worker": 1}, "one_device"),
        ({"worker": 2}, "mirrored"),
        ({"worker": 2}, "all_reduce"),
        ({"ps": 1, "worker": 4}, "parameter_server"),
    ):
        cluster = {**jobs, "strategy": {"name": name, **settings}}
        box.graphrun(
            box.compile(f"plan{len(finals)}", cluster, model),
            "--steps",
            10,
            "--stats",
            "stats.json",
            f"--transport={transport}",
        )
        finals.append(box.json("stats.json")["final"])
        assert len(loops(box, cluster, model)) == (
            0 if jobs["worker"] == 4 else 2 if name == "mirrored" else 1
        ), cluster
        assert finals[-1]["train error"] == finals[0]["train error"] > 0, cluster


def test_metrics_cost_a_loop_nothing(box):
    """256 micro-batches with a metric have a plan hardly larger than 16, and their gradients'
    memory."""
    text = MLP.read_text()
    model = box.write(
        "measured.mlir",
        text.replace(
            '  graph.minimize',
            '  graph.metric "loss of rows", %loss : tensor<f32>\n  graph.minimize',
            1,
        ),
    )
    sizes = {}
    for name in MLP, model:
        for count in 16, 256:
            cluster = {"worker": 1, "strategy": {"name": "one_device", "micro_batches": count}}
            sizes[name, count] = (
                (box / box.compile(f"measured{len(sizes)}", cluster, name)).stat().st_size,
                loops(box, cluster, name)[0][0],
            )
    assert (
        sizes[model, 256][0] <= 1.5 * sizes[model, 16][0]
        and sizes[model, 256][0] <= 1.5 * sizes[MLP, 256][0]
    ), "bytes of the plan"
    assert sizes[model, 256][1] <= 1.3 * sizes[MLP, 256][1], "bytes of the arena"


FIRST = """
graph.variable @w : tensor<4xf32> = #graph.normal<stddev = 0.5, seed = 1>
graph.variable @last : tensor<4xf32> = #graph.zeros {trainable = false, aggregation = "first_replica"}
graph.dataset @data : (tensor<4xf32>) = #graph.synthetic<samples = 203, seed = 7>
graph.func @train_step() -> (tensor<2x4xf32> {graph.name = "first", graph.reduction = "first_replica"}, tensor<2x4xi32> {graph.name = "whole"})
    attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 2} : tensor<2x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %y = graph.bias_add %x, %w : tensor<2x4xf32>, tensor<4xf32>
  %mean = graph.reduce_mean %y dimensions = [0] : (tensor<2x4xf32>) -> tensor<4xf32>
  %loss = graph.reduce_mean %mean dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  %nothing = graph.constant dense<-0.0> : tensor<2x4xf32>
  %half = graph.constant dense<0.5> : tensor<2x4xf32>
  %centred = graph.subtract %x, %half : tensor<2x4xf32>
  %zeros = graph.multiply %centred, %nothing : tensor<2x4xf32>
  %one = graph.constant dense<1.0> : tensor<2x4xf32>
  %first = graph.divide %one, %zeros : tensor<2x4xf32>
  %large = graph.constant dense<1000.0> : tensor<2x4xf32>
  %scaled = graph.multiply %x, %large : tensor<2x4xf32>
  %whole = graph.convert %scaled : (tensor<2x4xf32>) -> tensor<2x4xi32>
  graph.assign @last, %mean : tensor<4xf32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %FETCHED, %whole : tensor<2x4xf32>, tensor<2x4xi32>
}
"""


@pytest.mark.parametrize("fetched", ["zeros", "first"], ids=["zeros of either sign", "infinities"])
def test_first_micro_batch_of_a_loop(box, fetched):
    """What is wanted of the first micro-batch alone is its value in a loop too, and a zero keeps
    its sign."""
    model, settings = (
        box.write("first.mlir", FIRST.replace("FETCHED", fetched)),
        {"micro_batches": 24, "sum_leaves": 8},
    )
    box.withSim()
    seen = []
    for jobs, name in (
        ({"worker": 1, "devices": SIMS}, "one_device"),
        ({"worker": 1}, "one_device"),
        ({"worker": 2}, "mirrored"),
    ):
        cluster = {**jobs, "strategy": {"name": name, **settings}}
        weights = box.weights(
            box.compile(f"plan{len(seen)}", cluster, model),
            "--steps",
            5,
            "--fetch",
            "first",
            "--fetch",
            "whole",
        )
        seen.append((weights, box.last.out.matches("^(?:first|whole) .*")))
        assert loops(box, cluster, model), cluster
        same(seen[0][0], weights)
        assert len(seen[-1][1]) == 10 and seen[-1][1] == seen[0][1], cluster
    assert all(
        any(word in line for line in seen[0][1])
        for word in (["-0", " 0"] if fetched == "zeros" else ["-inf", " inf"])
    )


TWO = """
graph.variable @v : tensor<512x512xf32> = #graph.glorot_uniform<seed = 3> {trainable = TRAINABLE DEVICE0}
graph.variable @w : tensor<512x512xf32> = #graph.glorot_uniform<seed = 1> {trainable = true DEVICE1}
graph.dataset @data : (tensor<512xf32>) = #graph.synthetic<samples = 203, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @data {batch = 4} : tensor<4x512xf32>
  %v = graph.read @v : tensor<512x512xf32>
  %w = graph.read @w : tensor<512x512xf32>
  %h = graph.matmul %x, %v {graph.name = "h" DEVICE0} : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
  %y = graph.matmul %h, %w {graph.name = "y" DEVICE1} : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
  %z = graph.multiply %y, %y {graph.name = "z" DEVICE1} : tensor<4x512xf32>
  %loss = graph.reduce_mean %z dimensions = [0, 1] {graph.name = "mean" DEVICE1} : (tensor<4x512xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.05>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""


@pytest.mark.parametrize("answers", [False, True], ids=["one way", "answers"])
def test_model_over_two_devices(box, answers, transport):
    """A loop in both programs where the second takes what the first makes; copies where the first
    would wait for an answer in each iteration."""

    def written(name, device):
        text = TWO.replace("TRAINABLE", "true" if answers else "false")
        for task in 0, 1:
            text = text.replace(f" DEVICE{task}", device(task))
        return box.write(name, text)

    settings = {"micro_batches": 24, "sum_leaves": 8}
    reference = one(box, model=written("one.mlir", lambda task: ""), **settings)
    model = written(
        "two.mlir",
        lambda task: f', graph.device = #graph.device<"/job:worker/task:{task}/device:CPU:0">',
    )
    equal(
        box,
        reference,
        {"worker": 2},
        {"name": "in_graph", **settings},
        f"--transport={transport}",
        model=model,
    )
    found = loops(box, {"worker": 2, "strategy": {"name": "in_graph", **settings}}, model)
    assert len(found) == (0 if answers else 2)
    if not answers:
        assert any("acquire" in kinds[kinds.index("repeat") :] for _, kinds in found), (
            "values are made where they are sent from"
        )
