#!/usr/bin/env python3
"""docs/ops.md has every op that models are written with, once, and no other.   ops_page.py ROOT [--frameworks]

The ops are those of the first section of docs/dialects/graph.md. With --frameworks the names of the
other two columns are looked up in PyTorch, JAX, Flax and Optax, which must be installed.
"""

import collections
import importlib
import os
import re
import sys

PREFIXES = {"F": "torch.nn.functional", "lax": "jax.lax", "jnp": "jax.numpy"}
OBJECTS = {"Tensor": ("torch", "Tensor"), "SummaryWriter": None, "nnx": ("flax", "nnx")}
MODULES = ("torch", "jax", "flax", "optax")


def sections(root):
    """Names of the ops that models are written with, and of those that passes create."""
    with open(os.path.join(root, "docs/dialects/graph.md"), encoding="utf-8") as file:
        page = file.read()
    parts = re.search(
        r"^### Operations of models\n(.*?)^### Operations that passes create\n(.*?)^## Attributes", page, re.S | re.M
    )
    if not parts:
        sys.exit("docs/dialects/graph.md does not list ops of models apart from those of passes")
    return [re.findall(r"^#### `graph\.(\w+)`", part, re.M) for part in parts.groups()]


def rows(root):
    """(ops, names of the frameworks) of each row of a table of ops."""
    with open(os.path.join(root, "docs/ops.md"), encoding="utf-8") as file:
        page = file.read()
    for table in re.findall(r"^\| graph op .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.M):
        for line in table.splitlines():
            ops, *others = line.strip("|").split(" | ")
            yield re.findall(r"`(\w+)`", ops), re.findall(r"`([A-Za-z_]\w*(?:\.\w+)+)`", " ".join(others))
    last = re.search(r"^\| wanted .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.M)[1]
    for line in last.splitlines():
        yield None, re.findall(r"`(\w+)`", line.strip("|").split(" | ")[1])


def resolves(name):
    first, *rest = name.split(".")
    if first in PREFIXES:
        return resolves(".".join([PREFIXES[first], *rest]))
    if first == "nn":
        return any(resolves(".".join([module, *rest])) for module in ("torch.nn", "flax.linen"))
    if first in OBJECTS and OBJECTS[first]:
        return resolves(".".join([*OBJECTS[first], *rest]))
    if first not in MODULES:
        return None  # no name of a package: x + b, loss.backward()
    found = importlib.import_module(first)
    for index, part in enumerate(rest):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join([first, *rest[: index + 1]]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def main():
    root = sys.argv[1]
    models, passes = sections(root)
    findings, listed, names = [], collections.Counter(), set()
    for ops, others in rows(root):
        if ops is None:
            findings += [f"docs/ops.md: there is no graph.{op}" for op in others if op not in models]
            continue
        listed.update(ops)
        names.update(others)
    for op, times in listed.items():
        if op in passes:
            findings.append(f"docs/ops.md: graph.{op} is created by passes")
        elif op not in models:
            findings.append(f"docs/ops.md: there is no graph.{op}")
        if times > 1:
            findings.append(f"docs/ops.md: graph.{op} is in {times} rows")
    findings += [f"docs/ops.md lacks graph.{op}" for op in models if op not in listed]
    if "--frameworks" in sys.argv:
        known = {name: resolves(name) for name in sorted(names)}
        findings += [f"docs/ops.md: {name} does not exist" for name, found in known.items() if found is False]
        print(f"{sum(found is True for found in known.values())} names of frameworks")
    print("\n".join([*findings, f"{len(listed)} ops, {len(findings)} findings"]))
    sys.exit(1 if findings or len(listed) < 80 or not passes else 0)


if __name__ == "__main__":
    main()
