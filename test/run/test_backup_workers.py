"""replicas_to_aggregate 2 of 3: two gradients make a step, whosever they are, and what comes later
is dropped and counted."""

import itertools
import os
import signal
import struct

import pytest
from box import delay, goesOn, same
from formats import read, updates

TWO = {"replicas_to_aggregate": 2}
# Every sample is the same.
SAME = """\
graph.variable @w : tensor<6x3xf32> = #graph.glorot_uniform<seed = 1>
graph.dataset @train : (tensor<6xf32>, tensor<i32>) = #graph.synthetic<samples = 1, seed = 7, limits = [0, 3]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %loss = graph.softmax_cross_entropy %l, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""


def test_stopped_worker(box, transport):
    """A worker that is stopped (SIGSTOP) does not hold the others up; each gradient was applied or
    dropped."""
    run = box.launch(
        box.servers("backup", 3, 2, **TWO),
        "--steps",
        3000,
        "--fetch",
        "loss",
        f"--transport={transport}",
        "--stats",
        "stats.json",
        "--dump_variables",
        "dump",
        env=delay(worker0=200, worker1=200, worker2=200),
    )
    goesOn(run, 30)
    worker = run.pidOf("worker-2")
    os.kill(worker, signal.SIGSTOP)
    goesOn(run, 1000, "while a worker is stopped")
    os.kill(worker, signal.SIGCONT)
    run.ends()
    box.nothingLeft()
    assert updates(box / "dump") == 3000
    tasks = box.json("stats.json")["tasks"]
    made = [tasks[f"/job:worker/task:{i}"]["steps"] for i in range(3)]
    (chooser,) = [task for task in tasks.values() if "dropped" in task]
    dropped = chooser["dropped_by_replica"]
    assert chooser["dropped"] == sum(dropped) and dropped[2] >= 1
    # At most the last of each worker was never seen.
    assert abs(sum(made) - 6000 - sum(dropped)) <= 3
    assert made[2] < 2500, "at most one gradient for each step, and none for most of the 1000 steps"


@pytest.mark.parametrize("ps", [1, 2])
def test_late_gradients_change_nothing(box, ps):
    """Where every sample is the same, two of three give the bits of one device with two
    micro-batches."""
    box.write("same.mlir", SAME)
    one, _ = box.reference(2, "--steps", 200, model="same.mlir")
    same(one, box.weights(box.servers("three", 3, ps, model="same.mlir", **TWO), "--steps", 200))


def test_two_leaves(box):
    """Each replica adds its five micro-batches one by one, and the chosen two are added: the bits
    of one device with two leaves."""
    box.write("same.mlir", SAME)
    two = {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 10, "sum_leaves": 2}}
    same(
        box.weights(box.compile("leaves", two, "same.mlir"), "--steps", 200),
        box.weights(
            box.servers("fifteen", 3, 1, model="same.mlir", micro_batches=15, **TWO), "--steps", 200
        ),
    )


@pytest.mark.parametrize("ps", [1, 2])
def test_on_simulated_devices(box, ps):
    """The same of workers whose work is done as late as their devices may, with the servers on
    CPUs: the bits of one such device."""
    box.withSim()
    box.write("same.mlir", SAME)
    one = box.compile(
        "one",
        {
            "worker": 1,
            "devices": {"worker": ["SIM:0"]},
            "strategy": {"name": "one_device", "micro_batches": 2},
        },
        "same.mlir",
    )
    three = box.compile(
        "three",
        {
            "ps": ps,
            "worker": 3,
            "devices": {"worker": ["SIM:0"]},
            "strategy": {"name": "parameter_server", **TWO},
        },
        "same.mlir",
    )
    three.err.expect("/job:ps/.*CPU:0 ", "/job:worker/device:SIM:0 ")
    same(box.weights(one, "--steps", 100), box.weights(three, "--steps", 100))


def test_all(box):
    """All of them to aggregate is the plain synchronous strategy."""
    box.write("same.mlir", SAME)
    same(
        box.weights(box.servers("all", 2, 1, model="same.mlir", **TWO), "--steps", 50),
        box.weights(box.servers("plain", 2, 1, model="same.mlir"), "--steps", 50),
    )


def test_goes_on_after_a_death(box):
    """From a checkpoint."""
    backup = box.servers("backup", 3, 2, **TWO)
    box.dies(backup, "worker-1", folder="dir")
    box.graphrun(backup, "--epochs", 1, "--checkpoint_dir", "dir").err.expect(
        "going on from dir/step-"
    )


# The gradient of a micro-batch is its sample, of which there are twelve; one step of rate 1 from
# zeros leaves their mean, with the other sign.
SAMPLES = "graph.dataset @train : (tensor<64xf32>) = #graph.synthetic<samples = 12, seed = 7>\n"
SUMS = (
    SAMPLES
    + """\
graph.variable @w : tensor<64xf32> = #graph.zeros
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 1} : tensor<1x64xf32>
  %v = graph.reshape %x : (tensor<1x64xf32>) -> tensor<64xf32>
  %w = graph.read @w : tensor<64xf32>
  %p = graph.multiply %w, %v : tensor<64xf32>
  %loss = graph.reduce_sum %p dimensions = [0] : (tensor<64xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 1.0>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
)
SEEN = (
    SAMPLES
    + """\
graph.variable @seen : tensor<1x64xf32> = #graph.zeros {trainable = false}
graph.func @train_step() attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 1} : tensor<1x64xf32>
  graph.assign @seen, %x : tensor<1x64xf32>
  graph.return
}
"""
)


def rounded(value):
    """As f32."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def folded(vectors):
    """Left to right, each sum rounded: of two floats a double has it exactly, or near enough to be
    rounded as they would be."""
    total, *others = vectors
    for other in others:
        total = [rounded(a + b) for a, b in zip(total, other)]
    return total


@pytest.mark.parametrize("order", [(1, 3, 0), (3, 2, 1)], ids=str)
def test_order_of_sums(box, order):
    """Each of four workers adds its three micro-batches one after another; the first three to come
    are added in the order of the replicas, in whatever order they came."""
    box.write("seen.mlir", SEEN)
    box.write("sums.mlir", SUMS)
    one = box.oneDevice("seen", 1, "seen.mlir")
    samples = [
        list(read(box.weights(one, "--steps", step, to=f"seen-{step}") / "seen.npy")[1])
        for step in range(1, 13)
    ]
    assert len(set(map(tuple, samples))) == 12
    late = {
        f"worker{worker}": 300000 * (order.index(worker) if worker in order else 6)
        for worker in range(4)
    }
    plan = box.servers("backup", 4, 1, model="sums.mlir", replicas_to_aggregate=3, micro_batches=12)
    left = list(read(box.weights(plan, "--steps", 1, env=delay(**late)) / "w.npy")[1])
    mine = [folded(samples[3 * worker : 3 * worker + 3]) for worker in range(4)]
    mean = lambda total: [-rounded(each / 9) for each in total]
    assert left == mean(folded([mine[worker] for worker in sorted(order)]))
    # All other orders of the three would be seen, and so would one sum over all nine.
    others = [
        folded([mine[worker] for worker in other])
        for other in itertools.permutations(order)
        if set(other[:2]) != set(sorted(order)[:2])
    ]
    others.append(
        folded(
            [sample for worker in sorted(order) for sample in samples[3 * worker : 3 * worker + 3]]
        )
    )
    assert len(others) == 5 and all(left != mean(other) for other in others)
