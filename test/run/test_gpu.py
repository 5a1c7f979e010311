"""GPUs by the driver of test/cuda, which runs PTX on the CPU. test_strategies.test_gpu has the strategies, test_random_graphs.test_gpu every op."""
import json
import re
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


def test_too_large(gpu):
    """What a GPU has no room for is refused before anything is allocated, in one line; and by graphc, where cluster.json says its size."""
    large = gpu.mlp(1 << 24)
    gpu.graphrun(gpu.compile("large", GPU, large), "--steps", 1, status=1)
    gpu.last.err.expect("^graphrun: /job:worker/task:0 needs [0-9.]+ GiB of the memory of GPU:0 \\(variables [0-9.]+ GiB, arenas [0-9.]+ [GM]iB, constants .*\\), "
                        "which has 1.00 GiB free of 1.00 GiB; compile the plan with a smaller batch")
    gpu.write("sized.json", {**GPU, "budget": {"memory": {"GPU:0": "1 GiB"}}})
    gpu.graphc("--partition", "sized.json", large, "-o", "no.plan", status=1)
    gpu.last.err.expect("error: /job:worker/task:0/device:GPU:0 needs .* the budget for /device:GPU:0 is 1.00 GiB .*; a smaller batch")
    gpu.last.err.expect("note: variable w1.* takes 1.25 GiB")


@pytest.mark.parametrize("cluster", [GPU, {"ps": 1, "worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"}], ids=["alone", "workers"])
def test_memory_and_copies(gpu, cluster):
    """What the table says of memory and of bytes between host and device is what the driver is asked for."""
    plan = gpu.compile("counted", cluster)
    header, *rows = [re.split(r" {2,}", re.sub(r" +\(×\d+\)", "", line).strip()) for line in gpu.show("counted", "table", cluster).lines()]
    table = next(dict(zip(header, row)) for row in rows if "device:GPU:0" in row[0])
    found = []
    for steps in 3, 8:
        gpu.graphrun(plan, "--steps", steps, env={"GRAPHC_FAKE_ACCOUNTS": str(gpu / f"accounts-{steps}")})
        found.append([json.loads(path.read_text()) for path in sorted(gpu.folder.glob(f"accounts-{steps}.*"))])
    assert len(found[0]) == len(found[1]) == cluster["worker"]
    for few, many in zip(*found):
        assert few["memory"] == many["memory"] == int(table["memory"])
        assert few["pinned"] == many["pinned"] == int(table["pinned"])
        for way in "to_device", "from_device":
            assert many[way] - few[way] == 5 * int(table[way.replace("_", " ")]) > 0, way


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
