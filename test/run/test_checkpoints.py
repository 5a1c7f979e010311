"""Checkpoints of synchronous runs: equal ones of equal runs, resumed runs, damaged ones, the last
five, what is refused."""

import os
import shutil
import subprocess

import pytest
from box import FOREVER, MLP, differences, files, same
from process import until


@pytest.fixture(scope="module")
def sixty(shared):
    """60 steps at once."""
    shared.graphrun(shared.servers("two", 2, 1), "--steps", 60, "--checkpoint_dir", "a")
    return shared / "a"


@pytest.fixture(scope="module")
def pieces(shared):
    """60 steps in four pieces, on three clusters; the data goes on where it was."""
    two, wide, one = (
        shared.servers("two", 2, 1),
        shared.servers("wide", 2, 2),
        shared.oneDevice("one", 2),
    )
    said = [
        shared.graphrun(plan, "--steps", steps, "--checkpoint_dir", "c").err
        for plan, steps in ((two, 20), (wide, 45), (one, 50), (two, 60))
    ]
    said[1].expect("going on from c/step-20")
    said[2].expect("going on from c/step-45")
    return shared / "c"


def test_equal_runs(box, two, sixty):
    """They write equal checkpoints, over either transport; nothing else is in the folder; another
    step differs."""
    box.graphrun(two, "--steps", 60, "--checkpoint_dir", "b", "--transport=grpc")
    same(sixty, box / "b")
    assert sorted(os.listdir(sixty)) == [
        "finished.json",
        "step-13",
        "step-26",
        "step-39",
        "step-51",
        "step-60",
    ], "the ends of the epochs and of the run"
    assert sorted(os.listdir(sixty / "step-60")) == ["manifest.json", "ps-0.safetensors"]
    box.graphrun(two, "--steps", 61, "--checkpoint_dir", "other")
    assert (sixty / "step-60/ps-0.safetensors").read_bytes() != (
        box / "other/step-61/ps-0.safetensors"
    ).read_bytes()


def test_in_pieces(sixty, pieces):
    """A run resumed, also with other numbers of tasks, ends bit-equal."""
    same(sixty / "step-60", pieces / "step-60")


def flip(folder):
    with open(folder / "ps-0.safetensors", "r+b") as file:
        file.seek(900)
        file.write(b"\xa5")


def cut(folder):
    os.truncate(folder / "ps-0.safetensors", os.path.getsize(folder / "ps-0.safetensors") - 1)


def gone(folder):
    (folder / "ps-0.safetensors").unlink()


def manifest(folder):
    text = (folder / "manifest.json").read_text()
    assert '"global_step": 60' in text
    (folder / "manifest.json").write_text(text.replace('"global_step": 60', '"global_step": 61'))


@pytest.mark.parametrize("damage", [flip, cut, gone, manifest])
def test_damaged(box, two, pieces, damage):
    """A damaged newest one is skipped with a line, and written again."""
    shutil.copytree(pieces, box / "d")
    damage(box / "d/step-60")
    assert differences(pieces, box / "d")
    box.graphrun(two, "--steps", 60, "--checkpoint_dir", "d").err.expect(
        "checkpoint d/step-60 is skipped: d/step-60/", "going on from d/step-5[01]$"
    )
    same(pieces / "step-60", box / "d/step-60")


def test_last_five(box, two):
    box.graphrun(two, "--steps", 40, "--checkpoint_dir", "e", "--save_checkpoint_steps", 5)
    steps = sorted(
        int(name.removeprefix("step-")) for name in os.listdir(box / "e") if name != "finished.json"
    )
    assert len(steps) == 5 and steps[-1] == 40


def test_another_model(box, sixty):
    """Its checkpoint is refused, with the remedy, which is not to start again."""
    text = MLP.read_text()
    for old, new in (
        ("64x4xf32", "64x5xf32"),
        ("8x4xf32", "8x5xf32"),
        ("10x4xf32", "10x5xf32"),
        ("tensor<4xf32>", "tensor<5xf32>"),
    ):
        text = text.replace(old, new)
    box.write("five.mlir", text)
    run = box.graphrun(
        box.servers("five", 2, 1, model="five.mlir"),
        "--steps",
        70,
        "--checkpoint_dir",
        sixty,
        status=1,
    )
    run.expect("variable .* is tensor<.*>, the plan has tensor<.*use another --checkpoint_dir")
    run.never("start again")


def test_folder_in_use(box, two):
    """By another run: refused."""
    holder = box.launch(two, "--steps", FOREVER, "--checkpoint_dir", "busy", name="holder")
    until(
        lambda: (
            (box / "busy").is_dir()
            and subprocess.run(["flock", "-n", box / "busy", "true"]).returncode
        ),
        "the folder is held",
    )
    box.graphrun(two, "--steps", 5, "--checkpoint_dir", "busy", status=1).expect(
        "checkpoint_dir busy is in use by another run"
    )
    holder.signal(15)
    holder.ends(None)


def test_evaluating(box, two, pieces):
    """It reads, has the accuracy of the checkpoint, and does not make up what is not there."""
    shutil.copytree(pieces, box / "c")
    box.graphrun(two, "--steps", 60, "--checkpoint_dir", "c", "--stats", "trained.json")
    before = files(box / "c")
    box.graphrun(
        two, "--entry", "eval", "--checkpoint_dir", "c", "--stats", "evaluated.json"
    ).err.expect("going on from c/step-60")
    assert files(box / "c") == before
    assert (
        box.json("trained.json")["final"]["accuracy"]
        == box.json("evaluated.json")["final"]["accuracy"]
    )
    refused = box.graphrun(two, "--entry", "eval", "--checkpoint_dir", "nowhere", status=1)
    refused.expect("--checkpoint_dir nowhere has no checkpoint, which --entry eval and predict require")
    assert not (box / "nowhere").exists()


def test_evaluating_while_a_run_trains(box, two):
    run = box.launch(
        two, "--steps", FOREVER, "--checkpoint_dir", "busy", "--save_checkpoint_secs", 1
    )
    box.checkpoint("busy")
    box.graphrun(two, "--entry", "eval", "--checkpoint_dir", "busy")
    run.stop(status=1)
