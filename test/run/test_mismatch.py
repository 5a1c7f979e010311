"""Workers that do not fit each other: each ends by itself, with the cause in one line."""

import pytest
from box import BUILD, MODELS, hasCpu, same, servers
from formats import fingerprint, samples
from process import ended

IDX = MODELS / "idx.mlir"
STREAM = "all workers take turns in one stream, so give them the same files"


@pytest.fixture(autouse=True)
def data(box):
    """Data sets of different sizes."""
    for folder, count in ("many", 50), ("few", 20), ("tiny", 3):
        samples(box / folder, count)


def test_another_model(box, two, task):
    """The same cluster and strategy, another model: refused by both fingerprints; with the right
    plan the run goes on."""
    other = box.servers("other", 2, 1, model=MODELS / "bottleneck.mlir")
    chief = task("worker-0", two, "--steps", 30, "--join_deadline", 20)
    chief.waitFor("waiting for /job:worker/task:1")
    refused = task("worker-1", other, "--steps", 30).ends(1)
    refused.expect(
        f"/job:worker/task:1 has another plan: its fingerprint is {fingerprint(box / other)}, the chief.s {fingerprint(box / two)}; "
        "start every task with the same plan file"
    )
    chief.waitFor(
        "refused: /job:worker/task:1 has another plan: its fingerprint is .*; start every task with the same plan file"
    )
    ended([chief, task("worker-1", two, "--steps", 30), task("ps-0", two, "--steps", 30)])


@pytest.mark.parametrize("update", ["sync", "async"])
def test_fewer_samples(box, task, update):
    """Aggregation would wait for gradients that never come, or mix epochs."""
    plan = box.servers("idx", 2, 1, update, IDX)
    started = [
        task("worker-0", plan, "--steps", 300, "--data_dir", "many"),
        task("worker-1", plan, "--steps", 300, "--data_dir", "few"),
        task("ps-0", plan, "--steps", 300),
    ]
    for one in started:
        one.ends(1)
        one.expect(
            f"data set train has 50 samples on /job:worker/task:0 and 20 on /job:worker/task:1; {STREAM}"
        )


@pytest.mark.parametrize("few", [0, 1], ids=["chief", "other"])
def test_fewer_samples_without_server(box, task, ports, few):
    """The same where everybody would wait for sums, and the chief or the other one has fewer."""
    plan = box.compile("sums", {"worker": 2, "strategy": "all_reduce"}, IDX)
    started = [
        task(
            f"worker-{n}",
            plan,
            "--steps",
            300,
            "--data_dir",
            "few" if n == few else "many",
            hosts=ports.flags[2:],
        )
        for n in (0, 1)
    ]
    for one in started:
        one.ends(1)
        one.expect(
            f"data set train has {50 if few else 20} samples on /job:worker/task:0 and {20 if few else 50} on /job:worker/task:1; all workers take turns"
        )


@pytest.mark.parametrize("strategy", ["parameter_server", "all_reduce"])
def test_smaller_than_a_step(box, strategy):
    """Three samples for two workers of four are no mistake: the stream goes on from epoch to epoch,
    and the bits are one device's."""
    plan = (
        box.servers("idx", 2, 1, model=IDX)
        if strategy == "parameter_server"
        else box.compile("sums", {"worker": 2, "strategy": strategy}, IDX)
    )
    same(
        box.weights(box.oneDevice("one", 2, IDX), "--steps", 40, "--data_dir", "tiny"),
        box.weights(plan, "--steps", 40, "--data_dir", "tiny"),
    )


@pytest.fixture
def otherLibrary(box):
    """oneDNN's module as another version of it would be, by its own word."""
    module = (BUILD / "lib/libgraphc_onednn.so").read_bytes()
    assert module.count(b"oneDNN %d.%d.%d") == 1
    (box / "other.so").write_bytes(module.replace(b"oneDNN %d.%d.%d", b"oneDNn %d.%d.%d"))
    return {"GRAPHC_ONEDNN": str(box / "other.so")}


