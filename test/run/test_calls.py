"""Private functions and graph.call through all of it: what is declared once trains, evaluates and
predicts as what is written out does."""

import pytest
from box import HERE, accuracy, same, servers

VARIABLES = """
graph.variable @w1 : tensor<20x32xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<32x32xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @b2 : tensor<32xf32> = #graph.zeros
graph.variable @w3 : tensor<32x4xf32> = #graph.glorot_uniform<seed = 3>
graph.dataset @train : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 203, seed = 7, limits = [0, 4]> {shuffle = true, seed = 11}
graph.dataset @test : (tensor<20xf32>, tensor<i32>) = #graph.synthetic<samples = 57, seed = 8, limits = [0, 4]>
"""
# A layer that takes its weights, one that reads them and is called twice, a network that calls
# both: three calls deep.
FUNCTIONS = """
graph.func private @product(%x: tensor<8x20xf32>, %w: tensor<20x32xf32>) -> tensor<8x32xf32> {
  %y = graph.matmul %x, %w : (tensor<8x20xf32>, tensor<20x32xf32>) -> tensor<8x32xf32>
  graph.return %y : tensor<8x32xf32>
}
graph.func private @tied(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<32xf32>) {
  %w = graph.read @w2 : tensor<32x32xf32>
  %b = graph.read @b2 : tensor<32xf32>
  %m = graph.matmul %x, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %a = graph.bias_add %m, %b : tensor<8x32xf32>, tensor<32xf32>
  %y = graph.tanh %a : tensor<8x32xf32>
  %sums = graph.reduce_sum %y dimensions = [0] : (tensor<8x32xf32>) -> tensor<32xf32>
  graph.summary "sums", %sums : tensor<32xf32>
  graph.return %y, %sums : tensor<8x32xf32>, tensor<32xf32>
}
graph.func private @network(%x: tensor<8x20xf32>) -> tensor<8x4xf32> {
  %w1 = graph.read @w1 : tensor<20x32xf32>
  %w3 = graph.read @w3 : tensor<32x4xf32>
  %h0 = graph.call @product(%x, %w1) : (tensor<8x20xf32>, tensor<20x32xf32>) -> tensor<8x32xf32>
  %h1, %s1 = graph.call @tied(%h0) {graph.name = "first"} : (tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<32xf32>)
  %h2, %s2 = graph.call @tied(%h1) {graph.name = "second"} : (tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<32xf32>)
  %y = graph.matmul %h2, %w3 : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
  graph.return %y : tensor<8x4xf32>
}
graph.func private @unused(%x: tensor<f32>) {
  graph.return
}
"""
CALL = "  %y = graph.call @network(%x) {graph.name = \"net\"} : (tensor<8x20xf32>) -> tensor<8x4xf32>\n"
# The same without functions.
WRITTEN = """\
  %w1 = graph.read @w1 : tensor<20x32xf32>
  %w2 = graph.read @w2 : tensor<32x32xf32>
  %b2 = graph.read @b2 : tensor<32xf32>
  %w3 = graph.read @w3 : tensor<32x4xf32>
  %h0 = graph.matmul %x, %w1 : (tensor<8x20xf32>, tensor<20x32xf32>) -> tensor<8x32xf32>
  %m1 = graph.matmul %h0, %w2 : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %a1 = graph.bias_add %m1, %b2 : tensor<8x32xf32>, tensor<32xf32>
  %h1 = graph.tanh %a1 : tensor<8x32xf32>
  %s1 = graph.reduce_sum %h1 dimensions = [0] : (tensor<8x32xf32>) -> tensor<32xf32>
  graph.summary "net/first/sums", %s1 : tensor<32xf32>
  %m2 = graph.matmul %h1, %w2 : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %a2 = graph.bias_add %m2, %b2 : tensor<8x32xf32>, tensor<32xf32>
  %h2 = graph.tanh %a2 : tensor<8x32xf32>
  %s2 = graph.reduce_sum %h2 dimensions = [0] : (tensor<8x32xf32>) -> tensor<32xf32>
  graph.summary "net/second/sums", %s2 : tensor<32xf32>
  %y = graph.matmul %h2, %w3 : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
"""
PHASES = """
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %labels = graph.next_batch @train {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
NETWORK
  %loss = graph.softmax_cross_entropy %y, %labels : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %labels, %valid = graph.next_batch @test {batch = 8, pad_last} : tensor<8x20xf32>, tensor<8xi32>, tensor<8xi1>
NETWORK
  %class = graph.argmax %y dimension = 1 : (tensor<8x4xf32>) -> tensor<8xi32>
  %hit = graph.compare eq, %class, %labels : tensor<8xi32>
  graph.metric "accuracy", %hit, %valid : tensor<8xi1>, tensor<8xi1>
  graph.return
}
graph.func @predict_step() -> (tensor<8x4xf32> {graph.name = "logits"}) attributes {role = #graph.role<predict>} {
  %x, %labels = graph.next_batch @test {batch = 8} : tensor<8x20xf32>, tensor<8xi32>
NETWORK
  graph.return %y : tensor<8x4xf32>
}
"""
CLUSTERS = {
    "one": {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}},
    "servers": servers(2, 1),
    "ring": {"worker": 2, "strategy": "all_reduce"},
    "towers": {"worker": 2, "strategy": "mirrored"},
}


