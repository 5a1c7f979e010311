"""Functions that JAX has written as StableHLO (test/run/stablehlo), trained by graphrun, against
what JAX makes of them."""

import json
import sys

import pytest
from box import BUILD, ROOT, same, servers

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt, which has numpy
sys.path.append(str(ROOT / "test/run/stablehlo"))

WRITTEN = ROOT / "test/run/stablehlo"
EXPECTED = json.loads((WRITTEN / "expected.json").read_text())
NAMES = sorted(EXPECTED)
MODEL = """
graph.dataset @train : ({sample}, {label}) = #graph.npy<files = ["x.npy", "y.npy"]>
graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) attributes {{role = #graph.role<train>}} {{
  %x, %y = graph.next_batch @train {{batch = 8}} : {samples}, {labels}
  %loss = graph.call @loss(%x, %y) : ({samples}, {labels}) -> tensor<f32>
  graph.minimize %loss {{optimizer = #graph.sgd<learning_rate = {rate}>}} : tensor<f32>
  graph.return %loss : tensor<f32>
}}
"""
STEPS, RATE = 3, 0.05  # make.py's


@pytest.fixture
def numpy():
    return pytest.importorskip(
        "numpy", reason="no numpy (test/run.sh installs it into build/python)"
    )


def typed(array, rank):
    shape = [str(size) for size in array.shape[array.ndim - rank :]]
    return f"tensor<{'x'.join([*shape, {'f': 'f32', 'i': 'i32'}[array.dtype.kind]])}>"


def imported(name):
    """The file, and which trees of it are variables."""
    trees = sorted({variable.split(".")[0] for variable in EXPECTED[name]["variables"]})
    return WRITTEN / f"{name}.mlir", f"--import_variables={','.join(trees)}"


def prepare(box, numpy, name):
    """x.npy, y.npy, params.npz and model.mlir."""
    from values import data, start

    x, y = data(name)
    numpy.save(box / "x.npy", x)
    numpy.save(box / "y.npy", y)
    named = {
        variable: start(variable.split(".", 1)[1], known["shape"])
        for variable, known in EXPECTED[name]["variables"].items()
    }
    numpy.savez(box / "params.npz", **named)
    box.write(
        "model.mlir",
        MODEL.format(
            sample=typed(x, x.ndim - 1),
            label=typed(y, y.ndim - 1),
            samples=typed(x, x.ndim),
            labels=typed(y, y.ndim),
            rate=RATE,
        ),
    )


def trains(box, numpy, name, *flags):
    """Losses of each step and the variables behind the last are JAX's, within the rounding of
    f32."""
    box.graphc("model.mlir", *flags, "-o", "model.plan")
    run = box.graphrun(
        "model.plan",
        "--steps",
        STEPS,
        "--init_from",
        "params.npz",
        "--data_dir",
        box.folder,
        "--fetch",
        "loss",
        "--dump_variables",
        "end",
    )
    losses = [float(loss) for loss in run.out.matches(r"loss[^0-9-]*([0-9][0-9.e+-]*)")]
    assert losses == pytest.approx(EXPECTED[name]["losses"], rel=2e-5)
    for variable, known in EXPECTED[name]["variables"].items():
        found = numpy.load(box / f"end/{variable}.npy").astype(numpy.float64).ravel()
        wanted = [known["first"], known["last"], known["norm"]]
        assert [found[0], found[-1], numpy.linalg.norm(found)] == pytest.approx(
            wanted, rel=2e-5, abs=2e-6
        ), variable


@pytest.mark.parametrize("name", NAMES)
def test_as_jax(box, numpy, name):
    """BatchNorm's running averages among the variables."""
    prepare(box, numpy, name)
    trains(box, numpy, name, *imported(name))


def test_attention_is_recognised(box, numpy):
    """Each form of it that make.py has, and the softmax that is none."""
    prepare(box, numpy, "attentions")
    said = box.graphc("model.mlir", *imported("attentions"), "--emit=differentiated").out.text()
    assert (
        said.count(" graph.attention "),
        said.count("{causal"),
        said.count(" graph.softmax "),
    ) == (14, 10, 3), said.count(" graph.attention ")


def test_step_of_jax(box, numpy):
    """A step that JAX has differentiated gives its parameters back, which are assigned."""
    prepare(box, numpy, "mlp")
    text = (box / "model.mlir").read_text().replace("@loss(", "@step(")
    box.write(
        "model.mlir",
        "".join(line for line in text.splitlines(keepends=True) if "minimize" not in line),
    )
    trains(box, numpy, "mlp", WRITTEN / "mlp-step.mlir", "--import_variables=,params")


@pytest.mark.parametrize("name", NAMES)
def test_strategies(box, numpy, name, transport):
    """Two workers, with parameter servers and without, have the bits of one device with two
    micro-batches."""
    prepare(box, numpy, name)
    run = "--steps", STEPS, "--init_from", "params.npz", "--data_dir", box.folder
    flags = imported(name)
    one = box.weights(
        box.compile(
            "one",
            {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}},
            "model.mlir",
            flags,
        ),
        *run,
    )
    for strategy, cluster in (
        ("ring", {"worker": 2, "strategy": "all_reduce"}),
        ("servers", servers(2, 2, placement="split", min_shard_bytes=256)),
    ):
        same(
            one,
            box.weights(
                box.compile(strategy, cluster, "model.mlir", flags),
                *run,
                f"--transport={transport}",
            ),
        )
