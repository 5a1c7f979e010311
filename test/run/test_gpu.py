"""GPUs by the driver of test/cuda, which runs PTX on the CPU. test_strategies.test_gpu has the
strategies, test_random_graphs.test_gpu every op."""

import ctypes
import json
import re
import shutil

import pytest
from box import HERE, LONG, MLP, MODELS, ROOT, differences, same
from formats import updates

# Its products are compiled on a CPU too, so both have the same bits.
LINEAR = ROOT / "examples/linear-regression/model.mlir"
PRODUCTS = MODELS / "products.mlir"  # cuBLASLt's; the strategies' test has them under each
GPU = {"worker": 1, "devices": {"worker": ["GPU:0"]}, "strategy": "one_device"}


@pytest.fixture
def gpu(box):
    box.withFakeCuda()
    return box


@pytest.fixture
def noDriver(box):
    box.environment["LD_LIBRARY_PATH"] = ""
    try:
        ctypes.CDLL("libcuda.so.1")
        pytest.skip("this machine has a CUDA driver")
    except OSError:
        return box


NO_DRIVER = "no CUDA driver \\(libcuda.so.1\\) on this machine; .* graphc --soft_placement"


def test_no_driver(noDriver):
    """One line that says what is missing and what to do."""
    plan = noDriver.compile("gpu", GPU)
    noDriver.refused(
        f"^graphrun: the plan has work for the device GPU:0: {NO_DRIVER}",
        plan,
        "--steps",
        1,
        status=1,
    )
    one = noDriver.compile("one", {"ps": 1, "worker": 1, "devices": {"worker": ["CPU:0", "GPU:0"]}})
    noDriver.graphrun(one, "--steps", 1, status=1)
    noDriver.last.err.expect(
        f"^graphrun: /job:worker/task:0 .*: the plan has work for the device GPU:0: {NO_DRIVER}"
    )
    noDriver.graphrun("check", one, status=1).out.expect(
        f"^wrong +/job:worker/task:0.*the device GPU:0: {NO_DRIVER}"
    )


def test_example_without_a_driver(noDriver):
    """The example's cluster with GPUs: one line where there are none; with --soft_placement it is
    the cluster without them, bit for bit."""
    model = ROOT / "examples/fashion-mnist/model.mlir"
    cluster = ROOT / "examples/fashion-mnist/cluster-gpu.json"
    noDriver.graphc("--partition", cluster, model, "-o", "gpu.plan")
    noDriver.refused(
        f"^graphrun: the plan has work for GPUs of worker:0 and 1 other task: {NO_DRIVER}",
        "gpu.plan",
        "--steps",
        1,
        status=1,
    )
    noDriver.graphc("--soft_placement", "--partition", cluster, model, "-o", "soft.plan")
    noDriver.last.err.expect(
        'cluster-gpu.json:4:5: warning: soft placement: job "worker" has CPU:0 instead of the GPUs that it names: no CUDA driver'
    )
    noDriver.graphc("--partition", cluster.with_name("cluster-sync.json"), model, "-o", "sync.plan")
    assert (noDriver / "soft.plan").read_bytes() == (noDriver / "sync.plan").read_bytes()
    same(noDriver.weights("soft.plan", "--steps", 3), noDriver.weights("sync.plan", "--steps", 3))


def test_soft_placement_finds_gpus(gpu):
    """Where the machine has what cluster.json names, nothing changes."""
    hard, soft = (
        gpu.compile("hard", GPU, LINEAR),
        gpu.compile("soft", GPU, LINEAR, ("--soft_placement",)),
    )
    assert (gpu / hard).read_bytes() == (
        gpu / soft
    ).read_bytes() and "soft placement" not in soft.err.text()
    gpu.withFakeCuda(0)
    none = gpu.compile("none", GPU, LINEAR, ("--soft_placement", "--num_gpus=1"))
    none.err.expect("warning: soft placement: .*: the CUDA driver finds no GPU that it can use")
    gpu.refused(
        "the CUDA driver finds no GPU that it can use: cuInit: .* graphc --soft_placement",
        hard,
        "--steps",
        1,
        status=1,
    )


