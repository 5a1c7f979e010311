"""The tables of docs/optimizers.md: what graphc's column trains to, against what PyTorch's and
optax's column does (test/run/optimizers/expected.json, which make.py there writes)."""

import json
import math
import re
import sys

import pytest
from box import ROOT
from formats import read

sys.path.append(str(ROOT / "test/run/optimizers"))
from table import PAGE, rows

EXPECTED = json.loads((ROOT / "test/run/optimizers/expected.json").read_text())
STEPS = 12
# Of row N: variables and loss of make.py.
VARIABLES = """\
graph.variable @w{n} : tensor<3xf64> = #graph.value<dense<[1.0, -2.0, 0.5]> : tensor<3xf64>>
graph.variable @b{n} : tensor<2xf64> = #graph.value<dense<[3.0, -0.25]> : tensor<2xf64>>
"""
LOSS = """\
  %w{n} = graph.read @w{n} : tensor<3xf64>
  %b{n} = graph.read @b{n} : tensor<2xf64>
  %ww{n} = graph.multiply %w{n}, %w{n} : tensor<3xf64>
  %bb{n} = graph.multiply %b{n}, %b{n} : tensor<2xf64>
  %cw{n} = graph.multiply %ww{n}, %curveOfW : tensor<3xf64>
  %cb{n} = graph.multiply %bb{n}, %curveOfB : tensor<2xf64>
  %lw{n} = graph.reduce_sum %cw{n} dimensions = [0] : (tensor<3xf64>) -> tensor<f64>
  %lb{n} = graph.reduce_sum %cb{n} dimensions = [0] : (tensor<2xf64>) -> tensor<f64>
  %loss{n} = graph.add %lw{n}, %lb{n} : tensor<f64>
  graph.minimize %loss{n} {{{minimize}, variables = [@w{n}, @b{n}]}} : tensor<f64>
"""


def minimizeOf(kind, ours, number):
    if kind == "schedule":
        rate = f'learning_rate_summary = "rate{number}"'
        return f"optimizer = #graph.sgd<learning_rate = {ours}>, {rate}"
    return f"optimizer = {ours}" if ours.startswith("#graph.") else ours


def test_tables(box):
    """Every row, in one model."""
    table = list(rows())
    assert [f"{kind}: {theirs}" for kind, theirs, _ in table] == list(EXPECTED)
    functions = "".join(
        LOSS.format(n=n, minimize=minimizeOf(kind, ours, n))
        for n, (kind, _, ours) in enumerate(table)
    )
    box.write(
        "model.mlir",
        "".join(VARIABLES.format(n=n) for n in range(len(table)))
        + "graph.func @train_step() -> () attributes {role = #graph.role<train>} {\n"
        + "  %curveOfW = graph.constant dense<[0.5, 1.0, 0.25]> : tensor<3xf64>\n"
        + "  %curveOfB = graph.constant dense<[2.0, 1.5]> : tensor<2xf64>\n"
        + functions
        + "  graph.return\n}\n",
    )
    box.graphc("model.mlir", "-o", "model.plan")
    history = "--history", "run.jsonl", "--save_summaries_steps", 1
    box.graphrun("model.plan", "--steps", STEPS, *history, "--dump_variables", "end")
    records = [json.loads(line)["values"] for line in (box / "run.jsonl").read_text().splitlines()]
    for n, (kind, theirs, _) in enumerate(table):
        known = EXPECTED[f"{kind}: {theirs}"]
        if kind == "schedule":
            found = [record[f"rate{n}"] for record in records]
            assert found == pytest.approx(known, rel=1e-6), theirs
            continue
        for name in "wb":
            found = list(read(box / f"end/{name}{n}.npy")[1])
            assert found == pytest.approx(known[name], rel=1e-6), f"{theirs}: {name}"


def test_lion(box):
    """The page's own optimizer, step by step, against its definition."""
    model = re.search(r"^```mlir lion.mlir\n(.*?)^```", PAGE.read_text(), re.S | re.M)[1]
    seen = """\
  graph.summary "x", %x {reduction = "first_replica"} : tensor<16x4xf32>
  graph.summary "y", %y {reduction = "first_replica"} : tensor<16x1xf32>
"""
    box.write("lion.mlir", model.replace("  graph.return", seen + "  graph.return"))
    box.graphc("lion.mlir", "-o", "lion.plan")
    box.graphrun("lion.plan", "--steps", 0, "--dump_variables", "start")
    fetches = "--fetch=x=x.npy", "--fetch=y=y.npy"
    box.graphrun("lion.plan", "--steps", 40, *fetches, "--dump_variables", "end")
    x, y = (list(read(box / f"{name}.npy")[1]) for name in "xy")
    w, momentum = list(read(box / "start/w.npy")[1]), [0.0] * 4
    for step in range(40):
        rows = [x[row : row + 4] for row in range(64 * step, 64 * step + 64, 4)]
        errors = [
            sum(a * b for a, b in zip(row, w, strict=True)) - y[16 * step + n]
            for n, row in enumerate(rows)
        ]
        for i in range(4):
            g = sum(2 * e * row[i] for e, row in zip(errors, rows, strict=True)) / 16
            w[i] -= 0.1 * 0.99**step * math.copysign(1, 0.9 * momentum[i] + 0.1 * g)
            momentum[i] = 0.99 * momentum[i] + 0.01 * g
    assert list(read(box / "end/w.npy")[1]) == pytest.approx(w, abs=1e-5)
    assert list(read(box / "end/w.momentum.npy")[1]) == pytest.approx(momentum, abs=1e-5)
