"""A task that the kernel kills for lack of memory is named as that."""

import os
from pathlib import Path

import pytest
from box import FOREVER, LOST, servers
from process import until

MEMORY = Path("/sys/fs/cgroup/memory")  # version 1; version 2 has its files one folder above
# 31 MiB of variables, as much of gradients.
LARGE = """\
graph.variable @w : tensor<8000000xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.dataset @d : (tensor<1xf32>) = #graph.synthetic<samples = 64, seed = 1>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss", graph.reduction = "mean"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x1xf32>
  %scale = graph.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  %w = graph.read @w : tensor<8000000xf32>
  %squares = graph.multiply %w, %w : tensor<8000000xf32>
  %mean = graph.reduce_mean %squares dimensions = [0] : (tensor<8000000xf32>) -> tensor<f32>
  %loss = graph.multiply %mean, %scale : tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
CLUSTERS = {
    "server": servers(2, 1),
    "async": servers(2, 1, "async"),
    "reduce": {"worker": 2, "strategy": {"name": "all_reduce"}},
}


@pytest.fixture
def cgroup():
    """A cgroup whose processes have 96 MiB together: its folder."""
    first = (MEMORY / "memory.limit_in_bytes").exists()
    folder = (MEMORY if first else MEMORY.parent) / f"graphc-test-{os.getpid()}"
    try:
        folder.mkdir()
        limit = folder / ("memory.limit_in_bytes" if first else "memory.max")
        limit.write_text(str(96 << 20))
    except OSError as error:
        if folder.exists():
            folder.rmdir()
        pytest.skip(f"no cgroup with a limit of memory can be made here: {error}")
    yield folder
    until(lambda: not (folder / "cgroup.procs").read_text(), "all processes of the cgroup have ended")
    folder.rmdir()


@pytest.mark.parametrize(
    "strategy, flags", [("server", []), ("reduce", []), ("async", ["--transport=grpc"])]
)
def test_out_of_memory(box, cgroup, strategy, flags):
    """The launcher says so, and what memory the plan says that the task needs."""
    plan = box.compile(strategy, CLUSTERS[strategy], box.write("large.mlir", LARGE))
    run = box.run(
        "bash",
        "-c",
        'echo $$ > "$0/cgroup.procs" && exec graphrun "$@"',
        cgroup,
        plan,
        "--steps",
        FOREVER,
        *flags,
        status=LOST,
    )
    run.err.expect(
        r"^graphrun: /job:(worker|ps)/task:\d \(process \d+ on .*\) was killed by signal 9 \(Killed\) by the kernel "
        r"because memory ran out \(oom_kill in .*/memory\.(oom_control|events) has increased\); its part of the plan needs "
        r"[0-9.]+ MiB \(variables [0-9.]+ \w+, arenas "
    )