@pytest.fixture
def models(box):
    box.write("called.mlir", VARIABLES + FUNCTIONS + PHASES.replace("NETWORK\n", CALL))
    box.write("written.mlir", VARIABLES + PHASES.replace("NETWORK\n", WRITTEN))


@pytest.mark.parametrize("name", CLUSTERS)
def test_as_written_out(box, models, name):
    """The weights, the accuracy, what is fetched from within a call, and what is predicted: the
    same bytes."""
    said = []
    for model in "called", "written":
        plan = box.compile(f"{model}-{name}", CLUSTERS[name], f"{model}.mlir")
        weights = box.weights(
            plan,
            "--steps",
            30,
            "--fetch",
            "net/first/sums",
            "--fetch",
            "net/second/sums",
            "--checkpoint_dir",
            f"run-{model}",
        )
        trained = box.last.out
        predicted = box.graphrun(
            plan,
            "--entry",
            "predict",
            "--steps",
            3,
            "--fetch",
            "logits",
            "--fetch",
            "net/second/sums",
            "--checkpoint_dir",
            f"run-{model}",
        ).out
        said.append((weights, accuracy(trained), trained.matches("^net/.*"), predicted.lines()))
    same(said[0][0], said[1][0])
    assert said[0][1:] == said[1][1:]
    assert len(said[0][2]) >= 60 and len(said[0][3]) >= 6


def test_shared(box, models):
    """The layer that is called twice is one: with weights of its own for the second call the loss
    is another from the second step on."""
    other = (VARIABLES + PHASES.replace("NETWORK\n", WRITTEN)).replace(
        "graph.variable @b2",
        "graph.variable @w4 : tensor<32x32xf32> = #graph.glorot_uniform<seed = 2> {drawn_as = \"w2\"}\ngraph.variable @b2",
    )
    other = other.replace(
        "  %m2 = graph.matmul %h1, %w2",
        "  %w4 = graph.read @w4 : tensor<32x32xf32>\n  %m2 = graph.matmul %h1, %w4",
    )
    box.write("other.mlir", other)
    losses = [
        box.graphrun(
            box.oneDevice(name, 2, f"{name}.mlir"), "--steps", 5, "--fetch", "loss"
        ).out.matches("^loss (.*)")
        for name in ("called", "other")
    ]
    assert losses[0][0] == losses[1][0] and losses[0][1:] != losses[1][1:]


def test_placed(box, models):
    """A call's device is that of the ops within it, where a model is spread over tasks; the bits
    are one device's."""
    text = (
        (box / "called.mlir")
        .read_text()
        .replace(
            '{graph.name = "second"}',
            '{graph.name = "second", graph.device = #graph.device<"/job:worker/task:1">}',
        )
    )
    box.write("placed.mlir", text)
    plan = box.compile(
        "placed",
        {"worker": 2, "strategy": "in_graph"},
        "placed.mlir",
        flags=["--log_device_placement"],
    )
    assert [plan.err.matches(rf"^train_step/{op}: .*/task:(\d)/") for op in ("tanh", "tanh_1")] == [
        ["0"],
        ["1"],
    ]
    weights = box.weights(plan, "--steps", 20)
    same(weights, box.weights(box.oneDevice("alone", 1, "called.mlir"), "--steps", 20))


