"""Strategy all_reduce: no server, every worker keeps the variables; the weights of one device with
as many micro-batches, bit for bit."""

import os

import pytest
from box import accuracy, delay, same


def workers(box, name, n, **settings):
    return box.compile(name, {"worker": n, "strategy": {"name": "all_reduce", **settings}})


@pytest.mark.parametrize("settings", [{}, {"bucket_bytes": 1}], ids=["together", "alone"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_bits(box, n, settings, transport):
    """Gradients in one message and each alone; of three workers the first are late."""
    one, printed = box.reference(n, "--steps", 30)
    assert len(os.listdir(one)) == 9, "4 variables, 4 slots and global_step"
    plan = workers(box, "many", n, **settings)
    many = box.weights(
        plan,
        "--steps",
        30,
        f"--transport={transport}",
        "--stats",
        "stats.json",
        env=delay(worker0=3000, worker1=1500, worker2=0) if n == 3 else None,
    )
    same(one, many)
    assert accuracy(box.last.out) == accuracy(printed)


def test_a_message_for_each_gradient(box):
    text = box.show(
        "alone", "plan-text", {"worker": 2, "strategy": {"name": "all_reduce", "bucket_bytes": 1}}
    )
    assert len(text.matches("all_to_all: true")) == 4


def test_killed_and_resumed(box):
    """Each worker in turn: named, nothing left; the end is that of an uninterrupted run, and of one
    device."""
    two = workers(box, "two", 2)
    straight = box.weights(two, "--steps", 300)
    for worker in 0, 1:
        box.dies(two, f"worker-{worker}", folder=f"ckpt-{worker}")
    box.graphrun(two, "--steps", 150, "--checkpoint_dir", "half")
    assert len(list(box.folder.glob("half/step-150/*.safetensors"))) == 1, (
        "the chief alone saves, one copy of each variable"
    )
    same(straight, box.weights(two, "--steps", 300, "--checkpoint_dir", "half"))
    same(straight, box.reference(2, "--steps", 300)[0])


def test_checkpoint_of_the_model(box):
    """A checkpoint belongs to the model and not to the strategy: one device goes on from it."""
    box.graphrun(workers(box, "two", 2), "--steps", 150, "--checkpoint_dir", "half")
    one = box.weights(box.oneDevice("one", 2), "--steps", 300, "--checkpoint_dir", "half")
    box.last.err.expect("going on from half/step-150")
    same(box.reference(2, "--steps", 300)[0], one)
