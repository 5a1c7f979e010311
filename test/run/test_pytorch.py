"""Networks that torchax has written as StableHLO by way of examples/from-pytorch/export.py
(test/run/stablehlo/make_torch.py), trained by graphrun, against what PyTorch makes of them."""

import json
import sys

import pytest
from box import BUILD, ROOT, same

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt, which has numpy
sys.path.append(str(ROOT / "test/run/stablehlo"))

WRITTEN = ROOT / "test/run/stablehlo"
EXPECTED = json.loads((WRITTEN / "torch-expected.json").read_text())
NAMES = sorted(EXPECTED)
ELEMENTS = {"float32": "f32", "int32": "i32", "bool": "i1"}
MODEL = """
graph.dataset @train : ({samples}) = #graph.npy<files = [{files}]>
graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) attributes {{role = #graph.role<train>}} {{
  {values} = graph.next_batch @train {{batch = {batch}}} : {batches}
  %loss = graph.call @loss({values}) : ({batches}) -> tensor<f32>
  graph.minimize %loss {{optimizer = {optimizer}}} : tensor<f32>
  graph.return %loss : tensor<f32>
}}
"""


@pytest.fixture
def numpy():
    return pytest.importorskip(
        "numpy", reason="no numpy (test/run.sh installs it into build/python)"
    )


def typed(array, first):
    """The type of one sample, or of a batch."""
    sizes = [str(size) for size in first + array.shape[1:]]
    return f"tensor<{'x'.join([*sizes, ELEMENTS[array.dtype.name]])}>"


def started(name):
    from values import start

    return {
        variable: start(variable.removeprefix("params."), known["shape"])
        for variable, known in EXPECTED[name]["gradients"].items()
    }


def prepare(box, numpy, name, optimizer=None):
    """The data, params.npz and model.mlir."""
    from values import TORCH_BATCH, torch_data

    arrays = torch_data(name)
    for key, array in arrays.items():
        numpy.save(box / f"{key}.npy", array)
    numpy.savez(box / "params.npz", **started(name))
    box.write(
        "model.mlir",
        MODEL.format(
            samples=", ".join(typed(array, ()) for array in arrays.values()),
            files=", ".join(f'"{key}.npy"' for key in arrays),
            values=", ".join(f"%{key}" for key in arrays),
            batches=", ".join(typed(array, (TORCH_BATCH,)) for array in arrays.values()),
            batch=TORCH_BATCH,
            optimizer=optimizer or EXPECTED[name]["optimizer"],
        ),
    )
    return WRITTEN / f"torch-{name}.mlir"


def runs(box, *flags):
    return "--init_from", "params.npz", "--data_dir", box.folder, *flags


@pytest.mark.parametrize("name", NAMES)
def test_losses(box, numpy, name):
    """Of four steps, by PyTorch's optimizer. A sequence of `padded` and some queries of
    `attentions` have padding alone."""
    box.graphc("model.mlir", prepare(box, numpy, name), "-o", "model.plan")
    run = box.graphrun(
        "model.plan", *runs(box, "--steps", len(EXPECTED[name]["losses"]), "--fetch", "loss")
    )
    losses = [float(loss) for loss in run.out.matches(r"loss[^0-9-]*(-?[0-9][0-9.e+-]*)")]
    assert losses == pytest.approx(EXPECTED[name]["losses"], rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_gradients(box, numpy, name):
    """By what a step of SGD with a learning rate of 1 takes from each variable."""
    imported = prepare(box, numpy, name, "#graph.sgd<learning_rate = 1.0>")
    box.graphc("model.mlir", imported, "-o", "model.plan")
    box.graphrun("model.plan", *runs(box, "--steps", 1, "--dump_variables", "end"))
    for variable, first in started(name).items():
        found = first.astype(numpy.float64) - numpy.load(box / f"end/{variable}.npy")
        wanted = EXPECTED[name]["gradients"][variable]["values"]
        assert found.ravel() == pytest.approx(numpy.array(wanted), rel=1e-5, abs=1e-5), variable


@pytest.mark.parametrize(("name", "count"), [("padded", 1), ("attentions", 7)])
def test_attention_is_recognised(box, numpy, name, count):
    said = box.graphc(
        "model.mlir", prepare(box, numpy, name), "--emit=differentiated"
    ).out.text()
    found = said.count(" graph.attention ") + said.count(" graph.packed_attention ")
    assert (found, said.count(" graph.softmax ")) == (count, 0)


@pytest.mark.parametrize("name", ["padded", "tied", "tied-bert"])
def test_strategies(box, numpy, name):
    """Two workers have the bits of one device with two micro-batches."""
    imported = prepare(box, numpy, name)
    run = runs(box, "--steps", 2)
    one = {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}
    two = {"worker": 2, "strategy": "all_reduce"}
    same(
        *(
            box.weights(box.compile(plan, cluster, "model.mlir", [imported]), *run)
            for plan, cluster in (("one", one), ("two", two))
        )
    )
