"""What NVIDIA's assembler makes of the code for GPUs, where it is installed, and which machine code
a GPU is given."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from box import HERE, LONG, MLP, ROOT, same

LINEAR = ROOT / "examples/linear-regression/model.mlir"
GPU = {"worker": 1, "devices": {"worker": ["GPU:0"]}, "strategy": "one_device"}


@pytest.fixture
def gpu(box):
    box.withFakeCuda()
    return box


def ptxas():
    """NVIDIA's, of this machine."""
    return (
        shutil.which("ptxas")
        or shutil.which("ptxas", path="/usr/local/cuda/bin")
        or pytest.skip("no ptxas on this machine")
    )


@pytest.fixture(params=["a stand-in", "NVIDIA's"])
def toolkit(request, gpu):
    """A CUDA_HOME with a ptxas."""
    if request.param == "a stand-in":
        (gpu / "toolkit/bin").mkdir(parents=True)
        shutil.copy(ROOT / "test/tools/graphc/Inputs/ptxas.sh", gpu / "toolkit/bin/ptxas")
        return gpu / "toolkit"
    return Path(ptxas()).parent.parent


def test_machine_code(gpu, toolkit):
    """The GPU's own machine code is tried first; where the driver refuses it, as this one refuses
    all, PTX has the same bits. A GPU of another architecture is not given any."""
    plain = gpu.compile("plain", GPU, LINEAR)
    gpu.graphc(
        "--partition", "plain.json", LINEAR, "-o", "machine.plan", env={"CUDA_HOME": toolkit}
    )
    gpu.last.err.expect("PTX of sm_80, machine code of sm_80, sm_90 and sm_100, ")
    expected = gpu.weights(plain, "--steps", 5)
    assert "machine code" not in gpu.last.err.text()
    for arch in "sm_80", "sm_90", "sm_100":
        same(expected, gpu.weights("machine.plan", "--steps", 5, env={"GRAPHC_FAKE_ARCH": arch}))
        gpu.last.err.expect(
            f"^simulated GPU: given machine code for {arch}, its own, but it runs PTX alone$"
        )
    same(expected, gpu.weights("machine.plan", "--steps", 5, env={"GRAPHC_FAKE_ARCH": "sm_120"}))
    assert "machine code" not in gpu.last.err.text()


def valuesModel(element):
    """Every op's cases of an element type, special values among them (test/run/values)."""
    sys.path[:0] = [str(HERE / "values"), str(ROOT / "test/cuda")]
    try:
        import check
        import models
    finally:
        del sys.path[:2]
    if element == "sums":
        return models.sums(1024, 96)
    cases = (
        {"f": check.floatCases, "i": check.integerCases}[element[0]]
        if element != "i1"
        else check.truthCases
    )
    return check.model(list(cases(element)), False)


@pytest.mark.parametrize(
    "what", ["mlp", "sums", "f32", *(["f64", "i32", "i64", "i1"] if LONG else [])]
)
def test_ptxas(box, what):
    """NVIDIA's own assembler, where it is, takes the code for the oldest and the newest
    architecture (with --long for each): of a training, of long sums over rows, columns and all, of
    every op. It keeps all in registers, but for some bytes in few kernels: f64's that divide, those
    of large windows."""
    assembler = ptxas()
    if what != "mlp":
        box.write("model.mlir", valuesModel(what))
    box.compile("kept", GPU, MLP if what == "mlp" else "model.mlir", ("--keep_code", "kept"))
    for arch in ("sm_80", "sm_90", "sm_100") if LONG else ("sm_80", "sm_100"):
        done = subprocess.run(
            [assembler, f"-arch={arch}", "-v", "kernels.ptx", "-o", f"{arch}.cubin"],
            cwd=box / "kept",
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        spilled = {
            name: int(number)
            for name, number in re.findall(
                r"entry function '(\w+)'.*?(\d+) bytes spill stores", done.stderr, re.S
            )
        }
        assert (
            len(spilled)
            == len(re.findall(r"^\.visible \.entry", (box / "kept/kernels.ptx").read_text(), re.M))
            > 0
        )
        most = {name: number for name, number in spilled.items() if number}
        assert len(most) <= (0 if what == "mlp" else 16) and all(
            number <= 128 for number in most.values()
        ), most
