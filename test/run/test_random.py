"""Random numbers follow from seed, draw, micro-batch and place alone: not from who computes, how
often, or since when it runs."""

import math
import re
import sys

import pytest
from box import HERE, MODELS, differences, same

sys.path.insert(0, str(HERE.parent / "reference"))
from harness import readNpy  # noqa: E402

DROPOUT = MODELS / "dropout.mlir"
SPLIT = MODELS / "bottleneck.mlir"
RULES = [
    {"name": pattern, "device": f"/job:worker/task:{task}"}
    for pattern, task in (("encoder*", 0), ("middle*", 1), ("head*", 2))
]


def train(box, name, jobs, strategy, *arguments, model=DROPOUT, steps=12):
    plan = box.compile(name, {**jobs, "strategy": strategy}, model)
    return box.weights(plan, "--steps", steps, *arguments, to=name)


def one(box, microBatches, model=DROPOUT, name="one", **settings):
    return train(
        box,
        name,
        {"worker": 1},
        {"name": "one_device", "micro_batches": microBatches, **settings},
        model=model,
    )


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_bits(box, workers, transport):
    """Four micro-batches a step, whoever computes them."""
    reference = one(box, 4)
    for strategy in "parameter_server", "all_reduce":
        for replication in "between_graph", "in_graph":
            jobs = {"worker": workers, **({"ps": 1} if strategy == "parameter_server" else {})}
            same(
                reference,
                train(
                    box,
                    "many",
                    jobs,
                    {"name": strategy, "replication": replication, "micro_batches": 4},
                    f"--transport={transport}",
                ),
            )
    same(
        reference,
        train(
            box,
            "many",
            {"worker": workers},
            {"name": "mirrored", "micro_batches": 4},
            f"--transport={transport}",
        ),
    )


def test_split_model(box, transport):
    """Parts of the model on three tasks, each of which numbers the micro-batches by itself."""
    jobs = {"worker": 3, "placement": RULES}
    same(
        one(box, 4, SPLIT),
        train(
            box,
            "split",
            jobs,
            {"name": "in_graph", "micro_batches": 4},
            f"--transport={transport}",
            model=SPLIT,
        ),
    )
    partitioned = box.show(
        "split",
        "partitioned",
        {**jobs, "strategy": {"name": "in_graph", "micro_batches": 4}},
        SPLIT,
    )
    assert len(partitioned.matches("= graph.micro_batch_index")) >= 12, (
        "four in each of three programs"
    )
    assert not partitioned.matches("dist.channel .*micro_batch_index")


@pytest.mark.parametrize("leaves", [2, 16])
def test_loops(box, leaves):
    """A loop of micro-batches numbers them by its iterations: as copies do, and as towers with
    loops of their own."""
    box.withSim()
    settings = {"micro_batches": 32, "sum_leaves": leaves}
    copies = train(
        box, "copies", {"worker": 1}, {"name": "one_device", **settings}, model=box.copied(DROPOUT)
    )
    assert not box.show(
        "copies",
        "plan-text",
        {"worker": 1, "strategy": {"name": "one_device", **settings}},
        box / "copied.mlir",
    ).matches("^    repeat {")
    same(copies, one(box, 32, sum_leaves=leaves))
    same(
        copies,
        train(
            box,
            "queues",
            {"worker": 1, "devices": {"worker": ["SIM:0"]}},
            {"name": "one_device", **settings},
        ),
    )
    assert box.show(
        "one", "plan-text", {"worker": 1, "strategy": {"name": "one_device", **settings}}, DROPOUT
    ).matches("^    repeat {")
    same(copies, train(box, "mirrored", {"worker": 2}, {"name": "mirrored", **settings}))
    same(copies, train(box, "reduced", {"worker": 2}, {"name": "all_reduce", **settings}))


def test_comparison_can_fail(box):
    """Another seed gives other weights, and so does one draw more before it."""
    reference = one(box, 4)
    text = DROPOUT.read_text()
    other = box.write("other.mlir", text.replace("rate = 0.25, seed = 3", "rate = 0.25, seed = 4"))
    assert differences(reference, one(box, 4, other, "other"))
    more = box.write(
        "more.mlir",
        text.replace(
            "  %a = graph.random_uniform",
            "  %unused = graph.random_normal : tensor<4xf32>\n  %a = graph.random_uniform",
        ),
    )
    assert differences(reference, one(box, 4, more, "more"))


@pytest.mark.parametrize("strategy", ["one_device", "all_reduce"])
def test_resumed(box, strategy):
    """9 steps at once, and 2, 3 and 4 of them: the draws go on where they were."""
    plan = box.compile(
        "plan",
        {
            "worker": 1 if strategy == "one_device" else 2,
            "strategy": {"name": strategy, "micro_batches": 2},
        },
        DROPOUT,
    )
    whole = box.weights(plan, "--steps", 9, to="whole")
    for steps in 2, 5, 9:
        pieces = box.weights(plan, "--steps", steps, "--checkpoint_dir", "pieces", to="pieces-of")
    same(whole, pieces)
    box.last.err.expect("going on from pieces/step-5")


