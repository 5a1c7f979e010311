"""The examples as their pages have them; test_pages.py types what the pages show."""

import sys

import pytest
from box import BUILD, LONG, ROOT, same
from process import ended

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt, which has numpy

EXAMPLES = ROOT / "examples"


def compiled(box, example, cluster="cluster.json"):
    return box.graphc(
        "--partition",
        EXAMPLES / example / cluster,
        EXAMPLES / example / "model.mlir",
        "-o",
        "model.plan",
    ).err


def alone(box, example):
    box.graphc(EXAMPLES / example / "model.mlir", "-o", "one.plan")
    return "one.plan"


def test_matmul(box, transport):
    """200 steps on two processes, each prints [[20]]."""
    compiled(box, "distributed-matmul").expect(
        "/job:ps/task:0/device:CPU:0", "/job:worker/.*device:CPU:0"
    )
    run = box.graphrun("model.plan", "--fetch", "mat", "--steps", 200, f"--transport={transport}")
    assert len(run.out.matches(r"\[\[20\]\]")) == len(run.out.lines()) == 200


def test_matmul_on_one_device(box):
    run = box.graphrun(alone(box, "distributed-matmul"), "--fetch", "mat", "--steps", 3)
    assert len(run.out.matches(r"\[\[20\]\]")) == 3


def test_regression(box):
    """The losses that can be worked out on paper, 400 · 0.16^step within float32 rounding; one
    device and two workers print the same digits."""
    compiled(box, "linear-regression")
    both = [
        box.graphrun(plan, "--fetch", "loss", "--steps", 6).out.matches(
            r"loss[^0-9-]*([0-9][0-9.e+-]*)"
        )
        for plan in ("model.plan", alone(box, "linear-regression"))
    ]
    assert both[0] == both[1]
    assert [float(loss) for loss in both[0]] == pytest.approx(
        [400 * 0.16**step for step in range(6)], rel=1e-5
    )


@pytest.mark.parametrize("row", ["sync", "async", "2ps-3workers"])
def test_fashion(box, row):
    """Five epochs as separate processes reach 0.86 on the test images, with each of its cluster
    files; asynchronous updates, which reach something else in each run, in eight."""
    compiled(box, "fashion-mnist", f"cluster-{row}.json")
    box.graphrun(
        "model.plan", "--epochs", 8 if row == "async" else 5, "--stats", "stats.json", seconds=400
    )
    stats = box.json("stats.json")
    assert 0.86 <= stats["final"]["accuracy"] <= 1
    if row == "sync":
        # 5 · 60,000 / (2 · 128), rounded up.
        assert stats["tasks"]["/job:worker/task:0"]["steps"] == 1172


@pytest.mark.parametrize(
    "row, rest, promised",
    [
        ("lenet", ["--epochs", 5] if LONG else ["--steps", 300], 0.88 if LONG else 0.75),
        ("mnist-mlp", ["--steps", 5000], 0.85),
        ("mnist-ddp", ["--epochs", 5], 0.83),
        ("four-terminals", ["--steps", 2000], 0.78),
        ("mnist-session", ["--steps", 2000], 0.77),
        *([("multi-worker", ["--steps", 210], 0.5)] if LONG else []),
    ],
)
def test_network(box, row, rest, promised):
    """Trained as its page says, over its cluster as separate processes, each network is as good on
    the test images as the page promises."""
    compiled(box, row)
    box.graphrun("model.plan", *rest, "--stats", "stats.json", seconds=400)
    assert promised <= box.json("stats.json")["final"]["accuracy"] <= 1


longAlone = pytest.mark.skipif(not LONG, reason="--long alone")


@longAlone
def test_resnet(box):
    """ResNet-20 on Fashion-MNIST as CIFAR-10's files, evaluated by running averages: 0.90 in three
    epochs."""
    box.run(EXAMPLES / "cifar-resnet20/from-fashion-mnist.py", "data")
    compiled(box, "cifar-resnet20")
    box.graphrun(
        "model.plan", "--epochs", 3, "--data_dir", "data", "--stats", "stats.json", seconds=3000
    )
    assert 0.9 <= box.json("stats.json")["final"]["accuracy"] <= 1


def fewImages(box):
    """Forty images of each file of CIFAR-10's, in the folder "few"."""
    for i, name in enumerate([*(f"data_batch_{n}.bin" for n in range(1, 6)), "test_batch.bin"]):
        box.write(
            f"few/{name}",
            b"".join(
                bytes([(i + j) % 10]) + bytes((k * (j + 3) + i) % 251 for k in range(3072))
                for j in range(40)
            ),
        )