def test_num_gpus(gpu):
    """The flag alone gives each task that computes its GPUs."""
    gpu.withFakeCuda(2)
    gpu.graphc("--num_gpus=1", LINEAR, "-o", "one.plan")
    gpu.last.err.expect("^ /job:worker/task:0/device:GPU:0 ")
    strategy = '{"name": "mirrored", "devices": ["/gpu:0", "/gpu:1"]}'
    gpu.graphc("--num_gpus", 2, "--strategy", strategy, LINEAR, "-o", "two.plan")
    gpu.last.err.expect("device:GPU:0 ", "device:GPU:1 ", "2 towers")
    gpu.graphc("--strategy", '{"name": "one_device", "micro_batches": 2}', LINEAR, "-o", "cpu.plan")
    same(gpu.weights("two.plan", "--steps", 5), gpu.weights("cpu.plan", "--steps", 5))
    none = gpu.compile("none", GPU, LINEAR, ("--num_gpus=0",))
    none.err.expect("^ /job:worker/task:0/device:CPU:0 ")


PREDICT = """
graph.func @predict() -> (tensor<2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %x = graph.constant dense<[-1.0, 1.0]> : tensor<2xf32>
  %e = graph.exponential %x : tensor<2xf32>
  %y = graph.multiply %e, %e {graph.device = #graph.device<"/cpu:0">} : tensor<2xf32>
  graph.return %y : tensor<2xf32>
}
"""
PS = {
    "ps": 1,
    "worker": 2,
    "devices": {"worker": ["CPU:0", "GPU:0"]},
    "strategy": "parameter_server",
}


def gpusOf(box, plan, **environment):
    """The GPU of this machine that each task of a run takes as GPU:0, as its log says, and what the
    launcher says."""
    box.graphrun(
        plan,
        "--steps",
        1,
        "--log_file",
        "log.json",
        env={"GRAPHC_FAKE_NUMBERED": "1", **environment},
    )
    lines = [json.loads(line) for line in (box / "log.json").read_text().splitlines()]
    (box / "log.json").unlink()
    found = [
        (line["task"], *match.groups())
        for line in lines
        if (
            match := re.match(
                r"GPU:0 is GPU (\d) of this machine: simulated GPU (\d), 1024 MiB",
                line.get("message", ""),
            )
        )
    ]
    return sorted(found), box.last.err


def test_gpus_are_shared_out(gpu):
    """Each task of a launcher has its own where there are enough; CUDA_VISIBLE_DEVICES says which
    there are."""
    plan = gpu.compile("ps", PS, LINEAR)
    own, said = gpusOf(gpu, plan, GRAPHC_FAKE_GPUS="2")
    assert own == [("worker:0", "0", "0"), ("worker:1", "1", "1")]
    said.expect("^graphrun: each task has GPUs of its own: worker:0 has 0, worker:1 has 1$")
    visible, _ = gpusOf(gpu, plan, GRAPHC_FAKE_GPUS="4", CUDA_VISIBLE_DEVICES="3,1")
    assert visible == [("worker:0", "0", "3"), ("worker:1", "1", "1")]
    shared, said = gpusOf(gpu, plan, GRAPHC_FAKE_GPUS="4", CUDA_VISIBLE_DEVICES="2")
    assert shared == [("worker:0", "0", "2"), ("worker:1", "0", "2")]
    said.expect("^graphrun: the tasks share this machine's GPU: worker:0 has 0, worker:1 has 0$")


def reference(box, model, kinds, replicas, steps=6):
    """One task with a CPU and a GPU: each operation that a pattern names on that kind, all others
    on the GPU."""
    config = {
        "worker": 1,
        "devices": {"worker": ["CPU:0", "GPU:0"]},
        "strategy": {"name": "in_graph", "micro_batches": replicas},
        "placement": [{"name": name, "device": device} for name, device in kinds.items()],
    }
    return box.weights(box.compile(f"reference-{replicas}", config, model), "--steps", steps)


SHARED = """\
graph.variable @a : tensor<1024xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1> {trainable = false}
graph.variable @x : tensor<1024xf32> = #graph.zeros {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.func @train_step() attributes {role = #graph.role<train>} {
  %a = graph.read @a : tensor<1024xf32>
  %x = graph.multiply %a, %a {graph.device = #graph.device<"/cpu:0">} : tensor<1024xf32>
  %y = graph.multiply %x, %a {graph.device = #graph.device<"/gpu:0">} : tensor<1024xf32>
  graph.assign @x, %y : tensor<1024xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
"""


def test_a_kernel_of_both_kinds(gpu):
    """What a CPU and a GPU of a task compute alike is a kernel of each."""
    gpu.write("shared.mlir", SHARED)
    one = gpu.weights(gpu.compile("cpu", {"worker": 1}, "shared.mlir"), "--steps", 1)
    both = gpu.compile(
        "both",
        {"worker": 1, "devices": {"worker": ["CPU:0", "GPU:0"]}, "strategy": "in_graph"},
        "shared.mlir",
    )
    same(one, gpu.weights(both, "--steps", 1))


