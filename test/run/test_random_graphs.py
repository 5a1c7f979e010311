import pytest
import random_graphs
from box import HERE, LONG

GRAPHS = 250 if LONG else random_graphs.GRAPHS["CPU"]


@pytest.mark.parametrize("row", random_graphs.seeds("CPU", GRAPHS))
def test_bits(box, row):
    """120 random small graphs (1,000 with --long), from four seeds on, under random placements give
    the bits of one device, loops of micro-batches among them."""
    box.run(
        "python3",
        HERE / "random_graphs.py",
        box.folder,
        "--graphs",
        GRAPHS,
        "--seed",
        row,
        seconds=60 * GRAPHS,
    )


def test_gpu(box):
    """On a GPU (docs/cuda.md) such graphs have the bits that they have on a CPU."""
    box.withFakeCuda()
    graphs = 200 if LONG else random_graphs.GRAPHS["GPU"]
    [first] = random_graphs.seeds("GPU", graphs)
    box.run(
        "python3",
        HERE / "random_graphs.py",
        box.folder,
        "--gpu",
        "--graphs",
        graphs,
        "--seed",
        first,
        seconds=60 * graphs,
    )
