"""docs/multi-host.md, word for word: its cluster.json and its commands, with two network namespaces
as the machines."""

import os
import re

import pytest
from box import ROOT, hasCpu

PAGE = (ROOT / "docs/multi-host.md").read_text()
LINES = "".join(re.findall(r"^```sh$\n(.*?)^```$", PAGE, re.M | re.S)).splitlines()
MODEL = "examples/linear-regression/model.mlir"
# The way to the other machine: rsync -R FILES… 10.77.0.2:
RSYNC = """#!/bin/bash
[ "$1" = -R ] && [ "${*: -1}" = 10.77.0.2: ] || exit 1
exec cp --parents "${@:2:$#-2}" ../m2/
"""


@pytest.fixture
def tasks(box, machines):
    """Runs three lines from one on: the parameter server's, then the second worker's, then the
    chief's, whose process it gives."""
    machines.add(2)

    def run(first, status=0):
        started = [
            machines.start(
                n, "bash", "-c", LINES[first + i], cwd=f"m{n}", name=f"line-{first + i + 1}"
            )
            for i, n in enumerate((1, 2, 1))
        ]
        for one in started:
            one.ends(status)
        return started[2]

    return run


def shape(line):
    """A line without numbers and names of machines."""
    for pattern, by in (
        (r"[0-9a-f]{8}…", "PLAN"),
        (r"(\(process [0-9]+ on |process [0-9]+ on ).*", r"\1X"),
        (r"[0-9][0-9.e+]* (µs|[MG]bit)", r"N \1"),
        ("[MG]bit", "Bit"),
        ("[0-9]+", "N"),
    ):
        line = re.sub(pattern, by, line)
    return line


@pytest.mark.skipif(
    not hasCpu("avx2"), reason="the page compiles for x86-64-v3, and this CPU has no AVX2"
)
def test_page(box, tasks):
    """Its nine lines: certificates, plan and copy, a check that is well and prints what the page
    shows, a run with the digits of one device. What goes wrong most often, an old plan on one
    machine, the check says, and the plan copied again makes it well."""
    assert len(LINES) == 9
    for folder in "m1", "m2", "bin":
        (box / folder).mkdir()
    (box / "m1/examples").symlink_to(ROOT / "examples")
    box.write(
        "m1/cluster.json", re.search(r"^```json cluster.json$\n(.*?)^```$", PAGE, re.M | re.S)[1]
    )
    box.write("bin/rsync", RSYNC).chmod(0o755)
    for line in LINES[:3]:
        box.run("bash", "-c", line, cwd="m1", env={"PATH": f"{box / 'bin'}:{os.environ['PATH']}"})
    assert not (box / "m2/certs/ca.key").exists(), "the authority's key must not be copied"
    well = tasks(3)
    shown = "".join(re.findall(r"^```text$\n(.*?)^```$", PAGE, re.M | re.S)).splitlines()
    assert sorted(map(shape, shown)) == sorted(
        shape(line) for line in well.lines() if re.match("ok|[0-9]", line)
    )
    well.expect("^3 tasks, [0-9]+ links: all is well$")

    kept = (box / "m2/model.plan").read_bytes()
    box.graphc(
        MODEL,
        "--partition",
        "cluster.json",
        "--target_cpu",
        "x86-64-v2",
        "-o",
        "../m2/model.plan",
        cwd="m1",
    )
    tasks(3, status=1).expect("^wrong  /job:worker/task:1 .* has another plan")
    box.write("m2/model.plan", kept)
    chief = tasks(6)
    one = box.graphrun(
        box.compile(
            "one",
            {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}},
            ROOT / MODEL,
            ["--target_cpu", "x86-64-v3"],
        ),
        "--steps",
        60,
        "--fetch",
        "loss",
    )
    assert len(one.out.matches("^loss .*")) == 60
    assert one.out.matches("^loss .*") == chief.matches("^loss .*")
