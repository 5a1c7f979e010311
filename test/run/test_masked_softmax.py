"""Softmax in primitives of scores whose mask is -inf, where all keys of a sequence are masked: a
plain one is NaN, a safe one, which is 0 there, trains. Neither is part of an attention."""

import sys

import pytest
from box import BUILD, servers

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt, which has numpy

PLAIN = ""
SAFE = """
  %is = graph.compare eq, %masked, %least : tensor<{b}x3x3xf32>
  %all = graph.reduce_and %is dimensions = [2] : (tensor<{b}x3x3xi1>) -> tensor<{b}x3xi1>
  %rows = graph.broadcast_in_dim %all broadcast_dimensions = [0, 1] : (tensor<{b}x3xi1>) -> tensor<{b}x3x3xi1>
  %safe = graph.select %rows, %zero, %plain : tensor<{b}x3x3xf32>
  %weights = graph.{after} : tensor<{b}x3x3xf32>"""
MODEL = """
graph.dataset @train : (tensor<3x4xf32>, tensor<3xi1>) = #graph.npy<files = ["x.npy", "pad.npy"]>
graph.variable @w : tensor<4x4xf32> = #graph.value<dense<{start}> : tensor<4x4xf32>>
graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) attributes {{role = #graph.role<train>}} {{
  %x, %pad = graph.next_batch @train {{batch = {b}}} : tensor<{b}x3x4xf32>, tensor<{b}x3xi1>
  %w = graph.read @w : tensor<4x4xf32>
  %least = graph.constant dense<0xFF800000> : tensor<{b}x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<{b}x3x3xf32>
  %half = graph.constant dense<0.5> : tensor<{b}x3x3xf32>
  %flat = graph.reshape %x : (tensor<{b}x3x4xf32>) -> tensor<{rows}x4xf32>
  %h0 = graph.matmul %flat, %w : (tensor<{rows}x4xf32>, tensor<4x4xf32>) -> tensor<{rows}x4xf32>
  %h = graph.reshape %h0 : (tensor<{rows}x4xf32>) -> tensor<{b}x3x4xf32>
  %scores = graph.matmul %h, %x {{transpose_b}} : (tensor<{b}x3x4xf32>, tensor<{b}x3x4xf32>) -> tensor<{b}x3x3xf32>
  %keys = graph.broadcast_in_dim %pad broadcast_dimensions = [0, 2] : (tensor<{b}x3xi1>) -> tensor<{b}x3x3xi1>
  %bias = graph.select %keys, %least, %zero : tensor<{b}x3x3xf32>
  %masked = graph.add %scores, %bias : tensor<{b}x3x3xf32>
  %plain = graph.softmax %masked : tensor<{b}x3x3xf32>{safe}
  %y = graph.matmul {weights}, %h : (tensor<{b}x3x3xf32>, tensor<{b}x3x4xf32>) -> tensor<{b}x3x4xf32>
  %square = graph.multiply %y, %y : tensor<{b}x3x4xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1, 2] : (tensor<{b}x3x4xf32>) -> tensor<f32>
  graph.minimize %loss {{optimizer = #graph.sgd<learning_rate = 1.0>}} : tensor<f32>
  graph.return %loss : tensor<f32>
}}
"""


@pytest.fixture
def numpy():
    return pytest.importorskip(
        "numpy", reason="no numpy (test/run.sh installs it into build/python)"
    )


def prepare(box, numpy, after, batch=4):
    """The model with this op after the safe softmax; without it, the plain softmax."""
    x = numpy.sin(numpy.arange(8 * 12) * 1.7).reshape(8, 3, 4).astype(numpy.float32)
    pad = numpy.arange(3) >= (numpy.arange(8) % 4)[:, None]  # samples 0 and 4 have no key
    start = numpy.cos(numpy.arange(16)).reshape(4, 4).astype(numpy.float32)
    numpy.save(box / "x.npy", x)
    numpy.save(box / "pad.npy", pad)
    safe = SAFE.format(b=batch, after=after) if after else PLAIN
    box.write(
        "model.mlir",
        MODEL.format(
            b=batch,
            rows=3 * batch,
            start=start.tolist(),
            safe=safe,
            weights="%weights" if after else "%plain",
        ),
    )
    return x, pad, start


def loss(numpy, x, pad, w):
    """Of the safe softmax, halved, in f64."""
    h = x @ w
    scores = h @ x.swapaxes(1, 2)
    power = numpy.where(pad[:, None, :], 0, numpy.exp(scores))
    weights = power / numpy.maximum(power.sum(-1, keepdims=True), 1e-300)
    return numpy.square(0.5 * weights @ h).mean()


def test_plain_softmax_keeps_its_nan(box, numpy):
    prepare(box, numpy, None)
    box.graphc("model.mlir", "-o", "model.plan")
    arguments = "--steps", 1, "--data_dir", box.folder, "--fetch", "loss"
    run = box.graphrun("model.plan", *arguments, status=1)
    run.out.expect("loss -?nan")
    run.err.expect("loss is NaN at step 1")


def test_safe_softmax_has_a_gradient(box, numpy):
    """Against differences of the loss in f64."""
    x, pad, start = (part.astype(float) for part in prepare(box, numpy, "multiply %safe, %half"))
    x, pad = x[:4], pad[:4].astype(bool)
    box.graphc("model.mlir", "-o", "model.plan")
    box.graphrun(
        "model.plan", "--steps", 1, "--data_dir", box.folder, "--dump_variables", "end"
    )
    found = start - numpy.load(box / "end/w.npy")
    for place in numpy.ndindex(4, 4):
        step = numpy.zeros((4, 4))
        step[place] = 1e-5
        slope = (loss(numpy, x, pad, start + step) - loss(numpy, x, pad, start - step)) / 2e-5
        assert found[place] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("cluster", [{"worker": 1}, servers(2, 1)], ids=["one", "servers"])
def test_dropout_trains_on_padding(box, numpy, cluster):
    """A dropout between softmax and product, as in nn.TransformerEncoderLayer's training."""
    prepare(box, numpy, "dropout %safe {rate = 0.25, seed = 3}", batch=2)
    plan = box.compile("plan", cluster, "model.mlir")
    end = box.weights(plan, "--steps", 3, "--data_dir", box.folder, "--nan", "raise")
    assert numpy.isfinite(numpy.load(end / "w.npy")).all()