SUM_OF_DRAWS = """\
graph.variable @w : tensor<200x1000xf32> = #graph.zeros
graph.func @step() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<200x1000xf32>
  %u = graph.random_uniform {seed = 1} : tensor<200x1000xf32>
  %p = graph.multiply %w, %u : tensor<200x1000xf32>
  %loss = graph.reduce_sum %p dimensions = [0, 1] : (tensor<200x1000xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 1.0>} : tensor<f32>
  graph.return
}
"""


def test_asynchronous(box):
    """Workers that do not wait for each other draw numbers of their own."""
    n, steps = 200000, 8
    model = box.write("sum.mlir", SUM_OF_DRAWS)
    strategy = {"name": "parameter_server", "update": "async"}
    plan = box.compile("async", {"ps": 1, "worker": 2, "strategy": strategy}, model)
    sums = readNpy(f"{box.weights(plan, '--steps', steps, to='sums')}/w.npy")
    # The sum of draws that are independent has the sum of their variances; of pairs of equal ones
    # it would be twice that.
    assert moments(sums)[0] == pytest.approx(-steps / 2, abs=5 * math.sqrt(steps / 12 / n))
    assert moments(sums)[1] == pytest.approx(steps / 12, rel=0.03)


def test_not_in_evaluation(box):
    """There the layer is what it is without dropout; with training_mode it drops there too."""

    def mean(name, text):
        plan = box.compile(name, {"worker": 1}, box.write(f"{name}.mlir", text))
        return re.search(r"mean (\S+)", box.graphrun(plan, "--entry", "eval").out.text())[1]

    text = DROPOUT.read_text()
    off = mean("off", text)
    assert off == mean(
        "without",
        re.sub(r"  %h = graph.dropout .*\n", "", text).replace("matmul %h,", "matmul %h1,"),
    )
    assert off == mean("zero", text.replace("rate = 0.25", "rate = 0.0"))
    assert off != mean("on", text.replace("rate = 0.25", "rate = 0.25, training_mode = true"))


STATISTICS = """\
graph.variable @u : tensor<200x1000xf32> = #graph.zeros {trainable = false}
graph.variable @v : tensor<200x1000xf32> = #graph.zeros {trainable = false}
graph.variable @z : tensor<200x1000xf32> = #graph.zeros {trainable = false}
graph.variable @d : tensor<200x1000xf32> = #graph.zeros {trainable = false}
graph.variable @e : tensor<200x1000xf32> = #graph.zeros {trainable = false}
graph.func @step() attributes {role = #graph.role<train>} {
  %one = graph.constant dense<1.0> : tensor<200x1000xf32>
  %u = graph.random_uniform {seed = 1} : tensor<200x1000xf32>
  %v = graph.random_uniform {seed = 1} : tensor<200x1000xf32>
  %z = graph.random_normal {seed = 1} : tensor<200x1000xf32>
  %d = graph.dropout %one {rate = 0.2, seed = 1} : tensor<200x1000xf32>
  %e = graph.dropout %one {rate = 0.2, seed = 1} : tensor<200x1000xf32>
"""


def moments(values):
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((x - mean) ** 2 for x in values) / len(values)


def correlation(a, b):
    (meanA, varianceA), (meanB, varianceB) = moments(a), moments(b)
    return (
        math.fsum((x - meanA) * (y - meanB) for x, y in zip(a, b))
        / len(a)
        / math.sqrt(varianceA * varianceB)
    )


def test_statistics(box):
    """200,000 of each: means and variances within five standard errors, and no two draws, steps or
    neighbours go together."""
    text = (
        STATISTICS
        + "".join(f"  graph.assign @{name}, %{name} : tensor<200x1000xf32>\n" for name in "uvzde")
        + "  graph.return\n}\n"
    )
    plan = box.compile("plan", {"worker": 1}, box.write("draws.mlir", text))
    first, second = (
        {
            name: readNpy(f"{box.weights(plan, '--steps', steps, to=str(steps))}/{name}.npy")
            for name in "uvzde"
        }
        for steps in (1, 2)
    )
    n = 200000
    for drawn, mean, variance, fourth in (
        ("u", 1 / 2, 1 / 12, 1 / 80),
        ("v", 1 / 2, 1 / 12, 1 / 80),
        ("z", 0, 1, 3),
        ("d", 1, 0.25, 0.8125 / 4),
    ):
        got = moments(first[drawn])
        assert abs(got[0] - mean) < 5 * math.sqrt(variance / n), drawn
        assert abs(got[1] - variance) < 5 * math.sqrt((fourth - variance**2) / n), drawn
    assert 0 <= min(first["u"]) < max(first["u"]) < 1
    assert set(first["d"]) == {0.0, 1.25}
    for a, b in (
        (first["u"], first["v"]),
        (first["d"], first["e"]),
        (first["u"], second["u"]),
        (first["z"], second["z"]),
        (first["d"], second["d"]),
        (first["u"][1:], first["u"][:-1]),
        (first["z"][1:], first["z"][:-1]),
        (first["u"][1000:], first["u"][:-1000]),
    ):
        assert abs(correlation(a, b)) < 5 / math.sqrt(n)