def test_another_library(box, task, otherLibrary):
    """Tasks whose CPUs make the same product in unlike ways are refused by name, or told to go
    on."""
    two = box.servers("wide", 2, 1, model=box.mlp(256))
    unlike = "/job:worker/task:1 does not compute \\S*matmul\\S* as /job:worker/task:0 does: /job:worker/task:1 by CPU: oneDNn .*: give all tasks alike CPUs"
    for flags, status in ([], 1), (["--new_algorithms"], 0):
        run = [
            task("worker-0", two, "--steps", 4, *flags),
            task("worker-1", two, "--steps", 4, *flags, env=otherLibrary),
            task("ps-0", two, "--steps", 4, *flags),
        ]
        for one in run:
            one.ends(status)
            if status:
                one.expect(unlike)


@pytest.mark.skipif(not hasCpu("avx2"), reason="this CPU has no more than the limit")
def test_limited(box, task):
    """A limit on the CPU holds oneDNN's kernels and this project's own to SSE4; a task without it
    is refused by name."""
    limit = {"GRAPHC_MAX_CPU_ISA": "x86-64-v2"}
    two = box.compile("wide", servers(2, 1), box.mlp(256), ["--target_cpu", "x86-64-v2"])
    box.graphrun(two, "--steps", 2, "--stats", "stats.json", env=limit)
    told = {
        algorithm
        for one in box.json("stats.json")["tasks"].values()
        for algorithm in one.get("algorithms", {}).values()
    }
    assert told and all(
        "for SSE4.1," in each or each.endswith("kernels for any x86-64") for each in told
    ), told
    run = [
        task("worker-0", two, "--steps", 4, env=limit),
        task("worker-1", two, "--steps", 4),
        task("ps-0", two, "--steps", 4, env=limit),
    ]
    for one in run:
        one.ends(1)
        one.expect(
            "/job:worker/task:1 does not compute .* as /job:worker/task:0 does: .*: give all tasks alike CPUs"
        )


def test_checkpoint_of_another_library(box, otherLibrary):
    """A checkpoint goes on with a warning, and with the next one's the warning is gone."""
    plan = box.oneDevice("one", 1, box.mlp(256))
    for steps, warns in (2, False), (4, True), (6, False):
        said = box.graphrun(
            plan,
            "--steps",
            steps,
            "--checkpoint_dir",
            "kept",
            env=otherLibrary if steps > 2 else None,
        )
        warning = "warning: CPUs compute [0-9]+ kernels in other ways than before the checkpoint \\(.* by CPU: oneDNn .*, before by CPU: oneDNN .*\\)"
        assert bool(said.err.matches(warning)) == warns


def test_kernels_of_one_name(box):
    """Convolutions that differ in what their name leaves out, and are made in unlike ways, are one
    plan all the same."""
    model = box.write(
        "two.mlir",
        """
graph.variable @w : tensor<3x3x16x16xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @x : tensor<2x8x8x16xf32> = #graph.glorot_uniform<seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.read @x : tensor<2x8x8x16xf32>
  %w = graph.read @w : tensor<3x3x16x16xf32>
  %a = graph.convolution %x, %w padding_low = [1, 1] padding_high = [1, 1] {nhwc, hwio} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
  %b = graph.convolution %x, %w padding_low = [2, 2] padding_high = [2, 2] rhs_dilation = [2, 2] {nhwc, hwio} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
  %c = graph.add %a, %b : tensor<2x8x8x16xf32>
  %s = graph.reduce_sum %c dimensions = [0, 1, 2, 3] : (tensor<2x8x8x16xf32>) -> tensor<f32>
  graph.minimize %s {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %s : tensor<f32>
}
""",
    )
    plan = box.oneDevice("two", 1, model)
    box.graphrun(plan, "--steps", 2, "--stats", "stats.json")
    told = box.json("stats.json")["tasks"]["/job:worker/task:0"]["algorithms"]
    name = "convolution_2x8x8x16_to_16_by_3x3_nhwc_hwio"
    # Tiles need multiply-adds that round once; without them both convolutions are the library's.
    assert {told[name].startswith("CPU: tiles"), told[f"{name}#2"].startswith("CPU: tiles")} == {
        False,
        hasCpu("fma"),
    }
