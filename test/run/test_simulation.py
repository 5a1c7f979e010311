"""Compiled plans under 1,000 seeds each of delay, of loss and of death (10,000 with --long): every
run ends with the right values or an error that names its cause, never stuck."""

import pytest
from box import BUILD, LONG, MLP, MODELS, ROOT, apart, hosts, servers


def chunks(order):
    """Gradients in chunks."""
    return {
        "worker": apart(3),
        "strategy": {"name": "all_reduce", "order": order, "bucket_bytes": 1},
    }, MODELS / "wide.mlir"


PLANS = {
    "all-reduce": ({"worker": 3, "strategy": "all_reduce"}, MLP),
    "one-sum": (
        {"worker": 3, "strategy": "all_reduce"},
        ROOT / "examples/linear-regression/model.mlir",
    ),
    "reproducible": chunks("reproducible"),
    "fast": chunks("fast"),
    "hosts": (
        {"worker": hosts(2, 2), "strategy": {"name": "all_reduce", "bucket_bytes": 1 << 20}},
        MODELS / "wide.mlir",
    ),
    **{
        name: (cluster, MLP)
        for name, cluster in {
            "sync": servers(2, 1),
            "sync-2ps": servers(3, 2),
            "async": servers(2, 1, "async"),
            "async-2ps": servers(3, 2, "async"),
            "stale-2ps": servers(3, 2, "async", max_staleness=1),
            "backup-2ps": servers(3, 2, replicas_to_aggregate=2),
            "loops": servers(2, 1, micro_batches=32),
        }.items()
    },
}


@pytest.mark.parametrize(
    "what",
    [[], ["--loss", "0.004"], ["--loss", "0.001", "--death", "0.003"]],
    ids=["delay", "loss", "death"],
)
@pytest.mark.parametrize("row", PLANS)
def test_seeds(box, row, what):
    plan = box.compile(row, *PLANS[row])
    box.run(
        BUILD / "test/bin/plan-sim",
        plan,
        "--seeds",
        10000 if LONG else 1000,
        "--delay",
        50000,
        *what,
        seconds=600,
    )