def test_resnet_bits(box):
    """Two workers keep what one device with two micro-batches keeps, running averages of batch
    norms among it."""
    fewImages(box)
    compiled(box, "cifar-resnet20")
    two = box.weights("model.plan", "--steps", 3, "--data_dir", "few")
    one = box.weights(
        box.oneDevice("one", 2, EXAMPLES / "cifar-resnet20/model.mlir"),
        "--steps",
        3,
        "--data_dir",
        "few",
    )
    assert (two / "layer3.2.bn2.running_var.npy").stat().st_size == 64 * 4 + 128
    same(two, one)


def test_cifar10_side_by_side(box, machines):
    """The tutorial's network, a parameter server and a worker on each of two machines: what one
    device keeps, each server stores half, and the large variable's halves are on both."""
    fewImages(box)
    compiled(box, "cifar10")
    machines.add(2)
    hosts = [
        "--ps_hosts",
        "10.77.0.1:2222,10.77.0.2:2222",
        "--worker_hosts",
        "10.77.0.1:2223,10.77.0.2:2223",
        "--job_dir",
        "job",
    ]
    ended(
        [
            machines.start(
                1 + index,
                "graphrun",
                "model.plan",
                "--job_name",
                job,
                "--task_index",
                index,
                *hosts,
                "--steps",
                3,
                "--data_dir",
                "few",
                "--dump_variables",
                "two",
                name=f"{job}-{index}",
            )
            for job in ("ps", "worker")
            for index in range(2)
        ]
    )
    same(
        box / "two",
        box.weights(
            box.oneDevice("one", 2, EXAMPLES / "cifar10/model.mlir"),
            "--steps",
            3,
            "--data_dir",
            "few",
        ),
    )
    stored = box.graphc(
        "--partition",
        EXAMPLES / "cifar10/cluster.json",
        "--log_device_placement",
        EXAMPLES / "cifar10/model.mlir",
        "-o",
        "model.plan",
    ).err
    stored.expect(
        "local3.weights/part_0: .*/job:ps/replica:0/task:[01]/",
        "local3.weights/part_1: .*/job:ps/replica:0/task:[01]/",
    )


def numpy():
    return pytest.importorskip(
        "numpy", reason="no numpy (test/run.sh installs it into build/python)"
    )


def lrn(x, radius=4, bias=1.0, alpha=0.001 / 9.0, beta=0.75):
    """tf.nn.lrn by its definition."""
    places = [(0, 0)] * 3 + [(radius, radius)]
    squares = numpy().pad(x * x, places)
    sums = sum(squares[..., i : i + x.shape[-1]] for i in range(2 * radius + 1))
    return x / (bias + alpha * sums) ** beta


def test_cifar10_norm(box):
    """The tutorial's local response normalization, and what it makes of an image: the model's own
    functions, called alone."""
    np = numpy()
    model = (EXAMPLES / "cifar10/model.mlir").read_text()
    functions = "".join(
        "graph.func private" + part.split("\n}\n")[0] + "\n}\n"
        for part in model.split("graph.func private")[1:3]
    )
    box.write(
        "norm.mlir",
        functions
        + """
graph.func @predict(%image: tensor<128x3x32x32xf32> {graph.name = "image"}, %x: tensor<128x12x12x64xf32> {graph.name = "x"})
    -> (tensor<128x24x24x3xf32> {graph.name = "standardized"}, tensor<128x12x12x64xf32> {graph.name = "normed"}) attributes {role = #graph.role<predict>} {
  %s = graph.call @standardized(%image) : (tensor<128x3x32x32xf32>) -> tensor<128x24x24x3xf32>
  %n = graph.call @norm(%x) : (tensor<128x12x12x64xf32>) -> tensor<128x12x12x64xf32>
  graph.return %s, %n : tensor<128x24x24x3xf32>, tensor<128x12x12x64xf32>
}
""",
    )
    draw = np.random.default_rng(1)
    image, x = (
        draw.integers(0, 256, (128, 3, 32, 32)).astype("f4"),
        draw.normal(0, 30, (128, 12, 12, 64)).astype("f4"),
    )
    image[1:3] = 7  # one without any contrast, and one with less than the least deviation
    image[2, 0, 10, 10] = 7.5
    np.save(box / "image.npy", image)
    np.save(box / "x.npy", x)
    box.graphc("norm.mlir", "-o", "norm.plan")
    box.graphrun(
        "norm.plan",
        "--entry",
        "predict",
        "--steps",
        1,
        "--feed",
        "image=image.npy",
        "--feed",
        "x=x.npy",
        "--fetch",
        "standardized=s.npy",
        "--fetch",
        "normed=n.npy",
    )
    middle = image[:, :, 4:28, 4:28].transpose(0, 2, 3, 1).astype("f8")
    by = np.maximum(middle.std((1, 2, 3), keepdims=True), 1 / np.sqrt(24 * 24 * 3))
    assert np.allclose(
        np.load(box / "s.npy").reshape(middle.shape),
        (middle - middle.mean((1, 2, 3), keepdims=True)) / by,
        atol=1e-5,
    )
    assert np.allclose(
        np.load(box / "n.npy").reshape(x.shape), lrn(x.astype("f8")), rtol=1e-5, atol=1e-6
    )
    assert (np.load(box / "s.npy").reshape(middle.shape)[1] == 0).all()


