"""Strategy all_reduce with gradients that are summed in chunks: in replica order with one device's
bits, around a ring with the same bits on every worker, under every transport and in every run,
integers exact and floats as near to one device as roundings of N terms can be."""

import pytest
from box import HERE, MODELS, apart, delay, differences, hosts, same
from formats import farApart

FILES = {"wide": MODELS / "wide.mlir", "large": HERE.parent / "bench/models/mlp.mlir"}


def workers(box, name, tasks, model, algorithm, **settings):
    cluster = {"worker": tasks, "strategy": {"name": "all_reduce", **settings}}
    plan = box.compile(name, cluster, model)
    box.show(name, "plan-text", cluster, model).expect(f"algorithm: {algorithm}")
    box.graphc("--verify_plan", plan)
    return plan


def ring(box, n, model):
    return workers(box, "ring", apart(n), model, "RING", order="fast")


def train(box, plan, to, n, transport):
    """A checkpoint ends with the comparison of every worker's copies."""
    return box.weights(
        plan,
        "--steps",
        6,
        f"--transport={transport}",
        "--checkpoint_dir",
        f"ckpt-{to}",
        "--save_checkpoint_steps",
        2,
        to=to,
        env=delay(worker0=3000, worker1=1500, worker2=0) if n == 3 else None,
    )


@pytest.mark.parametrize(
    "n, model", [(2, "wide"), (3, "wide"), (4, "wide"), (5, "wide"), (4, "large")]
)
def test_bits(box, n, model):
    """1.6 MB of floats in one bucket and in several, floats and integers in two."""
    model = FILES[model]
    one, _ = box.reference(n, "--steps", 6, model=model)
    for name, plan in {
        "ordered": workers(box, "ordered", n, model, "SCATTER"),
        "several": workers(box, "several", n, model, "SCATTER", bucket_bytes=1),
        "ring": ring(box, n, model),
    }.items():
        for transport in "shm", "grpc":
            got = train(box, plan, f"{name}-{transport}", n, transport)
            if name == "ring" and n != 2:
                assert not farApart(one, got)
            else:
                same(one, got)
    same(box / "ring-shm", box / "ring-grpc")


@pytest.mark.parametrize("number, each", [(2, 2), (3, 2), (2, 4)])
def test_within_hosts_first(box, number, each):
    """Sums within each of several hosts, then among them: the bits of one device and of scatter
    over all, read in place and over gRPC."""
    n = number * each
    model = FILES["wide"]
    one, _ = box.reference(n, "--steps", 6, model=model)
    known, unknown = (
        workers(box, name, tasks, model, "SCATTER", bucket_bytes=1 << 20)
        for name, tasks in (("known", hosts(number, each)), ("unknown", n))
    )
    for name, there in ("known", True), ("unknown", False):
        text = box.show(name, "plan-text", box.json(f"{name}.json"), model)
        assert bool(text.matches(rf"^  hosts: {number}$")) == there, name
    same(one, train(box, unknown, "unknown", n, "shm"))
    for transport in "shm", "grpc":
        same(one, train(box, known, f"known-{transport}", n, transport))


def test_doubling(box):
    """Little data among eight: by halves of the workers, in three hops. Order fast promises less,
    but of a power of two these are the tree's sums."""
    model = MODELS / "mlp.mlir"
    plan = workers(box, "doubling", apart(8), model, "DOUBLING", order="fast")
    one, _ = box.reference(8, "--steps", 6)
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 6, f"--transport={transport}"))


def test_comparisons_can_fail(box):
    """The order of a ring of four is not that of the replicas; what five replicas learn is not near
    what four do."""
    large, wide = FILES["large"], FILES["wide"]
    assert differences(
        box.reference(4, "--steps", 6, model=large)[0],
        train(box, ring(box, 4, large), "ring", 4, "shm"),
    )
    assert farApart(
        box.reference(4, "--steps", 6, model=wide)[0], box.reference(5, "--steps", 6, model=wide)[0]
    )


def test_death_between_chunks(box):
    """A member that dies is named, and nobody waits for it."""
    wide = FILES["wide"]
    for name, plan in {
        "several": workers(box, "several", 5, wide, "SCATTER", bucket_bytes=1),
        "ring": ring(box, 5, wide),
        "hosts": workers(box, "hosts", hosts(2, 2), wide, "SCATTER"),
    }.items():
        box.dies(plan, "worker-3", folder=f"ckpt-{name}")
