import pytest
from box import MLP
from process import grows


def compare(box, strategy, workers):
    """There is one predicted step."""
    box.write(f"{workers}.json", {"ps": 1, "worker": workers})
    run = box.graphc("--compare", strategy, MLP, "--partition", f"{workers}.json")
    (row,) = [line.split() for line in run.out.lines()[1:] if line.split()[0] == strategy]
    assert row[2] in ("µs", "ms", "s"), row


@pytest.mark.parametrize(
    "strategy",
    [
        "one_device",
        "in_graph",
        "mirrored",
        "parameter_server",
        "parameter_server:async",
        "parameter_server:in_graph",
        "all_reduce",
        "all_reduce:in_graph",
    ],
)
def test_grows(box, strategy):
    """graphc --compare over one parameter server and 1,000 workers takes at most 14 times the CPU
    time that it takes over 100: nothing grows with the square of what a plan holds, where each
    worker has a program of its own. docs/benchmarks.md has the seconds."""
    grows(lambda: compare(box, strategy, 100), lambda: compare(box, strategy, 1000), most=14)
