import pytest
from box import MODELS
from process import grows

FEW, MANY = 10, 1000


@pytest.mark.parametrize(
    "model, addresses", [("mlp.mlir", False), ("mlp.mlir", True), ("annotated.mlir", True)]
)
def test_grows(box, model, addresses):
    """Compiling for one parameter server and 1,000 workers takes at most three times the CPU time
    of 10, and so does the plan's size: with numbers of tasks, with addresses of a thousand hosts,
    with a model that has devices of its own. test/tools/graphc/many-workers.test has the exact
    counts of what a plan holds."""
    for workers in FEW, MANY:
        hosts = [f"worker{i}.example.org:2222" for i in range(workers)]
        box.write(
            f"{workers}.json",
            {"ps": ["ps0.example.org:2222"], "worker": hosts}
            if addresses
            else {"ps": 1, "worker": workers},
        )
    grows(
        *(
            lambda workers=workers: box.graphc(
                "--partition", f"{workers}.json", MODELS / model, "-o", f"{workers}.plan"
            )
            for workers in (FEW, MANY)
        ),
        most=3,
    )
    size = {workers: (box / f"{workers}.plan").stat().st_size for workers in (FEW, MANY)}
    assert size[MANY] <= 3 * size[FEW], size