def test_mixed(gpu):
    """Servers on CPUs, workers on GPUs: the bits of one task with both, each operation on the same
    kind, and of one GPU, since what servers compute has the same bits everywhere. The plan says
    so."""
    gpu.withFakeCuda(2)
    expected = reference(gpu, MLP, {"w*": "/cpu:0", "b*": "/cpu:0"}, 2)
    one = gpu.compile("one-gpu", {**GPU, "strategy": {"name": "one_device", "micro_batches": 2}})
    same(expected, gpu.weights(one, "--steps", 6))
    same(expected, gpu.weights(gpu.compile("ps", PS), "--steps", 6))
    said = 'reproduced_by: "one_device on GPU:0 with micro_batches: 2, sum_leaves: 2"'
    gpu.show("ps", "plan-text", PS).expect(said)
    both = {"worker": 2, "devices": {"worker": ["CPU:0", "GPU:0"]}, "strategy": "mirrored"}
    same(expected, gpu.weights(gpu.compile("towers", both), "--steps", 6))
    same(
        expected,
        gpu.weights(gpu.compile("replicas", {**both, "strategy": "all_reduce"}), "--steps", 6),
    )


@pytest.mark.parametrize("microBatches, leaves", [(6, 2), (8, 8), (16, 4)])
def test_micro_batches(gpu, microBatches, leaves):
    """A loop on a GPU has the bits of one on a CPU, or of copies there, and of several GPUs that
    share it."""
    gpu.withFakeCuda(2)
    settings = {"micro_batches": microBatches, "sum_leaves": leaves}
    clusters = [
        GPU,
        *(
            {**PS, "devices": {"worker": ["GPU:0"]}, "strategy": name}
            for name in ("parameter_server", "all_reduce", "mirrored")
        ),
    ]
    for model in MODELS / "squares.mlir", MLP:
        expected = (
            None
            if model == MLP
            else gpu.weights(
                gpu.compile(
                    "cpu", {"worker": 1, "strategy": {"name": "one_device", **settings}}, model
                ),
                "--steps",
                6,
            )
        )
        for cluster in clusters:
            strategy = cluster.get("strategy", "one_device")
            jobs = {
                job: count
                for job, count in cluster.items()
                if job != "ps" or strategy == "parameter_server"
            }
            weights = gpu.weights(
                gpu.compile("gpu", {**jobs, "strategy": {"name": strategy, **settings}}, model),
                "--steps",
                6,
            )
            expected = expected or weights
            same(expected, weights)
        gpu.show(
            "gpu", "plan-text", {**GPU, "strategy": {"name": "one_device", **settings}}, model
        ).expect("^    repeat {")


def test_products_on_both(gpu):
    """A product of the CPU's library stays the CPU's: the reference has both kinds."""
    gpu.withFakeCuda(2)
    model = gpu.write(
        "named.mlir",
        MLP.read_text().replace(
            "tensor<20x64xf32>) -> tensor<8x64xf32>",
            'tensor<20x64xf32>) -> tensor<8x64xf32> loc("first")',
        ),
    )
    rules = {"first": "/cpu:0"}
    apart = {
        "worker": 2,
        "devices": {"worker": ["CPU:0", "GPU:0"]},
        "strategy": {"name": "in_graph", "micro_batches": 2},
        "placement": [
            {"name": "first", "device": "/job:worker/task:1/cpu:0"},
            {"name": "w2", "device": "/job:worker/task:1"},
        ],
    }
    weights = gpu.weights(gpu.compile("apart", apart, model), "--steps", 6)
    same(reference(gpu, model, rules, 2), weights)
    gpu.show("apart", "plan-text", apart, model).expect(
        'reproduced_by: "in_graph on a task with CPU:0 and GPU:0, each operation on the same kind, with micro_batches: 2, sum_leaves: 2"'
    )
    one = gpu.compile(
        "one-gpu", {**GPU, "strategy": {"name": "one_device", "micro_batches": 2}}, model
    )
    assert differences(gpu.weights(one, "--steps", 6), weights)  # so it is not one device's


