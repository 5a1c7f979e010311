"""Optimizers, schedules, clipping, frozen variables, moving averages and gradients as values: what
they compute, against their definitions in Python's f64, and the same bits under every strategy and
from every checkpoint."""

import math

import pytest
from box import MLP, same, servers
from formats import read, updates

W = [1.0, -2.0, 0.5, 3.0, -0.25, 4.0]
BIAS = [0.5, -1.5]
CURVE = [0.5, 1.0, 0.25, 2.0, 1.5, 0.125]  # the gradient by w is 2 CURVE w, by bias 2 bias
MODEL = """\
graph.variable @w : tensor<2x3xf64> = #graph.value<dense<[[1.0, -2.0, 0.5], [3.0, -0.25, 4.0]]> : tensor<2x3xf64>>
graph.variable @bias : tensor<2xf64> = #graph.value<dense<[0.5, -1.5]> : tensor<2xf64>>
graph.func @train_step() -> (tensor<f64> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<2x3xf64>
  %b = graph.read @bias : tensor<2xf64>
  %curve = graph.constant dense<[[0.5, 1.0, 0.25], [2.0, 1.5, 0.125]]> : tensor<2x3xf64>
  %ww = graph.multiply %w, %w : tensor<2x3xf64>
  %cww = graph.multiply %ww, %curve : tensor<2x3xf64>
  %lw = graph.reduce_sum %cww dimensions = [0, 1] : (tensor<2x3xf64>) -> tensor<f64>
  %bb = graph.multiply %b, %b : tensor<2xf64>
  %lb = graph.reduce_sum %bb dimensions = [0] : (tensor<2xf64>) -> tensor<f64>
  %loss = graph.add %lw, %lb : tensor<f64>
  graph.minimize %loss {MINIMIZE} : tensor<f64>
  graph.return %loss : tensor<f64>
}
"""


def sgd(e):
    return e.w - e.rate * e.g


def momentum(e):
    e.s[0] = 0.9 * e.s[0] + e.g
    return e.w - e.rate * e.s[0]


def nesterov(e):
    e.s[0] = 0.9 * e.s[0] + e.g
    return e.w - e.rate * (e.g + 0.9 * e.s[0])


def adam(e):
    e.s[0] = 0.8 * e.s[0] + (1 - 0.8) * e.g
    e.s[1] = 0.95 * e.s[1] + (1 - 0.95) * e.g * e.g
    mean, square = e.s[0] / (1 - 0.8 ** (e.step + 1)), e.s[1] / (1 - 0.95 ** (e.step + 1))
    return e.w - e.rate * mean / (math.sqrt(square) + 1e-3)


def adamw(e):
    e.w -= e.rate * (0.25 if e.name == "w" else 0) * e.w
    return adam(e)


def adagrad(e):
    e.s[0] += e.g * e.g
    return e.w - e.rate * e.g / (math.sqrt(e.s[0]) + 1e-10)


def rmsprop(e):
    e.s[0] = 0.9 * e.s[0] + (1 - 0.9) * e.g * e.g
    return e.w - e.rate * e.g / (math.sqrt(e.s[0]) + 1e-8)


def centered(e):
    e.s[0] = 0.75 * e.s[0] + (1 - 0.75) * e.g * e.g
    e.s[1] = 0.75 * e.s[1] + (1 - 0.75) * e.g
    step = e.g / (math.sqrt(max(0.0, e.s[0] - e.s[1] ** 2)) + 0.5)
    e.s[2] = 0.5 * e.s[2] + step
    return e.w - e.rate * e.s[2]


class Element:
    def __init__(self, name, w, s):
        self.name, self.w, self.s = name, w, list(s)


