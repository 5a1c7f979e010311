"""A step allocates nothing in our code: no place in graphrun (the runtime is linked into it) is
called for memory once a step."""

import bisect
import collections
import os
import subprocess

import pytest
from box import BUILD, HERE

# What is linked as an archive is known by its name: gRPC, Abseil, protobuf and what they bring.
THEIRS = (
    "grpc",
    "gpr_",
    "absl::",
    "google::protobuf",
    "upb_",
    "_upb",
    "re2::",
    "ares_",
    "address_sorting",
)
SHORT, LONG = 300, 1800


def load(file):
    """How often each place, (file, offset), asked for memory."""
    places = collections.Counter()
    for line in file.read_text().splitlines():
        count, name, offset = line.split()
        places[os.path.basename(name), offset] += int(count)
    return places


@pytest.fixture(scope="module")
def ours():
    """Whether a place is of our code."""
    listed = subprocess.run(
        ["nm", "-C", "--defined-only", BUILD / "bin/graphrun"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    symbols = sorted(
        (int(line.split(None, 2)[0], 16), line.split(None, 2)[2].strip())
        for line in listed
        if line.split(None, 2)[1] in "tTwWuV"
    )
    assert any("graphc::executor" in name for _, name in symbols), "graphrun has no symbols"
    starts = [start for start, _ in symbols]

    def decide(place):
        if place[0] not in ("graphrun", "exe"):
            return False
        name = symbols[bisect.bisect_right(starts, int(place[1], 16)) - 1][1]
        return "graphc::" in name or not any(part in name for part in THEIRS)

    return decide


def test_step(box, ours, transport):
    """From two runs that differ in their steps alone; that oneDNN allocates in each step is seen,
    so something was counted."""
    counted = box.preload("count", (HERE / "allocations.c").read_text())
    plan = box.servers("two", 2, 1, model=box.mlp(128))  # large enough for oneDNN
    for steps in SHORT, LONG:
        (box / str(steps)).mkdir()
        box.graphrun(
            plan,
            "--entry",
            "train",
            "--steps",
            steps,
            f"--transport={transport}",
            env={**counted, "ALLOCATIONS": str(box / str(steps))},
        )
    seen = collections.Counter()
    for task in "ps-0", "worker-0", "worker-1":
        before, after = load(box / f"{SHORT}/{task}"), load(box / f"{LONG}/{task}")
        rates = {place: (after[place] - before[place]) / (LONG - SHORT) for place in after}
        assert any(map(ours, after)), f"{task}: nothing of graphrun itself was counted"
        # The heartbeat allocates, a few times a second.
        assert not {
            f"graphrun+0x{place[1]}": rate
            for place, rate in rates.items()
            if rate > 0.5 and ours(place)
        }, task
        for place, rate in rates.items():
            seen[place[0]] += rate
    assert any("dnnl" in owner and rate > 1 for owner, rate in seen.items()), seen
