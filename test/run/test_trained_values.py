"""The way back that docs/trained-values.md shows: from a run's variables into the network of
PyTorch or Flax.

Names, shapes and bytes are checked everywhere. Where the framework is installed the page's own
lines run too, and the network must predict what graphc does.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
from box import ROOT, servers
from formats import read, savedValues

EXAMPLE = ROOT / "examples/dropout"
EXPORT = "served/1/variables/step-10/variables.safetensors"
PAGE = (ROOT / "docs/trained-values.md").read_text()
SECTIONS = {"torch": "PyTorch", "linen": "Flax's linen", "nnx": "Flax's NNX"}
CLUSTERS = {
    "torch": servers(2, 2, placement="split", min_shard_bytes=64),
    "linen": {"worker": 2, "strategy": "all_reduce"},
    "nnx": {"worker": 1, "strategy": "one_device"},
}
# What the page calls net, or params, before its lines run, and what predicts after them.
BEFORE = {
    "torch": "import torch\nfrom export_torch import Net\nnet = Net().eval()",
    "linen": "import jax\nfrom export_linen import logits, net\n"
    "params = net.init(jax.random.PRNGKey(1), np.zeros((32, 8)), train=False)['params']",
    "nnx": "from flax import nnx\nfrom export_nnx import graphdef, params, rest\n"
    "from jax.tree_util import keystr, tree_map_with_path",
}
AFTER = {
    "torch": "found = net(torch.from_numpy(x)).detach()",
    "linen": "found = logits(params, x)",
    "nnx": "net.eval()\nfound = net(x)",
}


def argumentsOf(framework):
    """{variable: shape} of the leaves that the exported function takes."""
    text = (EXAMPLE / f"from-{framework}/logits.mlir").read_text()
    main = text[: text.index('sym_name = "main"')]
    types = re.search(r"function_type = \((.*?)\) ->", main[main.rindex("func.func") :])[1]
    shapes = re.findall(r"tensor<([\dx]*)f32>", types)
    names = re.findall(r'loc\("(params\[.*?)"', text)
    names = [re.sub(r"\['(.*?)'\]", r".\1", name) for name in dict.fromkeys(names)]
    sizes = [[int(n) for n in shape.split("x") if n] for shape in shapes]
    return dict(zip(names, sizes, strict=False))  # the inputs come after the leaves


def shapeOf(path):
    shape = re.search(rb"'shape': \(([\d, ]*)\)", path.read_bytes()[:128])[1]
    return [int(n) for n in shape.split(b",") if n.strip()]


def exported(path):
    """{variable: its bytes} of an export's safetensors file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    spans = {name: tensor["data_offsets"] for name, tensor in header.items()}
    return {name: data[start + begin : start + end] for name, (begin, end) in spans.items()}


def linesOf(section):
    lines = re.search(rf"^## {section}\n.*?^```python\n(.*?)^```", PAGE, re.S | re.M)[1]
    assert len(lines.splitlines()) == 3
    return lines


def run(box, framework):
    """trained/ and run1/step-10 of a short training; predictions of the evaluation."""
    text = (EXAMPLE / "train.mlir").read_text()
    head, evaluation = text.split("graph.func @eval_step() -> ()")
    evaluation, prediction = evaluation.split("graph.func @predict")
    results = '(tensor<32x8xf32> {graph.name = "x"}, tensor<32x4xf32> {graph.name = "logits"})'
    returned = "graph.return %x, %logits : tensor<32x8xf32>, tensor<32x4xf32>"
    body = evaluation.replace("graph.return", returned)
    box.write("model.mlir", f"{head}graph.func @eval_step() -> {results}{body}graph.func @predict{prediction}")
    functions = [EXAMPLE / f"from-{framework}/{name}.mlir" for name in ("loss", "logits")]
    plan = box.compile("model", CLUSTERS[framework], "model.mlir", functions)
    values = EXAMPLE / f"from-{framework}/params.npz"
    outputs = "--checkpoint_dir", "run1", "--export_dir", "served"
    box.graphrun(plan, "--steps", 10, "--init_from", values, *outputs)
    where = "--entry", "eval", "--checkpoint_dir", "run1/step-10"
    fetches = "--fetch=x=x.npy", "--fetch=logits=logits.npy"
    box.graphrun(plan, *where, *fetches, "--dump_variables", "trained")


@pytest.mark.parametrize("framework", SECTIONS)
def test_back(box, framework):
    """Under a strategy that has variables in parts, one that has copies, and one device."""
    run(box, framework)
    wanted = argumentsOf(framework)
    assert len(wanted) == 4
    saved = savedValues(box / "run1/step-10")
    for name, shape in wanted.items():
        path = box / f"trained/{name}.npy"
        assert shapeOf(path) == shape, name
        assert read(path)[1].tobytes() == saved[name], name
    assert exported(box / EXPORT) == {name: saved[name] for name in wanted}
    if importlib.util.find_spec("torch" if framework == "torch" else "flax"):
        predictsTheSame(box, framework, linesOf(SECTIONS[framework]))
        if framework == "torch":
            predictsTheSame(box, framework, linesOf("From an export").replace("step-40", "step-10"))


def predictsTheSame(box, framework, lines):
    """The page's lines, then the network's predictions beside those of graphc."""
    script = [
        "import numpy as np",
        "from pathlib import Path",
        BEFORE[framework],
        lines,
        "x, wanted = (np.load(name)[:32] for name in ('x.npy', 'logits.npy'))",
        AFTER[framework],
        "assert np.allclose(found, wanted, rtol=1e-4, atol=1e-5), (found, wanted)",
    ]
    box.write("back.py", "\n".join(script))
    paths = os.pathsep.join([str(EXAMPLE), *sys.path])
    settings = {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    box.run(sys.executable, "back.py", env={"PYTHONPATH": paths, **settings})