def train(
    rule,
    rate,
    slots=(),
    steps=7,
    decay=0.0,
    clipNorm=None,
    clipGlobal=None,
    clipValue=None,
    average=None,
    frozen=(),
):
    """{variable: elements}, slots as s0, s1, …, moving averages as average."""
    variables = {
        "w": [Element("w", w, slots) for w in W],
        "bias": [Element("bias", b, slots) for b in BIAS],
    }
    averages = {name: [e.w for e in elements] for name, elements in variables.items()}
    for step in range(steps):
        for e, curve in zip(variables["w"] + variables["bias"], CURVE + [1.0, 1.0]):
            e.g = 2 * curve * e.w
        trained = {name: elements for name, elements in variables.items() if name not in frozen}
        norms = {
            name: math.sqrt(sum(e.g**2 for e in elements)) for name, elements in trained.items()
        }
        whole = math.sqrt(sum(norm**2 for norm in norms.values()))
        for name, elements in trained.items():
            for i, e in enumerate(elements):
                if clipNorm:
                    e.g *= min(1, clipNorm / norms[name])
                if clipGlobal:
                    e.g *= min(1, clipGlobal / whole)
                if clipValue:
                    e.g = max(-clipValue, min(clipValue, e.g))
                e.g += decay * e.w
                e.step, e.rate = step, rate(step) if callable(rate) else rate
                e.w = rule(e)
                if average is not None:
                    averages[name][i] += (1 - average) * (e.w - averages[name][i])
    values = {name: [e.w for e in elements] for name, elements in variables.items()}
    for name, elements in variables.items():
        for number in range(len(slots)):
            values[f"{name} s{number}"] = [e.s[number] for e in elements]
        values[f"{name} average"] = averages[name]
    return values


def cosine(step):
    return 0.1 * (0.9 * (1 + math.cos(math.pi * min(step, 5) / 5)) / 2 + 0.1)


def warm(step):
    return 0.01 + (0.1 - 0.01) * step / 3 if step < 3 else cosine(step - 3)


def piecewise(step):
    return 0.1 if step <= 1 else 0.05 if step <= 4 else 0.01