def test_asynchronous_servers(gpu):
    """On CPUs, with workers on GPUs: as many updates as were asked for; also with a bound, and with
    backup workers."""
    for name, settings in (
        ("async", {"update": "async"}),
        ("bound", {"update": "async", "max_staleness": 1}),
        ("backup", {"replicas_to_aggregate": 1}),
    ):
        cluster = {
            **PS,
            "devices": {job: ["CPU:0", "GPU:0"] for job in ("ps", "worker")},
            "strategy": {"name": "parameter_server", **settings},
        }
        plan = gpu.compile(name, cluster)
        plan.err.expect("^ /job:ps/task:0/device:CPU:0 ", "^ /job:worker/device:GPU:0 ")
        assert updates(gpu.weights(plan, "--steps", 12)) == 12


def test_evaluates(gpu):
    """Metrics of a mixed cluster are one GPU's, and so are predictions; checkpoints move to CPUs
    and back."""
    mixed, one, cpu = (
        gpu.compile("ps", PS),
        gpu.compile("gpu", GPU),
        gpu.compile("cpu", {"ps": 1, "worker": 2}),
    )
    gpu.graphrun(mixed, "--steps", 4, "--checkpoint_dir", "moved")
    accuracies = [
        gpu.graphrun(plan, "--entry", "eval", "--checkpoint_dir", "moved").out.text()
        for plan in (mixed, one, mixed)
    ]
    assert "accuracy" in accuracies[0] and accuracies[0] == accuracies[1] == accuracies[2]
    gpu.graphrun(cpu, "--steps", 8, "--checkpoint_dir", "moved")
    gpu.graphrun(mixed, "--steps", 12, "--checkpoint_dir", "moved").err.expect(
        "going on from moved/step-8"
    )
    model = gpu.write("predict.mlir", PREDICT)
    placed = gpu.compile(
        "placed",
        {"worker": 1, "devices": {"worker": ["CPU:0", "GPU:0"]}, "strategy": "in_graph"},
        model,
    )
    placed.err.expect("device:CPU:0 ", "device:GPU:0 ")
    predicted = [
        gpu.graphrun(plan, "--entry", "predict", "--fetch", "y").out.text()
        for plan in (placed, gpu.compile("plain", {"worker": 1}, model))
    ]
    assert predicted[0] == predicted[1] == "y [0.1353353 7.3890557]\n"


def test_no_such_gpu(gpu):
    plan = gpu.compile(
        "second", {**GPU, "devices": {"worker": ["GPU:0", "GPU:1"]}, "strategy": "mirrored"}
    )
    gpu.graphrun(plan, "--steps", 1, status=1)
    gpu.last.err.expect("the device GPU:1: this machine has 1 GPU")


def test_values(gpu):
    """What each op computes, edge cases included (test/run/values): conversions out of range,
    division by zero, minimum and maximum of zeros and NaN. Of f32, i32 and bf16; with --long of
    each element type."""
    some = [] if LONG else ["--only", r"^(f32|i32|bf16)\."]
    gpu.run("python3", HERE / "values/check.py", "--gpu", *some, seconds=600).out.expect(
        "^[0-9]+ cases, 0 failed$"
    )


def test_checkpoints_move(gpu):
    """A training that begins on a GPU goes on on a CPU, and back."""
    cpu, gpuPlan = gpu.compile("cpu", {"worker": 1}, LINEAR), gpu.compile("gpu", GPU, LINEAR)
    gpu.graphrun(gpuPlan, "--steps", 4, "--checkpoint_dir", "moved")
    gpu.graphrun(cpu, "--steps", 8, "--checkpoint_dir", "moved")
    same(
        gpu.weights(cpu, "--steps", 12),
        gpu.weights(gpuPlan, "--steps", 12, "--checkpoint_dir", "moved"),
    )


def test_stopped(gpu):
    """SIGTERM while the lane runs ahead: what was given to the GPU is done and counted, and the run
    goes on with the bits of one that was not stopped."""
    plan = gpu.compile("ahead", GPU)
    # So it runs ahead.
    assert "launches a step of train_step.worker0 on GPU:0: 1\n" in plan.err.text()
    run = gpu.trains(plan, "--checkpoint_dir", "kept")
    run.stop(status=1)
    [line] = run.err.matches(
        "^graphrun: stopped at step [0-9]+ of .* as asked; start again with --checkpoint_dir kept"
    )
    steps = int(line.split()[4])
    resumed = gpu.weights(plan, "--steps", steps + 5, "--checkpoint_dir", "kept")
    gpu.last.err.expect(f"going on from kept/step-{steps}")
    same(gpu.weights(plan, "--steps", steps + 5), resumed)
    assert differences(gpu.weights(plan, "--steps", steps + 4), resumed)


