"""Runs the first column of each table of docs/optimizers.md, and writes expected.json.   make.py

pip install torch==2.12.1 jax==0.10.2 optax==0.2.8. test/run/test_optimizer_page.py compares the
second column with it.
"""

import json
from pathlib import Path

import jax
import numpy as np
import optax
import torch
from table import rows

jax.config.update("jax_enable_x64", True)
STEPS = 12
START = {"w": [1.0, -2.0, 0.5], "b": [3.0, -0.25]}
CURVE = {"w": [0.5, 1.0, 0.25], "b": [2.0, 1.5]}  # the loss is the sum of curve * value²


def trainTorch(code):
    values = {
        name: torch.tensor(start, dtype=torch.float64, requires_grad=True)
        for name, start in START.items()
    }
    optimizer = eval(code, vars(torch.optim), {"p": list(values.values())})
    for _ in range(STEPS):
        optimizer.zero_grad()
        losses = [(torch.tensor(CURVE[name]) * w * w).sum() for name, w in values.items()]
        sum(losses).backward()
        optimizer.step()
    return {name: value.tolist() for name, value in values.items()}


def trainOptax(code):
    values = {name: np.array(start) for name, start in START.items()}
    optimizer = eval(code, vars(optax))
    state = optimizer.init(values)
    for _ in range(STEPS):
        gradient = {name: 2 * np.array(CURVE[name]) * value for name, value in values.items()}
        update, state = optimizer.update(gradient, state, values)
        values = optax.apply_updates(values, update)
    return {name: value.tolist() for name, value in values.items()}


def rates(code):
    schedule = eval(code, vars(optax))
    return [float(schedule(step)) for step in range(STEPS)]


if __name__ == "__main__":
    run = {"torch": trainTorch, "optax": trainOptax, "schedule": rates}
    expected = {f"{kind}: {theirs}": run[kind](theirs) for kind, theirs, _ in rows()}
    (Path(__file__).parent / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
