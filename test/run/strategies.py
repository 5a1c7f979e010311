"""The rows of strategies.json: strategies.py --table writes the table of docs/status.md,
test_strategies.py runs them.

Each row is one strategy; each cell of it one promise, tried on every model and cluster of the row.
The models are the same files for all rows; nothing but cluster.json differs.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "strategies.json")) as table:
    DATA = json.load(table)
CELLS = list(DATA["cells"])
ROWS = {row["name"]: row for row in DATA["rows"]}
FILES = {
    name: os.path.abspath(os.path.join(HERE, "../..", path))
    for name, path in {
        "linear-regression": "examples/linear-regression/model.mlir",
        "mlp": "test/run/models/mlp.mlir",
        "fashion-mnist": "examples/fashion-mnist/model.mlir",
        "bottleneck": "test/run/models/bottleneck.mlir",
        "products": "test/run/models/products.mlir",
    }.items()
}
ON_GPUS = ("products",)  # what they show is a GPU's library
ON_DEVICES = ("linear-regression", "mlp", "bottleneck")  # on those with memory of their own


def nameOf(cluster):
    return "-".join(f"{tasks}{job}" for job, tasks in cluster.items())


def clusterOf(row, model, cluster):
    """cluster.json of a row for a model."""
    jobs = (
        {job: [f"{job}{i}:2222" for i in range(tasks)] for job, tasks in cluster.items()}
        if row.get("apart")
        else cluster
    )
    config = {**jobs, "strategy": row["strategy"], "devices": row.get("devices", {})}
    if rules := row.get("placement", {}).get(model):
        job, tasks = next(iter(cluster.items()))
        config["placement"] = [
            {"name": pattern, "device": f"/job:{job}/task:{task % tasks}"}
            for pattern, task in rules
        ]
    return config


def writeTable():
    """Fails where a cell names a test that is not there."""
    with open(os.path.join(HERE, "test_strategies.py")) as file:
        tests = re.findall(r"^def test_(\w+)\(", file.read(), re.M)
    if tests != CELLS:
        sys.exit(
            f"the cells of strategies.json are {CELLS}, the tests of test_strategies.py {tests}"
        )
    print("\n".join(f"- **{cell}**: {text}" for cell, text in DATA["cells"].items()) + "\n")
    print("| strategy | " + " | ".join(CELLS) + " |\n" + "|---" * (len(CELLS) + 1) + "|")
    for row in DATA["rows"]:
        instead = {
            **row.get("notOn", {}),
            **({"exact": row["inexact"]} if "inexact" in row else {}),
        }
        cells = [instead.get(cell, f"`test_{cell}[{row['name']}]`") for cell in CELLS]
        print(f"| {row['title']} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if sys.argv[1:] != ["--table"]:
        sys.exit("usage: strategies.py --table")
    writeTable()
