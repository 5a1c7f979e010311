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


def accounts(gpu, plan, steps):
    """What the tasks of a run that have a GPU asked of the driver."""
    gpu.graphrun(plan, "--steps", steps, env={"GRAPHC_FAKE_ACCOUNTS": str(gpu / f"accounts-{steps}")})
    return [json.loads(path.read_text()) for path in sorted(gpu.folder.glob(f"accounts-{steps}.*"))]


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
    found = [accounts(gpu, plan, steps) for steps in (3, 8)]
    assert len(found[0]) == len(found[1]) == cluster["worker"]
    for few, many in zip(*found):
        assert few["memory"] == many["memory"] == int(table["memory"])
        assert few["pinned"] == many["pinned"] == int(table["pinned"])
        for way in "to_device", "from_device":
            assert many[way] - few[way] == 5 * int(table[way.replace("_", " ")]) > 0, way


@pytest.mark.parametrize("microBatches", [1, 4])
def test_one_launch(gpu, microBatches):
    """On one device each step is one call of the driver that gives work, and one that marks its end; the compiler has said so."""
    plan = gpu.compile(f"one{microBatches}", {**GPU, "strategy": {"name": "one_device", "micro_batches": microBatches}})
    assert "launches a step of train_step.worker0 on GPU:0: 1\n" in plan.err.text()
    [few], [many] = accounts(gpu, plan, 3), accounts(gpu, plan, 10)
    more = {name: count - few["calls"][name] for name, count in many["calls"].items() if count != few["calls"][name] and name not in ("cuEventQuery", "cuEventSynchronize")}
    assert more == {"cuGraphLaunch": 7, "cuEventRecord": 7}
    assert many["calls"]["cuDevicePrimaryCtxRetain"] == 1


def test_parted(gpu):
    """Where a step is several segments the table says what stands between them, and each is a launch."""
    plan = gpu.compile("parted", {"ps": 1, "worker": 1, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"})
    line = re.search("launches a step of train_step.worker\\S* on GPU:0: (\\d+), parted by (.*)", plan.err.text())
    assert line and int(line[1]) > 1 and "receive" in line[2] and "mlp.mlir:" in line[2]
    [few], [many] = accounts(gpu, plan, 3), accounts(gpu, plan, 10)
    assert many["calls"]["cuGraphLaunch"] - few["calls"]["cuGraphLaunch"] == 7 * int(line[1])


def test_failed_step(gpu):
    """An error of the GPU names the segment, its first and last kernel, and where these stand in the model."""
    plan = gpu.compile("fails", GPU)
    gpu.environment["GRAPHC_FAKE_FAILS"] = "apply_momentum"
    gpu.graphrun(plan, "--steps", 5, status=1)
    gpu.last.err.expect("train_step.worker0: GPU:0 at step 0, in segment 1 of 1, kernels \\S+ \\(mlp.mlir:\\d+:\\d+\\) to \\S+ "
                        "\\(mlp.mlir:\\d+:\\d+\\): GPU:0: cuEventQuery: CUDA_ERROR_LAUNCH_FAILED")


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
