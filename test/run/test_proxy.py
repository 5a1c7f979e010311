"""Faults of the network between tasks over gRPC: the same result, or an error that names who is
away, before a deadline."""

import time

import pytest
from box import LONG, asName, delay, same
from process import ended
from proxy import Network

TASKS = "worker-0", "worker-1", "ps-0"
STEPS = 300


@pytest.fixture
def network(box, ports):
    made = Network(box, {task: ports[n] for n, task in enumerate(TASKS)})
    yield made
    made.close()


@pytest.fixture
def run(box, two, network):
    """Starts all three, with a checkpoint every 20 steps of some 5 ms; what else is for each."""

    def start(*arguments, slow=True):
        env = delay(worker1=5000) if slow else {}
        return {
            task: box.task(
                task,
                two,
                "--steps",
                STEPS,
                "--checkpoint_dir",
                "ckpt",
                "--save_checkpoint_steps",
                20,
                "--dump_variables",
                "dump",
                *network.flags,
                *arguments,
                env={**env, **network.of(task)},
            )
            for task in TASKS
        }

    return start


def straight(box, two):
    return box.weights(two, "--steps", STEPS, to="straight")


def goesOn(box, two):
    """With the network whole again, from the last checkpoint."""
    box.weights(two, "--steps", STEPS, "--checkpoint_dir", "ckpt", to="after")
    box.last.err.expect("going on from ckpt/step-")
    same(straight(box, two), box / "after")


def test_late(box, two, network, run):
    """What comes late or slowly changes nothing."""
    network.between("worker-1").slow(2_000_000)
    network.between("ps-0", "worker-0").delay(0.001)
    ended(run(slow=False).values())
    same(straight(box, two), box / "dump")


def test_short_silence(box, two, network, run):
    """Nothing passes for 2 s, and the run goes on as if nothing had been."""
    tasks = run()
    box.checkpoint("ckpt")
    network.between("worker-1").silent()
    time.sleep(2)
    network.between("worker-1").heal()
    ended(tasks.values())
    same(straight(box, two), box / "dump")


@pytest.mark.parametrize(
    "fault,other", [("cut", "ps-0"), ("silent", None)] + [("cut", None), ("silent", "ps-0")] * LONG
)
def test_lost(box, two, network, run, fault, other):
    """A connection that is lost, or over which nothing comes any more, of a worker with all others
    or with the parameter server alone (with --long each of both): every task ends with an error
    that names one of the two, and the run goes on from its checkpoint."""
    tasks = run()
    box.checkpoint("ckpt")
    getattr(network.between("worker-1", other), fault)()
    for name, task in tasks.items():
        task.ends((1, 138), 60)  # 18 s at most where nobody else computes
        # Who is cut off from all misses the chief.
        ends = ["worker-1", "ps-0"] + ["worker-0"] * (name == "worker-1" and not other)
        task.err.expect(f"^graphrun: .*({'|'.join(asName(end) for end in ends)})")
    network.close()
    box.nothingLeft()
    goesOn(box, two)
