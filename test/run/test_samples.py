"""Each sample once an epoch, across restarts, changes of the number of workers, and returns:
models/seen.mlir counts them."""

import collections
import os
import signal

import formats
import pytest
from box import MODELS, delay, goesOn
from process import until

SEEN, SAMPLES, BATCH = MODELS / "seen.mlir", 24, 2
SLOW = delay(worker0=1500, worker1=1500, worker2=1500)


@pytest.fixture(autouse=True)
def numbers(box):
    formats.write(box / "numbers.npy", "<i4", [SAMPLES], range(SAMPLES))


def train(box, plan, steps, kill, back="going on from", save=50, env=SLOW):
    """The counts behind so many steps, on the way to which these tasks die one by one."""
    __tracebackhide__ = True
    lines = rf"^\[\S+\] .*(?:{back})"  # a task's own, not the launcher's that quotes it
    run = box.launch(
        plan,
        "--steps",
        steps,
        "--data_dir",
        ".",
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        save,
        "--max_restarts",
        9,
        "--fetch",
        "loss",
        "--dump_variables",
        "dump",
        env=env,
    )
    for number, task in enumerate(kill, 1):
        goesOn(run, 60)
        before = len(run.err.matches(lines))
        os.kill(run.pidOf(task), signal.SIGKILL)
        run.err.waitFor(rf"; restarting .* \(restart {number} of 9\)")
        until(lambda before=before: len(run.err.matches(lines)) > before, "all go on")
    run.ends()
    return list(formats.read(box / "dump/seen.npy")[1])


@pytest.mark.parametrize("strategy", ["ps", "all_reduce"])
def test_restarts(box, strategy):
    """Two workers, three deaths: a step's mean counts each of its samples half. 600 steps are 100
    epochs."""
    plan = (
        box.servers("two", 2, 1, "sync", SEEN)
        if strategy == "ps"
        else box.compile("two", {"worker": 2, "strategy": "all_reduce"}, SEEN)
    )
    assert (
        train(
            box,
            plan,
            600,
            kill=["worker-1", "ps-0" if strategy == "ps" else "worker-1", "worker-0"],
        )
        == [50.0] * SAMPLES
    )


def test_another_number_of_workers(box):
    """Half an epoch behind the 49th two workers become three: those who had not been seen in it are
    seen once."""
    train(box, box.servers("two", 2, 1, "sync", SEEN), 297, kill=["worker-1"])
    seen = train(box, box.servers("three", 3, 1, "sync", SEEN), 297 + 2 + 50 * 4, kill=["worker-2"])
    counts = collections.Counter(round(count, 3) for count in seen)
    assert counts == {
        round(49 / 2 + 1 / 2 + 50 / 3, 3): SAMPLES // 2,
        round(49 / 2 + 1 / 3 + 50 / 3, 3): SAMPLES // 2,
    }, counts


@pytest.mark.parametrize("victim", ["worker-1", "ps-0"])
def test_asynchronous(box, victim):
    """Workers at unlike speeds, of which one dies: where a checkpoint pauses them one has taken
    samples ahead of the others. Behind it all begin with what is left out, also three of them
    instead of two, and one that takes what is left of the 100th epoch."""
    unlike = delay(worker0=3000, worker1=1000, worker2=2000)
    train(
        box,
        box.servers("two", 2, 1, "async", SEEN),
        600,
        kill=[victim],
        back="is back|going on from",
        env=unlike,
    )
    left = box.json("ckpt/step-600/manifest.json")
    assert (
        left["data_position"] == {"train_step @train": 600 * BATCH}
        and len(left["data_taken"]["train_step @train"]) >= 2
    ), left
    train(box, box.servers("three", 3, 1, "async", SEEN), 800, kill=[], env=unlike)
    assert (
        train(box, box.servers("one", 1, 1, "sync", SEEN), 1200, kill=[])
        == [1200 * BATCH / SAMPLES] * SAMPLES
    )


def test_from_memory(box):
    """What asynchronous workers had taken ahead is known also behind a death from which a run goes
    on by what the others have in memory. There the mean of two workers counts each sample half."""
    before = train(
        box,
        box.servers("two", 2, 1, "async", SEEN),
        600,
        kill=[],
        save=100000,
        env=delay(worker0=500, worker1=60000),
    )
    ahead = box.json("ckpt/step-600/manifest.json")["data_taken"]["train_step @train"]
    assert len(ahead) > 2 * 200, "more than 200 updates apart"
    plan = box.compile(
        "memory", {"worker": 2, "strategy": {"name": "all_reduce", "recovery": "memory"}}, SEEN
    )
    after = train(box, plan, 1200, kill=["worker-1"], back="in the memory of", save=100000)
    epochs = (600 * BATCH + 600 * 2 * BATCH) / SAMPLES
    assert after == [count + (epochs - count) / 2 for count in before]


def test_returns(box):
    """Asynchronous workers that come back while the others go on: each update counts its samples
    once, and of a worker's own, which it takes in turns, none is passed over."""
    box.write("model.mlir", SEEN.read_text().replace("shuffle = true, seed = 3", "shuffle = false"))
    seen = train(
        box,
        box.servers("async", 3, 1, "async", box / "model.mlir"),
        6000,
        kill=["worker-1", "worker-2", "worker-1"],
        back="is back",
        save=100000,
    )
    assert sum(seen) == 6000 * BATCH and formats.updates(box / "dump") == 6000
    for worker in range(3):
        own = [seen[number] for number in range(SAMPLES) if number // BATCH % 3 == worker]
        assert max(own) - min(own) <= 1, (worker, seen)