def test_killed(gpu):
    """A worker with a GPU is lost like any other."""
    plan = gpu.compile(
        "lost",
        {"ps": 1, "worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"},
    )
    gpu.dies(plan, "worker-1", folder="kept")


def accounts(gpu, plan, steps, *arguments):
    """What the tasks of a run that have a GPU asked of the driver."""
    gpu.graphrun(
        plan,
        "--steps",
        steps,
        *arguments,
        env={"GRAPHC_FAKE_ACCOUNTS": str(gpu / f"accounts-{steps}")},
    )
    return [json.loads(path.read_text()) for path in sorted(gpu.folder.glob(f"accounts-{steps}.*"))]


def tableOfGpu(gpu, cluster):
    """What graphc's table says of the device."""
    header, *rows = [
        re.split(r" {2,}", re.sub(r" +\(×\d+\)", "", line).strip())
        for line in gpu.show("counted", "table", cluster).lines()
    ]
    return next(dict(zip(header, row)) for row in rows if "device:GPU:0" in row[0])


def test_too_large(gpu):
    """What a GPU has no room for is refused before anything is allocated, in one line; and by
    graphc, where cluster.json says its size."""
    large = gpu.mlp(1 << 24)
    gpu.graphrun(gpu.compile("large", GPU, large), "--steps", 1, status=1)
    gpu.last.err.expect(
        "^graphrun: /job:worker/task:0 needs [0-9.]+ GiB of the memory of GPU:0 \\(variables [0-9.]+ GiB, arenas [0-9.]+ [GM]iB, constants .*\\), "
        "which has 1.00 GiB free of 1.00 GiB; compile the plan with a smaller batch"
    )
    gpu.write("sized.json", {**GPU, "budget": {"memory": {"GPU:0": "1 GiB"}}})
    gpu.graphc("--partition", "sized.json", large, "-o", "no.plan", status=1)
    gpu.last.err.expect(
        "error: /job:worker/task:0/device:GPU:0 needs .* the budget for /device:GPU:0 is 1.00 GiB .*; a smaller batch"
    )
    gpu.last.err.expect("note: variable w1.* takes 1.25 GiB")


@pytest.mark.parametrize(
    "cluster",
    [
        GPU,
        {"ps": 1, "worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"},
        {**GPU, "strategy": {"name": "one_device", "micro_batches": 3}},
    ],
    ids=["alone", "workers", "loop"],
)
def test_memory_and_copies(gpu, cluster):
    """What the table says of memory and of bytes between host and device is what the driver is
    asked for."""
    plan = gpu.compile("counted", cluster)
    table = tableOfGpu(gpu, cluster)
    found = [accounts(gpu, plan, steps) for steps in (3, 8)]
    assert len(found[0]) == len(found[1]) == cluster["worker"]
    for few, many in zip(*found):
        assert few["memory"] == many["memory"] == int(table["memory"])
        assert few["pinned"] == many["pinned"] == int(table["pinned"])
        for way in "to_device", "from_device":
            assert many[way] - few[way] == 5 * int(table[way.replace("_", " ")]) > 0, way


LIBRARY_PREDICTS = """
graph.func @predict() -> (tensor<128xf32> {graph.name = "p"}) attributes {role = #graph.role<predict>} {
  %w2 = graph.read @w2 : tensor<128x128xf32>
  %w3 = graph.read @w3 : tensor<128x128xf32>
  %p = graph.matmul %w2, %w3 : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s = graph.reduce_sum %p dimensions = [0] : (tensor<128x128xf32>) -> tensor<128xf32>
  graph.return %s : tensor<128xf32>
}
"""


@pytest.mark.parametrize(
    "model, function, microBatches",
    [
        (MLP, "train_step", 1),
        (MLP, "train_step", 2),
        (MODELS / "dropout.mlir", "train_step", 1),
        (MLP, "eval_step", 1),
        (PRODUCTS, "train_step", 1),
        (PRODUCTS, "predict", 1),
    ],
    ids=["one", "two micro-batches", "dropout", "eval", "library", "library predicts"],
)
def test_one_launch(gpu, model, function, microBatches):
    """On one device each step is one call of the driver that gives work, and one that marks its
    end, whatever the phase and whoever makes the products; the compiler has said so."""
    gpu.write("model.mlir", model.read_text() + (LIBRARY_PREDICTS if function == "predict" else ""))
    plan = gpu.compile(
        "one",
        {**GPU, "strategy": {"name": "one_device", "micro_batches": microBatches}},
        "model.mlir",
    )
    assert f"launches a step of {function}.worker0 on GPU:0: 1\n" in plan.err.text()
    entry = ["--entry", function.removesuffix("_step")]
    [few], [many] = accounts(gpu, plan, 2, *entry), accounts(gpu, plan, 5, *entry)
    more = {
        name: count - few["calls"].get(name, 0)
        for name, count in many["calls"].items()
        if count != few["calls"].get(name, 0) and name not in ("cuEventQuery", "cuEventSynchronize")
    }
    assert more == {"cuGraphLaunch": 3, "cuEventRecord": 3}
    assert many["calls"]["cuDevicePrimaryCtxRetain"] == 1


