"""Synchronous training gives, bit for bit, the weights of one device with as many micro-batches."""
import os

import pytest
from box import MLP, delay, differences, same


@pytest.mark.parametrize("transport", ["shm", "grpc"])
@pytest.mark.parametrize("ps", [1, 2])
@pytest.mark.parametrize("workers", [2, 3])
def test_bits(box, workers, ps, transport):
    """With three workers the gradients are made to arrive in reverse order; what crosses is read in place as well."""
    one, printed = box.reference(workers, "--steps", 40)
    assert len(os.listdir(one)) >= 9, "4 variables, 4 slots and global_step"
    many = box.weights(box.servers("many", workers, ps), "--steps", 40, f"--transport={transport}",
                       env=delay(worker0=3000, worker1=1500, worker2=0) if workers == 3 else None)
    same(one, many)
    assert (accuracy := printed.matches("^test accuracy.*")) and accuracy == box.processes[-1].out.matches("^test accuracy.*")
    box.show("many", "plan-text", box.json("many.json")).expect("zero_copy: true")


@pytest.mark.parametrize("workers", [2, 3])
def test_library_products(box, workers):
    """The library's matrix products too, which the model above is too small for."""
    box.write("wide.mlir", MLP.read_text().replace("x64x", "x128x").replace("<64x", "<128x"))
    one, _ = box.reference(workers, "--steps", 20, model="wide.mlir")
    plan = box.servers("many", workers, 1, model="wide.mlir")
    assert len(box.show("many", "scheduled", box.json("many.json"), "wide.mlir").matches("dist.library_call")) >= 4
    for transport in "shm", "grpc":
        same(one, box.weights(plan, "--steps", 20, f"--transport={transport}"))
        box.nothingLeft()


def test_several_streams(box):
    """Parameters and gradients of 5 MiB, each message of which goes by several gRPC streams."""
    box.write("large.mlir", MLP.read_text().replace("x64x", "x65536x").replace("<64x", "<65536x"))
    one, _ = box.reference(2, "--steps", 5, model="large.mlir")
    same(one, box.weights(box.servers("many", 2, 1, model="large.mlir"), "--steps", 5, "--transport=grpc"))


def test_comparison_can_fail(box):
    """Another number of steps gives other weights."""
    assert differences(box.reference(3, "--steps", 40)[0], box.weights(box.servers("many", 3, 2), "--steps", 41))
