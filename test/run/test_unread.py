"""Results that the chief does not print, since nobody reads what it prints, wait in their task up
to a limit; then its step waits."""

import os

import pytest
from box import FOREVER
from process import ended

WAITS = "waits at step [0-9]+ for the chief /job:worker/task:0 to take the results"
UNREAD = "^graphrun: /job:worker/task:0: nobody reads what the chief prints: .*, longer than --wait_deadline .14s."
# Two workers that never wait for each other: a result of 1,000 elements a step, 4 KB that become a
# line of several KB.
MODEL = """\
graph.variable @w : tensor<1000xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.dataset @d : (tensor<1000xf32>) = #graph.synthetic<samples = 64, seed = 1>
graph.func @train_step() -> (tensor<1000xf32> {graph.name = "all", graph.reduction = "first_replica"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x1000xf32>
  %r = graph.reshape %x : (tensor<1x1000xf32>) -> tensor<1000xf32>
  %w = graph.read @w : tensor<1000xf32>
  %s = graph.subtract %w, %r : tensor<1000xf32>
  %q = graph.multiply %s, %s : tensor<1000xf32>
  %loss = graph.reduce_mean %q dimensions = [0] : (tensor<1000xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %s : tensor<1000xf32>
}
"""


@pytest.fixture
def begin(box, task):
    """All tasks, with more flags for the chief: the chief with its results into a pipe, the server,
    the worker, the pipe's end."""
    box.write("model.mlir", MODEL)
    plan = box.servers("two", 2, 1, "async", "model.mlir")
    reading, writing = os.pipe()

    def start(steps, *arguments):
        chief = task(
            "worker-0", plan, "--steps", steps, "--fetch", "all", *arguments, stdout=writing
        )
        os.close(writing)
        return (
            chief,
            task("ps-0", plan, "--steps", steps),
            task("worker-1", plan, "--steps", steps),
            reading,
        )

    yield start
    os.close(reading)


def test_limit(box, begin):
    """The step is named as waiting for the chief; at --deadline the run ends, since nobody reads;
    the chief takes nobody for silent meanwhile."""
    chief, server, worker, reading = begin(FOREVER, "--deadline", 14)
    worker.waitFor(WAITS)
    assert 80 <= worker.peak() // 1024 <= 400, "64 MiB wait before the step does, and no more"
    for task in chief, server, worker:
        task.never("did not answer")
    worker.ends(1)
    worker.expect(UNREAD)
    reader = box.start("cat", stdin=reading, name="reader")
    chief.ends(1)
    server.ends(1)
    reader.ends()
    chief.expect(UNREAD)


@pytest.mark.parametrize("tasks", [1, 2])
def test_stopped(box, tasks):
    """It is said within seconds that nobody reads, where the chief is alone or a launcher prints;
    SIGTERM ends it in order, with a checkpoint."""
    box.write("model.mlir", MODEL)
    plan = box.compile(
        "unread",
        {"worker": tasks, **({"strategy": "all_reduce"} if tasks > 1 else {})},
        "model.mlir",
    )
    reading, writing = os.pipe()
    run = box.launch(
        plan, "--steps", FOREVER, "--fetch", "all", "--checkpoint_dir", "ckpt", stdout=writing
    )
    os.close(writing)
    try:
        run.err.waitFor(
            "^graphrun: nobody reads standard output, where the results go; the run waits for that"
        )
        run.stop(status=1)
        run.err.expect(
            "^graphrun: nobody reads standard output, and the run is to stop: results are lost from here on",
            "^graphrun: stopped at step [0-9]+ of .* as asked; start again with --checkpoint_dir ckpt",
        )
        (step,) = run.err.matches("stopped at step ([0-9]+) of")
        assert f"step-{step}" in os.listdir(box / "ckpt")
    finally:
        os.close(reading)


def test_read_again(box, begin):
    """Within the deadline, all goes on to its end, and each result is printed once."""
    chief, server, worker, reading = begin(40000)
    worker.waitFor(WAITS)
    reader = box.start("wc", "-l", stdin=reading, name="reader")
    ended([chief, server, worker, reader])
    assert reader.out.text().strip() == "40000"