@pytest.mark.parametrize(
    "cluster, launches, parts",
    [
        (
            {
                "ps": 1,
                "worker": 1,
                "devices": {"worker": ["GPU:0"]},
                "strategy": "parameter_server",
            },
            None,
            "receive",
        ),
        ({**GPU, "strategy": {"name": "one_device", "micro_batches": 8}}, 7 * 2 + 1, "next batch"),
    ],
    ids=["server", "loop"],
)
def test_parted(gpu, cluster, launches, parts):
    """Where a step is several segments the table says what stands between them, and each is a
    launch; in a loop each time, where samples are copied by one of their own, so that the next
    time's are taken while these are computed with."""
    plan = gpu.compile("parted", cluster)
    line = re.search(
        "launches a step of train_step.worker\\S* on GPU:0: (\\d+), parted by (.*)", plan.err.text()
    )
    assert line and int(line[1]) > 1 and parts in line[2] and "mlp.mlir:" in line[2]
    assert launches in (None, int(line[1]))
    [few], [many] = accounts(gpu, plan, 3), accounts(gpu, plan, 10)
    assert many["calls"]["cuGraphLaunch"] - few["calls"]["cuGraphLaunch"] == 7 * int(line[1])


def test_failed_step(gpu):
    """An error of the GPU names the segment from which on it may have been, its first and last
    kernel, and where these stand in the model."""
    plan = gpu.compile("fails", GPU)
    gpu.environment["GRAPHC_FAKE_FAILS"] = "apply_momentum"
    gpu.graphrun(plan, "--steps", 5, status=1)
    gpu.last.err.expect(
        "train_step.worker0: GPU:0 at step 1, in segment 1 of 1, kernels \\S+ \\(mlp.mlir:\\d+:\\d+\\) to \\S+ "
        "\\(mlp.mlir:\\d+:\\d+\\)(, or behind it)?: GPU:0: cuEventQuery: CUDA_ERROR_LAUNCH_FAILED"
    )


@pytest.mark.parametrize(
    "kernel, where",
    [
        ("apply_momentum", "at step 1, iteration 2 of 2, in segment 2 of 3, .*, or behind it"),
        ("_add", "at step 1, iteration [12] of 2, in segment 2 of 3, kernels \\S+"),
    ],
    ids=["behind", "in it"],
)
def test_failed_loop(gpu, kernel, where):
    """Likewise of a loop, also where the lane has begun the next step: the first that is not known
    to be done."""
    plan = gpu.compile("fails", {**GPU, "strategy": {"name": "one_device", "micro_batches": 3}})
    gpu.environment["GRAPHC_FAKE_FAILS"] = kernel
    gpu.graphrun(plan, "--steps", 5, status=1)
    gpu.last.err.expect(f"train_step.worker0: GPU:0 {where}.* CUDA_ERROR_LAUNCH_FAILED")


def test_hangs(gpu):
    """A GPU that never ends its work ends the run by the deadline: nobody waits for it any more."""
    plan = gpu.compile("hangs", GPU)
    gpu.environment["GRAPHC_FAKE_HANGS"] = "apply_momentum"
    gpu.graphrun(plan, "--steps", 5, "--deadline", 2, status=1)
    gpu.last.err.expect(
        r"graphrun: .*train_step.worker0 waits at step \d for the end of its work on GPU:0 for \d+s: .*, longer than --wait_deadline \(2s\)$"
    )


def losses(run):
    return [float(line.split()[-1]) for line in run.out.text().splitlines()]


def ieee(gpu):
    """The plan for a CPU of the same model in one precision: those with a matrix unit follow the
    others too."""
    gpu.write("ieee.mlir", re.sub(r" precision = \w+", "", PRODUCTS.read_text()))
    return gpu.compile("cpu", {"worker": 1}, gpu.folder / "ieee.mlir")


