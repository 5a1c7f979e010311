"""Writes the loss functions of torch_networks.py here, torch-NAME.mlir, and what PyTorch computes
with them, torch-expected.json.   make_torch.py

With PyTorch, torchax and JAX: pip install torch==2.12.1 'torchax[cpu]==0.0.13' jax==0.10.2
safetensors. The files are written by the part of examples/from-pytorch/export.py that is for any
network. test/run/test_pytorch.py reads them; nothing else needs this program.
"""

import json
import os
import pathlib
import re
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
import torch
from torch_networks import CASES, inputs
from values import TORCH_BATCH, TORCH_STEPS, start

HERE = pathlib.Path(__file__).parent
EXPORT = HERE.parents[2] / "examples/from-pytorch/export.py"


def initialized(network):
    """The network with the values of values.py, which the test begins with too."""
    net = network()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(torch.from_numpy(start(name, parameter.shape)))
    return net


def export(name, net, function):
    """Runs export.py with this network, loss and batch in the place of its own."""

    def loss(*arguments):
        return function(*arguments)

    text = EXPORT.read_text()
    imports = text[text.index("import pathlib") : text.index("BATCH = ")]
    general = text[text.index("# What is below") : text.index("images, labels = ")]
    program = {"net": net}
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(imports + general, program)
        program["write"](loss, *inputs(name, 0, TORCH_BATCH))
        written = pathlib.Path("loss.mlir").read_text()
        os.chdir(before)
    (HERE / f"torch-{name}.mlir").write_text(shortened(written))


def shortened(text):
    """Without places in Python, but for the names of arguments, which are those of variables."""
    text = re.sub(r' loc\((#loc\d*|"[^"]*"\(#loc\d*\))\)', "", text)
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#loc"))


def train(name, net, loss, optimizer):
    """The losses of each step, and the gradients of the first."""
    steps, losses, gradients = optimizer(net.parameters()), [], {}
    for step in range(TORCH_STEPS):
        steps.zero_grad()
        value = loss(net, *inputs(name, step, TORCH_BATCH))
        value.backward()
        if step == 0:
            gradients = {
                f"params.{key}": {
                    "shape": list(parameter.shape),
                    "values": [float(f"{x:.8g}") for x in parameter.grad.flatten().tolist()],
                }
                for key, parameter in net.named_parameters()
            }
        steps.step()
        losses.append(value.item())
    return {"losses": losses, "gradients": gradients}


def main():
    expected = {}
    for name, (network, loss, optimizer, same) in CASES.items():  # before export.py changes F
        expected[name] = {
            "optimizer": same,
            **train(name, initialized(network), loss, optimizer),
        }
    for name, (network, loss, _, _) in CASES.items():
        export(name, initialized(network), loss)
    (HERE / "torch-expected.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
