"""The same model and cluster give the same plan, and two synchronous runs the same checkpoint, byte for byte."""
import shutil

import pytest
from box import ROOT, same

EXAMPLES = [(folder.name, cluster.name) for folder in sorted((ROOT / "examples").iterdir()) for cluster in sorted(folder.glob("cluster*.json"))
            if folder.name in ("distributed-matmul", "linear-regression", "fashion-mnist")]


@pytest.mark.parametrize("example, cluster", EXAMPLES)
def test_plans(box, example, cluster):
    """From two directories, with and without MLIR's threads."""
    for folder in "a/deeper/folder", "b":
        shutil.copytree(ROOT / "examples" / example, box / folder, ignore=lambda _, names: [n for n in names if not n.endswith(".json") and n != "model.mlir"])
    box.graphc("--partition", cluster, "model.mlir", "-o", "../../../first.plan", cwd="a/deeper/folder")
    box.graphc("--partition", cluster, "model.mlir", "--mlir-disable-threading", "-o", "../second.plan", cwd="b")
    assert (box / "first.plan").read_bytes() == (box / "second.plan").read_bytes()


def test_comparison_can_fail(box):
    """Another learning rate gives another plan."""
    folder = ROOT / "examples/fashion-mnist"
    old, new = "learning_rate = 0.01", "learning_rate = 0.02"
    text = (folder / "model.mlir").read_text()
    assert old in text
    box.write("model.mlir", text.replace(old, new))
    for model, plan in (folder / "model.mlir", "one.plan"), ("model.mlir", "other.plan"):
        box.graphc("--partition", folder / "cluster-sync.json", model, "-o", plan)
    assert (box / "one.plan").read_bytes() != (box / "other.plan").read_bytes()


def test_checkpoints(box, two):
    for folder in "first", "second":
        box.graphrun(two, "--steps", 30, "--checkpoint_dir", folder)
    same(box / "first", box / "second")
