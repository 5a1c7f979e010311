import pytest
from box import HERE, LONG

GRAPHS = 250 if LONG else 30


@pytest.mark.parametrize("row", [1, 1 + GRAPHS, 10001, 10001 + GRAPHS])
def test_bits(box, row):
    """120 random small graphs (1,000 with --long), from four seeds on, under random placements give the bits of one device, loops of micro-batches
    among them."""
    box.run("python3", HERE / "random_graphs.py", box.folder, "--graphs", GRAPHS, "--seed", row, seconds=60 * GRAPHS)


def test_gpu(box):
    """On a GPU (docs/cuda.md) such graphs have the bits that they have on a CPU."""
    box.withFakeCuda()
    graphs = 200 if LONG else 25
    box.run("python3", HERE / "random_graphs.py", box.folder, "--gpu", "--graphs", graphs, "--seed", 20001, seconds=60 * graphs)