V = "tensor<4xf32>"
CHAINS = {
    # each calls the next one, the last one computes
    "one-op": lambda k, count: (f"graph.call @a{k + 1}(%x) : ({V}) -> {V}", "")
    if k + 1 < count
    else (f"graph.tanh %x : {V}", ""),
    # an op of its own in each, with a name
    "named": lambda k, count: (
        f'graph.add %x, %x {{graph.name = "n"}} : {V}',
        f"  %z = graph.call @a{k + 1}(%y) : ({V}) -> {V}\n" if k + 1 < count else "",
    ),
    # a scope with a device around each call
    "scoped": lambda k, count: (
        f"graph.scope -> ({V}) attributes {{graph.device = #graph.device<\"/job:worker\">}} {{\n"
        f"    %c = graph.call @a{k + 1}(%x) : ({V}) -> {V}\n    graph.yield %c : {V}\n  }}",
        "",
    )
    if k + 1 < count
    else (f"graph.tanh %x : {V}", ""),
}


def entry(callee):
    return (
        f'graph.func @entry(%x: {V} {{graph.name = "x"}}) -> ({V} {{graph.name = "y"}}) '
        "attributes {role = #graph.role<predict>} {\n"
        f"  %y = graph.call @{callee}(%x) : ({V}) -> {V}\n  graph.return %y : {V}\n}}\n"
    )


def chain(kind, count):
    """`count` private functions, each of which the one before it calls."""

    def function(name, k):
        made, rest = CHAINS[kind](k, count)
        result = "%z" if rest else "%y"
        return (
            f"graph.func private @{name}(%x: {V}) -> {V} {{\n  %y = {made}\n{rest}"
            f"  graph.return {result} : {V}\n}}\n"
        )

    return "".join(function(f"a{k}", k) for k in range(count)) + entry("a0")


@pytest.mark.parametrize("kind, count", [("one-op", 4000), ("named", 100), ("scoped", 400)])
def test_chain(box, kind, count):
    """Calls within calls within calls make a plan, of as many operations as there are."""
    box.write("chain.mlir", chain(kind, count))
    said = box.graphc("chain.mlir", "--emit=differentiated", "-o", "-").out.text()
    assert said.count("graph.add" if kind == "named" else "graph.tanh") == (
        count if kind == "named" else 1
    )
    box.graphc("chain.mlir", "-o", "chain.plan")


@pytest.mark.parametrize(
    "kind, count, why",
    [
        ("scoped", 5000, "is nested in 1000 graph.scope operations, expected fewer than 1000"),
        ("named", 2000, "gives an op a name of more than 1024 bytes"),
    ],
)
def test_long_chain(box, kind, count, why):
    """What cannot be is an error at a call."""
    box.write("chain.mlir", chain(kind, count))
    box.graphc("chain.mlir", "-o", "chain.plan", status=1).err.expect(f"'graph.call' op {why}")


def test_calls_that_make_nothing(box):
    """Functions that call the next one twice, forty deep, and compute nothing."""
    functions = "".join(
        f"graph.func private @f{k}(%x: {V}) -> {V} {{\n"
        + (
            f"  %a = graph.call @f{k - 1}(%x) : ({V}) -> {V}\n"
            f"  %b = graph.call @f{k - 1}(%a) : ({V}) -> {V}\n  graph.return %b : {V}\n}}\n"
            if k
            else f"  graph.return %x : {V}\n}}\n"
        )
        for k in range(41)
    )
    box.write("twice.mlir", functions + entry("f40"))
    run = box.graphc("twice.mlir", "-o", "twice.plan", status=1)
    run.err.expect("makes more than 262144 calls with all calls before it")


@pytest.mark.parametrize("kind", CHAINS)
def test_chains_are_linear(box, kind):
    """Twice as many functions take twice the work, by what is allocated."""
    counted = box.preload("count", (HERE / "allocations.c").read_text())
    work = []
    for count in 50, 100, 200:
        box.write("chain.mlir", chain(kind, count))
        (box / str(count)).mkdir()
        box.run(
            "graph-opt",
            "--inline-calls",
            "chain.mlir",
            "-o",
            "inlined.mlir",
            env={**counted, "ALLOCATIONS": str(box / str(count))},
        )
        lines = (box / f"{count}/process").read_text().splitlines()
        work.append(sum(int(line.split()[0]) for line in lines))
    assert work[2] - work[1] < 2.3 * (work[1] - work[0]), work
