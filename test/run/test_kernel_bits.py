"""Which kernel computes something, what it gives and how much scratch it wants follow from the
operation and its types: not from what the process made before, not from threads, the environment or
where the operands lie."""

import random

import pytest
from box import BUILD, HERE, MODELS, ROOT, same

SOURCES = [
    *sorted(MODELS.glob("*.mlir")),
    *sorted((HERE.parent / "bench/models").glob("*.mlir")),
    *sorted(ROOT.glob("examples/*/model.mlir")),
]
SHAPES = [
    "1x64x2000 transpose_a",
    "1x4096x1 transpose_a",
    "2000x1x64 transpose_b",
    "64x2000x1 transpose_a transpose_b",
]


@pytest.fixture(scope="module")
def give(shared):
    """The lines of all kernels of all models of the tests, and of products with ones in every
    position: give(flags…)."""
    assert len(SOURCES) >= 15
    (shared / "plans").mkdir()
    for number, source in enumerate(SOURCES):
        plan = f"plans/{number}-{source.stem}.plan"
        if shared.graphc(source, "-o", plan, status=None).status:
            shared.graphc("--strategy", "in_graph", source, "-o", plan)
    plans = sorted(str(path.relative_to(shared.folder)) for path in (shared / "plans").iterdir())
    return lambda *flags, env=None: shared.run(
        BUILD / "test/bin/kernel-bits", *flags, "--sweep", *plans, env=env
    ).out.lines()


@pytest.fixture(scope="module")
def expected(give):
    return give()


def test_kernels(expected):
    """There are enough of them, and their sums tell them apart."""
    assert len(expected) >= 1200
    assert len({line.split()[-1] for line in expected}) >= 500


ENVIRONMENT = {
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OMP_NUM_THREADS": "5",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "3",
    "ONEDNN_DEFAULT_FPMATH_MODE": "BF16",
}


@pytest.mark.parametrize(
    "flags, env",
    [
        (["--seed", 1], {}),
        (["--seed", 2, "--threads", 2, "--shift", 64], {}),
        (["--seed", 3, "--threads", 3, "--shift", 192], {}),
        (["--seed", 4, "--threads", 4, "--shift", 4032], {}),
        ([], ENVIRONMENT),
    ],
    ids=["order", "two-threads", "three-threads", "four-threads", "environment"],
)
def test_same(give, expected, flags, env):
    """In several orders, together."""
    assert give(*flags, env=env) == expected


def test_alone(give, expected):
    """Each in a process of its own."""
    alone = give("--alone", "--every", 4, "--seed", random.randrange(4), "--threads", 2)
    assert len(alone) >= 300
    assert not set(alone) - set(expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_row_and_column(expected, shape):
    """A row and the same numbers stored as a column are one operand: the same kernel."""
    both = [
        line.split("scratch", 1)[1]
        for line in expected
        if line.startswith(
            (f"matmul f32 {shape.split()[0]} scratch", f"matmul f32 {shape} scratch")
        )
    ]
    assert len(both) == 2 and both[0] == both[1]


def products(*order):
    """A product of one row stored as a column, and one stored as a row."""
    lines = ""
    for at in order:
        shape, flags = ("2000x1", " {transpose_a}") if at == "column" else ("1x2000", "")
        lines += f"""\
  %{at} = graph.read @{at} : tensor<{shape}xf32>
  %w{at} = graph.read @w{at} : tensor<2000x64xf32>
  %p{at} = graph.matmul %{at}, %w{at}{flags} : (tensor<{shape}xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  graph.assign @p{at}, %p{at} : tensor<1x64xf32>
"""
    return lines


@pytest.mark.parametrize(
    "order", [("column", "row"), ("row", "column")], ids=["column-first", "row-first"]
)
def test_products(box, order):
    """On one task, on two, in either order; another entry, alone."""
    text = ""
    for name, shape in ("column", "2000x1"), ("row", "1x2000"):
        text += f"""\
graph.variable @{name} : tensor<{shape}xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1> {{trainable = false}}
graph.variable @w{name} : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 2> {{trainable = false}}
graph.variable @p{name} : tensor<1x64xf32> = #graph.zeros {{trainable = false}}
"""
    alone = "".join(line for line in products(order[1]).splitlines(True) if "assign" not in line)
    text += f"""\
graph.variable @global_step : tensor<i64> = #graph.zeros {{trainable = false}}
graph.func @train_step() attributes {{role = #graph.role<train>}} {{
{products(*order)}  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}}
graph.func @predict() -> (tensor<1x64xf32> {{graph.name = "y"}}) attributes {{role = #graph.role<predict>}} {{
{alone}  graph.return %p{order[1]} : tensor<1x64xf32>
}}
"""
    box.write("model.mlir", text)
    box.graphc("model.mlir", "-o", "one.plan")
    rules = [{"name": name, "device": "/job:worker/task:1"} for name in ("row", "wrow", "prow")]
    two = box.compile(
        "two", {"worker": 2, "strategy": "in_graph", "placement": rules}, "model.mlir"
    )
    same(box.weights("one.plan", "--steps", 1), box.weights(two, "--steps", 1))
    box.graphrun("one.plan", "--entry", "predict")


def test_threads(box):
    """Any number of them, with the bits of one: the plan's own is what counts where the run names
    none."""
    box.graphc("--intra_op_threads=2", HERE.parent / "bench/models/mlp.mlir", "-o", "mlp.plan")
    two = box.weights("mlp.plan", "--steps", 5)
    for threads in 1, 3, 4:
        same(two, box.weights("mlp.plan", "--steps", 5, "--intra_op_threads", threads))
