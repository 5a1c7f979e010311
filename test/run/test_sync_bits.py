"""Synchronous training gives, bit for bit, the weights of one device with as many micro-batches."""

import os

import pytest
from box import HERE, MODELS, accuracy, delay, differences, hasCpu, same, servers
from strategies import ROWS, clusterOf


@pytest.mark.parametrize("ps", [1, 2])
@pytest.mark.parametrize("workers", [2, 3])
def test_bits(box, workers, ps, transport):
    """With three workers the gradients are made to arrive in reverse order; what crosses is read in
    place as well."""
    one, printed = box.reference(workers, "--steps", 40)
    assert len(os.listdir(one)) >= 9, "4 variables, 4 slots and global_step"
    many = box.weights(
        box.servers("many", workers, ps),
        "--steps",
        40,
        f"--transport={transport}",
        env=delay(worker0=3000, worker1=1500, worker2=0) if workers == 3 else None,
    )
    same(one, many)
    assert accuracy(box.last.out) == accuracy(printed)
    box.show("many", "plan-text", servers(workers, ps)).expect("zero_copy: true")


@pytest.mark.parametrize(
    "row",
    [
        name
        for name, row in ROWS.items()
        if "inexact" not in row and "recovery" not in row["strategy"]
    ],
)
@pytest.mark.parametrize("model", ["shared-samples", "stored-values"])
def test_state(box, model, row):
    """Ops that share the samples of a data set, and values that are stored and read in the same
    step, under every synchronous strategy with 2 and 4 workers. (Recovery from memory refuses both
    models: they write a variable before the last sum of the step.)"""
    row, path = ROWS[row], MODELS / f"{model}.mlir"
    for workers in 2, 4:
        cluster = {**row["clusters"][0], "worker": workers}
        one, _ = box.reference(
            workers if row.get("replicas") == "worker" else 1, "--steps", 20, model=path
        )
        plan = box.compile(f"of-{workers}", clusterOf(row, model, cluster), path)
        same(one, box.weights(plan, "--steps", 20))


@pytest.mark.parametrize("workers", [2, 3])
def test_library_products(box, workers):
    """The library's matrix products too, which the model above is too small for."""
    wide = box.mlp(128)
    one, _ = box.reference(workers, "--steps", 20, model=wide)
    plan = box.servers("many", workers, 1, model=wide)
    assert (
        len(box.show("many", "scheduled", servers(workers, 1), wide).matches("dist.library_call"))
        >= 4
    )
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 20, f"--transport={transport}"))
        box.nothingLeft()


@pytest.mark.parametrize(
    "name, kernels",
    [
        (
            "convolution",
            {"convolution": 2, "convolution_input_grad": 1, "convolution_filter_grad": 2},
        ),
        ("attention", {"packed_attention": 1, "packed_attention_grad": 1}),
    ],
)
def test_library_calls(box, name, kernels):
    """Convolutions of the library with pools, and attention: over parameter servers, all-reduce and
    threads, as on one device."""
    model = MODELS / f"{name}.mlir"
    one, _ = box.reference(2, "--steps", 20, model=model)
    plan = box.servers("many", 2, 1, model=model)
    calls = box.show("many", "scheduled", servers(2, 1), model)
    for kernel, least in kernels.items():
        assert len(calls.matches(f'dist.library_call "{kernel}"')) >= least
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 20, f"--transport={transport}"))
        box.nothingLeft()
    same(one, box.weights(plan, "--steps", 20, "--intra_op_threads", 3))
    reduced = box.compile("reduced", {"worker": 2, "strategy": "all_reduce"}, model)
    same(one, box.weights(reduced, "--steps", 20))


def test_bf16(box):
    """Layers in bf16 with weights of f32: what crosses as bf16, and the sums of its gradients as
    f32."""
    model = MODELS / "mixed.mlir"
    one, printed = box.reference(2, "--steps", 40, model=model)
    plan = box.servers("many", 2, 1, model=model)
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 40, f"--transport={transport}"))
        box.nothingLeft()
    reduced = box.compile("reduced", {"worker": 2, "strategy": "all_reduce"}, model)
    same(one, box.weights(reduced, "--steps", 40))


@pytest.mark.parametrize("precision", ["tf32", "bf16"])
def test_precision(box, precision):
    """Products whose factors may be rounded: the same bits everywhere, near those of f32, and f32's
    where the CPU has no matrix unit."""
    plain = HERE.parent / "bench/models/mlp.mlir"
    product = "graph.matmul %x, %w1"
    assert product in plain.read_text()
    box.write(
        "rounded.mlir", plain.read_text().replace(product, f"{product} precision = {precision}")
    )
    exact, losses = box.reference(2, "--steps", 20, "--fetch", "loss", model=plain)
    one, rounded = box.reference(2, "--steps", 20, "--fetch", "loss", model="rounded.mlir")
    exactLosses, roundedLosses = (
        [float(line.split()[-1]) for line in printed.lines()] for printed in (losses, rounded)
    )
    assert len(exactLosses) == 20 and roundedLosses == pytest.approx(
        exactLosses, rel=1e-2 if precision == "bf16" else 1e-4
    )
    hasMatrixUnit = all(map(hasCpu, ("amx_tile", "amx_bf16", "avx512_bf16")))
    assert bool(differences(exact, one)) == hasMatrixUnit
    plan = box.servers("many", 2, 1, model="rounded.mlir")
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 20, f"--transport={transport}"))
        box.nothingLeft()
    same(one, box.weights(plan, "--steps", 20, "--intra_op_threads", 3))
    same(
        one,
        box.weights(
            box.compile("reduced", {"worker": 2, "strategy": "all_reduce"}, "rounded.mlir"),
            "--steps",
            20,
        ),
    )


def test_several_streams(box):
    """Parameters and gradients of 5 MiB, each message of which goes by several gRPC streams."""
    large = box.mlp(65536)
    one, _ = box.reference(2, "--steps", 5, model=large)
    same(one, box.weights(box.servers("many", 2, 1, model=large), "--steps", 5, "--transport=grpc"))


def test_comparison_can_fail(box):
    """Another number of steps gives other weights."""
    assert differences(
        box.reference(3, "--steps", 40)[0], box.weights(box.servers("many", 3, 2), "--steps", 41)
    )