def test_products(gpu):
    """Large products in three precisions are near a CPU's in one."""
    cpu = losses(
        gpu.graphrun(ieee(gpu), "--steps", 4, "--fetch", "loss", "--dump_variables", "cpu-weights")
    )
    lib = losses(
        gpu.graphrun(
            gpu.compile("lib", GPU, PRODUCTS),
            "--steps",
            4,
            "--fetch",
            "loss",
            "--dump_variables",
            "lib-weights",
        )
    )
    assert len(cpu) == 4 and lib == pytest.approx(cpu, rel=2e-2), (cpu, lib)
    assert differences(gpu / "cpu-weights", gpu / "lib-weights")


def test_no_cublaslt(gpu):
    """One line before the first step that says what is missing and what to do; plans that need none
    do not ask for it, as one whose products are compiled."""
    plan = gpu.compile("lib", GPU, PRODUCTS)
    gpu.environment["GRAPHC_CUBLASLT"] = "/nowhere/libcublasLt.so"
    gpu.graphrun(plan, "--steps", 1, status=1)
    gpu.last.err.expect(
        "the plan's products on GPU:0: no cuBLASLt \\(/nowhere/libcublasLt.so\\) on this machine; install it .*, or compile the model with graphc --no_cublaslt$"
    )
    compiled = losses(
        gpu.graphrun(
            gpu.compile("compiled", GPU, PRODUCTS, ("--no_cublaslt",)),
            "--steps",
            1,
            "--fetch",
            "loss",
        )
    )
    assert compiled == pytest.approx(
        losses(gpu.graphrun(ieee(gpu), "--steps", 1, "--fetch", "loss")), rel=1e-5
    )
    gpu.graphrun(gpu.compile("small", GPU, LINEAR), "--steps", 1)


def test_other_library(gpu):
    """What makes cuBLASLt compute other bits than the plan asks for is refused, and so is a library
    that is none."""
    plan = gpu.compile("lib", GPU, PRODUCTS)
    gpu.graphrun(plan, "--steps", 1, status=1, env={"NVIDIA_TF32_OVERRIDE": "0"})
    gpu.last.err.expect("the environment variable NVIDIA_TF32_OVERRIDE is set, .*; unset it")
    gpu.graphrun(plan, "--steps", 1, status=1, env={"GRAPHC_CUBLASLT": "libc.so.6"})
    gpu.last.err.expect("cuBLASLt \\(libc.so.6\\) has no cublasLtGetVersion; install it")


def test_algorithms_are_kept(gpu):
    """A run that goes on makes its products as the checkpoint's were made, whatever the heuristic
    likes by now; where it cannot, it says so."""
    plan = gpu.compile("lib", GPU, PRODUCTS)
    whole = gpu.weights(plan, "--steps", 4)
    gpu.graphrun(plan, "--steps", 2, "--checkpoint_dir", "kept", "--stats", "stats.json")
    told = gpu.json("kept/step-2/manifest.json")["algorithms"]
    assert told == gpu.json("stats.json")["tasks"]["/job:worker/task:0"]["algorithms"]
    assert len(told) > 4 and all(
        text.startswith("cuBLASLt 130100 on simulated GPU with 4 multiprocessors ")
        for text in told.values()
    ), told
    shutil.copytree(gpu / "kept", gpu / "new")
    shutil.copytree(gpu / "kept", gpu / "cpu")
    gpu.environment["GRAPHC_FAKE_CUBLASLT"] = "130100:2"
    assert differences(whole, gpu.weights(plan, "--steps", 4))  # it does like others
    same(whole, gpu.weights(plan, "--steps", 4, "--checkpoint_dir", "kept"))
    gpu.environment["GRAPHC_FAKE_CUBLASLT"] = "130200"
    gpu.graphrun(plan, "--steps", 4, "--checkpoint_dir", "new", status=1)
    gpu.last.err.expect(
        "the products of new/step-2 cannot be made here as they were \\(--new_algorithms goes on with other bits; .*\\): "
        "GPU:0: matmul f32 .*: it was made by cuBLASLt 130100 on simulated GPU with 4 multiprocessors, and here is cuBLASLt 130200 on"
    )
    gpu.graphrun(plan, "--steps", 4, "--checkpoint_dir", "new", "--new_algorithms")
    assert all(
        " 130200 " in text for text in gpu.json("new/step-4/manifest.json")["algorithms"].values()
    )
    gpu.graphrun(
        gpu.compile("cpu", {"worker": 1}, PRODUCTS), "--steps", 4, "--checkpoint_dir", "cpu"
    )
    assert all(
        text.startswith("CPU: ")
        for text in gpu.json("cpu/step-4/manifest.json")["algorithms"].values()
    )