def test_embedding_bag(box):
    """Languages by their trigrams, from what is on every machine: 0.88 of pieces of other files in
    three epochs, on one server with two workers."""
    box.run(EXAMPLES / "embedding-bag/make-data.py", "data")
    compiled(box, "embedding-bag")
    box.graphrun(
        "model.plan", "--epochs", 3, "--data_dir", "data", "--stats", "stats.json", seconds=400
    )
    assert 0.88 <= box.json("stats.json")["final"]["accuracy"] <= 1


@longAlone
def test_char_gpt(box):
    """60 steps of two workers predict epigrams that they have not read better than a 2-gram that
    counts; what was trained then writes, another character in other steps. The whole run of the
    page, which takes a quarter of an hour or more, falls below 1.9 nats and below both 5-grams."""
    box.run(EXAMPLES / "char-gpt/make-text.py", "data")
    compiled(box, "char-gpt")
    box.graphrun(
        "model.plan",
        "--steps",
        60,
        "--data_dir",
        "data",
        "--checkpoint_dir",
        "run",
        "--stats",
        "stats.json",
        seconds=400,
    )
    assert 1 < box.json("stats.json")["final"]["nats"] < min(counted(box, 2))
    written = box.start(
        "graphrun",
        "model.plan",
        "--entry",
        "predict",
        "--steps",
        20,
        "--checkpoint_dir",
        "run",
        "--data_dir",
        "data",
        "--fetch",
        "character",
    ).ends()
    text = box.run(
        "bash", "-c", f"grep -h character {written.out.source} | {EXAMPLES}/char-gpt/sample.py 8"
    ).out.lines()
    assert len({tuple(line) for line in written.out.lines()}) > 10 and len("".join(text)) > 100
    box.graphrun(
        alone(box, "char-gpt"),
        "--steps",
        4000,
        "--data_dir",
        "data",
        "--stats",
        "whole.json",
        seconds=7200,
    )
    assert 1 < box.json("whole.json")["final"]["nats"] < min(1.9, *counted(box, 5))


def counted(box, order):
    """Nats a character of the held-out text by interpolated n-grams of the training text, as Kneser
    and Ney smooth them and as Witten and Bell do."""
    nats = box.run(EXAMPLES / "char-gpt/ngram.py", "data", order).out.matches(
        f"^{order}-gram, .*: ([0-9.]+) nats$"
    )
    assert len(nats) == 2
    return [float(each) for each in nats]


def test_ngram(box):
    """What the network is compared with is a distribution behind every context, better for each
    order that the text is long enough for, and for text that it has read."""
    box.run(EXAMPLES / "char-gpt/make-text.py", "data")
    for one, two, three in zip(*(counted(box, order) for order in (1, 2, 3)), strict=True):
        assert one > two > three
    sys.path.insert(0, str(EXAMPLES / "char-gpt"))
    from ngram import NGram

    text = (box / "data/train.txt").read_text()[:200000]
    for kneserNey in True, False:
        model = NGram(text, 5, kneserNey)
        for context in "", "a", "the ", "ing ", "xqzj", "Zq":
            assert sum(model.probability(context, chr(i)) for i in range(128)) == pytest.approx(
                1, abs=1e-9
            )
        assert model.nats(text[:5000]) < 1.3
