"""GPUs by the driver of test/cuda, which runs PTX on the CPU. test_strategies.test_gpu has the strategies, test_random_graphs.test_gpu every op."""
import shutil
import subprocess

import pytest
from box import MLP, ROOT, same

LINEAR = ROOT / "examples/linear-regression/model.mlir"  # its products are compiled on a CPU too, so both have the same bits
GPU = {"worker": 1, "devices": {"worker": ["GPU:0"]}, "strategy": "one_device"}


@pytest.fixture
def gpu(box):
    box.withFakeCuda()
    return box


def test_no_driver(box):
    """One line that says what is missing and what to do."""
    plan = box.compile("gpu", GPU)
    box.environment["LD_LIBRARY_PATH"] = ""
    box.graphrun(plan, "--steps", 1, status=1)
    box.last.err.expect("^graphrun: the plan has work for the device GPU:0: no CUDA driver \\(libcuda.so.1\\) on this machine; .* --soft-placement")


def test_no_such_gpu(gpu):
    plan = gpu.compile("second", {**GPU, "devices": {"worker": ["GPU:0", "GPU:1"]}, "strategy": "mirrored"})
    gpu.graphrun(plan, "--steps", 1, status=1)
    gpu.last.err.expect("the device GPU:1: this machine has 1 GPU")


def test_checkpoints_move(gpu):
    """A training that begins on a GPU goes on on a CPU, and back."""
    cpu, gpuPlan = gpu.compile("cpu", {"worker": 1}, LINEAR), gpu.compile("gpu", GPU, LINEAR)
    gpu.graphrun(gpuPlan, "--steps", 4, "--checkpoint_dir", "moved")
    gpu.graphrun(cpu, "--steps", 8, "--checkpoint_dir", "moved")
    same(gpu.weights(cpu, "--steps", 12), gpu.weights(gpuPlan, "--steps", 12, "--checkpoint_dir", "moved"))


def test_killed(gpu):
    """A worker with a GPU is lost like any other."""
    plan = gpu.compile("lost", {"ps": 1, "worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"})
    gpu.dies(plan, "worker-1", folder="kept")


def test_ptxas(box):
    """NVIDIA's own assembler, where it is, takes the code for every architecture."""
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        pytest.skip("no ptxas on this machine")
    box.compile("kept", GPU, MLP, ("--keep-code", "kept"))
    for arch in "sm_80", "sm_90", "sm_100":
        done = subprocess.run([ptxas, f"-arch={arch}", "-v", "kernels.ptx", "-o", f"{arch}.cubin"], cwd=box / "kept", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "spill" in done.stderr and all(" 0 bytes spill stores" in line for line in done.stderr.splitlines() if "spill" in line), done.stderr