def test_unlike_libraries(gpu, task):
    """Tasks whose libraries would not compute alike are refused by name."""
    plan = gpu.compile(
        "two",
        {"ps": 1, "worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "parameter_server"},
        PRODUCTS,
    )
    others = (
        task("ps-0", plan, "--steps", 2),
        task("worker-1", plan, "--steps", 2, env={"GRAPHC_FAKE_CUBLASLT": "130200"}),
    )
    task("worker-0", plan, "--steps", 2).ends(1).expect(
        "/job:worker/task:1 does not compute gpu_matmul_.* as /job:worker/task:0 does: .* by cuBLASLt 130200 on .* by cuBLASLt 130100 on .*; "
        "the bits would depend on who computes: .* --no_cublaslt"
    )
    for other in others:
        other.ends(1)


PINNED = [
    ({"worker": 2}, {"name": "all_reduce"}),
    ({"ps": 1, "worker": 2}, {"name": "parameter_server"}),
    ({"worker": 2}, {"name": "mirrored"}),
    ({"worker": 2}, {"name": "in_graph"}),
]


def copied(gpu, plan, steps, *arguments):
    """Bytes, of all tasks together."""
    found = accounts(gpu, plan, steps, *arguments)
    return {
        f"{pinned}{way}": sum(account[f"{pinned}{way}"] for account in found)
        for pinned in ("", "pageable_")
        for way in ("to_device", "from_device")
    }


@pytest.mark.parametrize("transport", ["shm", "grpc"])
@pytest.mark.parametrize("jobs, strategy", PINNED, ids=lambda given: given.get("name"))
def test_messages_are_pinned(gpu, jobs, strategy, transport):
    """A step copies between the device and pinned memory alone: slots, peers' memory and arenas,
    whoever made them."""
    plan = gpu.compile("pinned", {**jobs, "devices": {"worker": ["GPU:0"]}, "strategy": strategy})
    few, many = (copied(gpu, plan, steps, f"--transport={transport}") for steps in (2, 6))
    for direction in "to_device", "from_device":
        assert many[direction] > few[direction]
        assert many[f"pageable_{direction}"] == few[f"pageable_{direction}"], "set-up alone"


def test_memory_that_cannot_be_pinned(gpu):
    """Where the driver does not take memory that is mapped read-only copies of it go on, with the
    same bits, and one line says so."""
    cluster = {
        "ps": 1,
        "worker": 2,
        "devices": {"worker": ["GPU:0"]},
        "strategy": "parameter_server",
    }
    plan = gpu.compile("refused", cluster)
    pinned = gpu.weights(plan, "--steps", 6)
    gpu.environment["GRAPHC_FAKE_NO_READ_ONLY"] = "1"
    few, many = (copied(gpu, plan, steps) for steps in (2, 6))
    assert (
        many["pageable_to_device"] > few["pageable_to_device"]
        and many["pageable_from_device"] == few["pageable_from_device"]
    )
    assert (
        len(
            gpu.last.err.matches(
                "messages are copied to and from GPU:0 with a detour: GPU:0: messages: cuMemHostRegister: CUDA_ERROR_NOT_SUPPORTED"
            )
        )
        == 2
    )
    same(pinned, gpu.weights(plan, "--steps", 6))


def test_tasks_share_a_gpu(gpu):
    """Two tasks have room on a GPU or they have not; what one took is free once it is gone, killed
    or not."""
    gpu.environment["GRAPHC_FAKE_MEMORY"] = str(gpu / "taken")
    cluster = {"worker": 2, "devices": {"worker": ["GPU:0"]}, "strategy": "all_reduce"}
    plan = gpu.compile("two", cluster)
    each = int(tableOfGpu(gpu, cluster)["memory"])
    gpu.environment["GRAPHC_FAKE_MEMORY_BYTES"] = str(each * 3 // 2)
    gpu.graphrun(plan, "--steps", 1, status=1)
    gpu.last.err.expect(
        "needs .* of the memory of GPU:0 .* free of|cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"
    )
    gpu.environment["GRAPHC_FAKE_MEMORY_BYTES"] = str(each * 2 + (1 << 16))
    weights = gpu.weights(plan, "--steps", 4)
    gpu.dies(plan, "worker-1", folder="kept")
    same(weights, gpu.weights(plan, "--steps", 4))