COSINE = "#graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 5, alpha = 0.1>"
CASES = {
    "sgd": ("#graph.sgd<learning_rate = 0.1>", "", train(sgd, 0.1), ()),
    "decay": (
        "#graph.sgd<learning_rate = 0.1, weight_decay = 0.5>",
        "",
        train(sgd, 0.1, decay=0.5),
        (),
    ),
    "momentum": (
        "#graph.momentum<learning_rate = 0.1, momentum = 0.9>",
        "",
        train(momentum, 0.1, [0]),
        ("Momentum",),
    ),
    "nesterov": (
        "#graph.momentum<learning_rate = 0.1, momentum = 0.9, nesterov = true>",
        "",
        train(nesterov, 0.1, [0]),
        ("Momentum",),
    ),
    "adam": (
        "#graph.adam<learning_rate = 0.1, beta1 = 0.8, beta2 = 0.95, epsilon = 0.001>",
        "",
        train(adam, 0.1, [0, 0]),
        ("Adam/m", "Adam/v"),
    ),
    "adamw": (
        "#graph.adamw<learning_rate = 0.1, beta1 = 0.8, beta2 = 0.95, epsilon = 0.001, "
        'weight_decay = #graph.weight_decay<rate = 0.25, exclude = ["b?as"]>>',
        "",
        train(adamw, 0.1, [0, 0]),
        ("Adam/m", "Adam/v"),
    ),
    "adagrad": (
        "#graph.adagrad<learning_rate = 0.1, initial_accumulator_value = 0.25>",
        "",
        train(adagrad, 0.1, [0.25]),
        ("Adagrad",),
    ),
    "rmsprop": ("#graph.rmsprop<learning_rate = 0.1>", "", train(rmsprop, 0.1, [0]), ("RMSProp",)),
    "centered": (
        "#graph.rmsprop<learning_rate = 0.1, rho = 0.75, epsilon = 0.5, centered = true, momentum = 0.5>",
        "",
        train(centered, 0.1, [0, 0, 0]),
        ("RMSProp", "RMSProp/mean", "RMSProp/momentum"),
    ),
    "cosine": (f"#graph.sgd<learning_rate = {COSINE}>", "", train(sgd, cosine), ()),
    "warmup": (
        f"#graph.sgd<learning_rate = #graph.linear_warmup<steps = 3, start = 0.01, learning_rate = {COSINE}>>",
        "",
        train(sgd, warm),
        (),
    ),
    "piecewise": (
        "#graph.sgd<learning_rate = #graph.piecewise_constant<boundaries = [1, 4], values = [0.1, 0.05, 0.01]>>",
        "",
        train(sgd, piecewise),
        (),
    ),
    "line": (
        "#graph.sgd<learning_rate = #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 5>>",
        "",
        train(sgd, lambda step: (0.1 - 0.0001) * (1 - min(step, 5) / 5) + 0.0001),
        (),
    ),
    "power": (
        "#graph.sgd<learning_rate = #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 5, "
        "end_learning_rate = 0.0, power = 1.5>>",
        "",
        train(sgd, lambda step: 0.1 * (1 - min(step, 5) / 5) ** 1.5),
        (),
    ),
    "clip_value": (
        "#graph.sgd<learning_rate = 0.1>",
        ", clip_value = 0.75",
        train(sgd, 0.1, clipValue=0.75),
        (),
    ),
    "clip_norm": (
        "#graph.sgd<learning_rate = 0.1>",
        ", clip_norm = 2.0",
        train(sgd, 0.1, clipNorm=2.0),
        (),
    ),
    "clip_global": (
        "#graph.sgd<learning_rate = 0.1>",
        ", clip_global_norm = 3.0, clip_value = 2.0, moving_average = 0.75",
        train(sgd, 0.1, clipGlobal=3.0, clipValue=2.0, average=0.75),
        ("ExponentialMovingAverage",),
    ),
    "frozen": (
        "#graph.sgd<learning_rate = 0.1>",
        ', frozen = ["b*"], clip_global_norm = 3.0',
        train(sgd, 0.1, clipGlobal=3.0, frozen=("bias",)),
        (),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values(box, case):
    """Seven steps, each slot and moving average besides."""
    optimizer, more, expected, slots = CASES[case]
    box.write("m.mlir", MODEL.replace("MINIMIZE", f"optimizer = {optimizer}{more}"))
    got = box.weights(
        box.compile("one", {"worker": 1, "strategy": "one_device"}, "m.mlir"), "--steps", 7
    )
    frozen = ("bias",) if case == "frozen" else ()
    names = {name: name for name in ("w", "bias")}
    for number, slot in enumerate(slots):
        suffix = "average" if slot.startswith("Exp") else f"s{number}"
        names.update({f"{name} {suffix}": f"{name}/{slot}" for name in ("w", "bias")})
    compared = 0
    for name, variable in names.items():
        values = read(got / f"{variable.replace('/', '.')}.npy")[1]
        assert all(
            math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-14)
            for a, b in zip(values, expected[name], strict=True)
        ), (name, values, expected[name])
        compared += 1
    assert compared == 2 + 2 * len(slots)
    assert frozen or list(read(got / "w.npy")[1]) != W


EVERYTHING = {
    "adamw": 'optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 5, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.01, '
    'decay_steps = 30>>, weight_decay = #graph.weight_decay<rate = 0.1, exclude = ["b?"]>>, clip_global_norm = 0.25, moving_average = 0.9',
    "rmsprop": 'optimizer = #graph.rmsprop<learning_rate = 0.001, centered = true, momentum = 0.9, weight_decay = 0.001>, clip_norm = 0.125, '
    'clip_value = 0.02, frozen = ["b1"]',
    "adagrad": 'optimizer = #graph.adagrad<learning_rate = #graph.piecewise_constant<boundaries = [4, 9], values = [0.1, 0.05, 0.01]>>, moving_average = 0.5',
}
SPLIT = {"placement": "split", "min_shard_bytes": 8}
STRATEGIES = {
    "ps": servers(2, 1),
    "split": servers(2, 2, **SPLIT),
    "all_reduce": {"worker": 2, "strategy": "all_reduce"},
    "mirrored": {"worker": 2, "strategy": "mirrored"},
    "in_graph": servers(2, 2, replication="in_graph", **SPLIT),
}


def mlp(box, name):
    """models/mlp.mlir with other updates."""
    old = "optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>"
    text = MLP.read_text()
    assert old in text
    return box.write(f"{name}.mlir", text.replace(old, EVERYTHING[name])).name


@pytest.mark.parametrize("name", EVERYTHING)
def test_bits(box, name):
    """Variables, slots and moving averages of every strategy are those of one device."""
    model = mlp(box, name)
    one, _ = box.reference(2, "--steps", 20, model=model)
    for strategy, cluster in STRATEGIES.items():
        same(one, box.weights(box.compile(strategy, cluster, model), "--steps", 20))
        box.nothingLeft()


def test_restart(box):
    """From a checkpoint, under another strategy, schedule and bias correction go on where they
    were."""
    model = mlp(box, "adamw")
    one, _ = box.reference(2, "--steps", 20, model=model)
    box.graphrun(
        box.compile("split", STRATEGIES["split"], model), "--steps", 7, "--checkpoint_dir", "c"
    )
    box.graphrun(
        box.compile("all_reduce", STRATEGIES["all_reduce"], model),
        "--steps",
        13,
        "--checkpoint_dir",
        "c",
    )
    same(
        one,
        box.weights(
            box.compile("ps", STRATEGIES["ps"], model), "--steps", 20, "--checkpoint_dir", "c"
        ),
    )


def test_averages_begin(box):
    """Moving averages have the initial values of their variables, drawn ones too, and parts those
    of the whole's rows."""
    text = MLP.read_text().replace(
        "learning_rate = 0.05, momentum = 0.9>",
        "learning_rate = 0.0, momentum = 0.9>, moving_average = 0.5",
    )
    box.write("still.mlir", text)
    for name in "ps", "split":
        got = box.weights(box.compile(name, STRATEGIES[name], "still.mlir"), "--steps", 1)
        assert any(read(got / "w1.npy")[1])
        for variable in "w1", "b1", "w2":
            assert read(got / f"{variable}.npy") == read(
                got / f"{variable}.ExponentialMovingAverage.npy"
            )


@pytest.mark.parametrize("name", EVERYTHING)
def test_async(box, name):
    """Updates that do not wait: as many as asked for, and nothing is NaN."""
    dump = box.weights(box.servers("async", 2, 2, "async", model=mlp(box, name)), "--steps", 100)
    assert updates(dump) == 100
    for path in dump.iterdir():
        assert all(math.isfinite(x) for x in read(path)[1]), path.name


def test_learning_rate(box):
    """The fetch that a summary of the rate is, on one device and where the counter is on a
    server."""
    box.write(
        "m.mlir",
        MODEL.replace(
            "MINIMIZE",
            f'optimizer = #graph.sgd<learning_rate = {COSINE}>, learning_rate_summary = "rate"',
        ),
    )
    for cluster in {"worker": 1, "strategy": "one_device"}, servers(2, 1):
        said = box.graphrun(
            box.compile("p", cluster, "m.mlir"), "--steps", 4, "--fetch", "rate"
        ).out
        rates = [float(line.split()[-1]) for line in said.matches(r"rate [0-9.e+-]+$")]
        assert rates and all(
            math.isclose(rate, cosine(step), rel_tol=1e-5) for step, rate in enumerate(rates[:4])
        ), rates


def test_gradients(box):
    """As values: a model's own rule of learning."""
    model = MODEL.replace(
        "graph.minimize %loss {MINIMIZE} : tensor<f64>",
        """%g = graph.gradients %loss, [@w] : (tensor<f64>) -> tensor<2x3xf64>
  %r = graph.constant dense<-0.1> : tensor<2x3xf64>
  %d = graph.multiply %g, %r : tensor<2x3xf64>
  graph.assign_add @w, %d : tensor<2x3xf64>""",
    ).replace("tensor<2x3xf64>>\n", 'tensor<2x3xf64>> {aggregation = "mean"}\n', 1)
    box.write("m.mlir", model)
    got = box.weights(
        box.compile("one", {"worker": 1, "strategy": "one_device"}, "m.mlir"), "--steps", 7
    )
    assert all(
        math.isclose(a, b, rel_tol=1e-12)
        for a, b in zip(read(got / "w.npy")[1], train(sgd, 0.1)["w"], strict=True)
    )
    assert list(read(got / "bias.npy")[1]) == BIAS


# At a model with data, each step's gradient as a value: into a variable, and off the weights.
OWN_RULE = """\
graph.variable @w : tensor<3x2xf32> = #graph.glorot_uniform<seed = 1> {aggregation = "mean"}
graph.variable @last : tensor<3x2xf32> = #graph.zeros {trainable = false, aggregation = "mean"}
graph.dataset @d : (tensor<3xf32>, tensor<2xf32>) = #graph.synthetic<samples = 40, seed = 3>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @d {batch = 4} : tensor<4x3xf32>, tensor<4x2xf32>
  %w = graph.read @w : tensor<3x2xf32>
  %p = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %e = graph.subtract %p, %y : tensor<4x2xf32>
  %q = graph.multiply %e, %e : tensor<4x2xf32>
  %loss = graph.reduce_mean %q dimensions = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  %g = graph.gradients %loss, [@w] : (tensor<f32>) -> tensor<3x2xf32>
  graph.assign @last, %g : tensor<3x2xf32>
  %u = graph.multiply %g, -0.1 : tensor<3x2xf32>
  graph.assign_add @w, %u : tensor<3x2xf32>
  graph.return %loss : tensor<f32>
}
"""


def test_gradients_of_replicas(box):
    """As values, under parameter servers, split ones too, and all_reduce: the bits of one device,
    weights and gradients."""
    box.write("m.mlir", OWN_RULE)
    one, _ = box.reference(4, "--steps", 5, model="m.mlir")
    assert any(read(one / "last.npy")[1])
    clusters = {
        "ps": servers(2, 1, micro_batches=4),
        "split": servers(2, 2, placement="split", min_shard_bytes=8, micro_batches=4),
        "all_reduce": {"worker": 4, "strategy": {"name": "all_reduce", "micro_batches": 4}},
    }
    for strategy, cluster in clusters.items():
        same(one, box.weights(box.compile(strategy, cluster, "m.mlir"), "--steps", 5))
    assert {path.name for path in one.iterdir()} >= {"w.npy", "last.npy"}


EVALUATION = """\
graph.func @eval_step() -> () attributes {role = #graph.role<eval>AVERAGES} {
  %w = graph.read @w : tensor<2x3xf64>
  %b = graph.read @bias : tensor<2xf64>
  graph.metric "weights", %w : tensor<2x3xf64>
  graph.metric "biases", %b : tensor<2xf64>
  graph.return
}
"""


@pytest.mark.parametrize("averages", [True, False])
def test_averages_in_evaluation(box, averages):
    """A function with moving_averages reads these in place of the variables; one without, the
    variables. The numbers are those of three steps in Python."""
    model = MODEL.replace(
        "MINIMIZE", "optimizer = #graph.sgd<learning_rate = 0.1>, moving_average = 0.75"
    )
    box.write(
        "m.mlir", model + EVALUATION.replace("AVERAGES", ", moving_averages" if averages else "")
    )
    w, bias, ofW, ofBias = list(W), list(BIAS), list(W), list(BIAS)
    for _ in range(3):
        w = [x - 0.1 * 2 * c * x for x, c in zip(w, CURVE)]
        bias = [x - 0.1 * 2 * x for x in bias]
        ofW = [m + 0.25 * (x - m) for m, x in zip(ofW, w)]
        ofBias = [m + 0.25 * (x - m) for m, x in zip(ofBias, bias)]
    wanted = {"weights": ofW if averages else w, "biases": ofBias if averages else bias}
    for strategy, cluster in {
        "one": {"worker": 1, "strategy": "one_device"},
        "ps": servers(2, 1),
    }.items():
        plan = box.compile(strategy, cluster, "m.mlir")
        box.graphrun(plan, "--steps", 3, "--checkpoint_dir", strategy)
        said = box.graphrun(plan, "--entry", "eval", "--checkpoint_dir", strategy).out
        for name, numbers in wanted.items():
            (line,) = said.matches(f"^test {name} .*samples")
            assert math.isclose(
                float(line.split()[2]), math.fsum(numbers) / len(numbers), rel_tol=1e-5
            ), (strategy, line)
