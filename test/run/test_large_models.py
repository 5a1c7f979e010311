"""Large models: compile time grows with them and not with their square, and however their kernels
are cut, the bits are those of one device. test/passes/outline/pieces.test has exact counts of what
the kernels are."""

import importlib.util

import pytest
from box import HERE, same
from process import grows

SPEC = importlib.util.spec_from_file_location("bench_compile", HERE.parent / "bench/compile.py")
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

FEW, MANY = 1000, 4000


@pytest.mark.parametrize("kind", bench.KINDS)
def test_grows(box, monkeypatch, kind):
    """4,000 operations take at most eight times the CPU time of 1,000 (benchmarks: at most 4.5;
    here other processes are beside)."""
    monkeypatch.chdir(box.folder)
    few, many = (bench.write(".", bench.KINDS[kind], size) for size in (FEW, MANY))
    # A process that does nothing takes some hundredths of a second.
    grows(lambda: box.run(*few), lambda: box.run(*many), most=8, floor=0.1)


@pytest.mark.parametrize(
    "cluster",
    [{"ps": 2, "worker": 2}, {"worker": 2, "strategy": "all_reduce"}],
    ids=["servers", "reduce"],
)
@pytest.mark.parametrize("model", ["layers", "variables"])
def test_bits(box, model, cluster):
    """Each task's pieces are others than one device's."""
    box.run("python3", HERE.parent / "bench/compile.py", "--write", ".", model, "--sizes", 500)
    file = f"{model}-500.mlir"
    same(
        box.reference(2, "--steps", 5, model=file)[0],
        box.weights(box.compile("many", cluster, file), "--steps", 5),
    )
