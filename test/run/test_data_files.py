"""Data files that are missing, damaged or of another shape, and good ones from everywhere."""

import gzip
import os
import shutil

import formats
import pytest
from box import MODELS, same
from formats import idx, sampleFiles, samples


GOOD = sampleFiles(50)


@pytest.fixture
def plan(box, cache):
    return box.servers("two", 2, 1, model=MODELS / "idx.mlir")


def put(box, folder, images=GOOD[0], labels=GOOD[1], packed=True):
    for name, data in ("images", images), ("labels", labels):
        box.write(
            f"{folder}/{name}" + ".gz" * packed, gzip.compress(data, mtime=0) if packed else data
        )


def damage(box, folder):
    """Writes the files of a kind of damage."""
    (box / folder).mkdir()
    if folder == "absent":
        (box / folder).rmdir()
    elif folder == "sum":
        put(box, folder)
        data = bytearray((box / "sum/images.gz").read_bytes())
        data[-8] ^= 1
        box.write("sum/images.gz", bytes(data))
    elif folder == "half":
        put(box, folder)
        data = (box / "half/images.gz").read_bytes()
        box.write("half/images.gz", data[: len(data) // 2])
    elif folder != "nothing":
        put(
            box,
            folder,
            *{
                "shape": (idx((50, 2, 4), bytes(400)), GOOD[1]),
                "count": (GOOD[0], idx((49,), bytes(49))),
                "short": (GOOD[0][:-1], GOOD[1]),
                "text": (b"no images at all", GOOD[1]),
                "header": (idx((2**31, 2**31, 2**31), b""), GOOD[1]),
            }[folder],
        )


@pytest.mark.parametrize(
    "folder, words",
    {
        "nothing": "images.gz not found; looked in nothing .*--data_dir",
        "absent": "images.gz not found; looked in absent .*which is no folder",
        "shape": "shape/images.gz has samples of 8 elements .*expects tensor<6xf32>",
        "count": "count/labels.gz has 49 samples, images.gz has 50",
        "short": "short/images.gz: truncated.*promises 300 bytes of elements, found 299",
        "text": "text/images.gz: not an IDX file",
        "sum": "sum/images.gz: damaged gzip file.*incorrect data check",
        "half": "half/images.gz: damaged gzip file.*truncated",
        "header": "header/images.gz: not an IDX file.*1 TiB",
    }.items(),
)
def test_refused(box, plan, folder, words):
    """One line of error with the file, the cause and the remedy, status 1."""
    damage(box, folder)
    box.refused(words, plan, "--steps", 3, "--data_dir", folder, status=1)


def test_no_file(box, plan):
    """It says where it looked."""
    box.graphrun(plan, "--steps", 3, status=1).expect(
        "images.gz not found; looked in .*/usr/share/datasets.*--data_dir"
    )


def test_same_samples(box, cache, plan):
    """Good files are decoded once into the cache; the same samples come from a .gz, the cache, a
    plain file, beside the plan, and where no cache can be written."""
    put(box, "packed")
    put(box, "plain", packed=False)

    def run(*arguments):
        return box.weights(plan, "--steps", 30, *arguments)

    first = run("--data_dir", "packed")
    assert len(list(cache.glob("*.idx"))) == 2
    same(first, run("--data_dir", "packed"))
    same(first, run("--data_dir", "plain"))
    for name in os.listdir(box / "plain"):
        shutil.copy(box / "plain" / name, box.folder)
    same(first, run())
    shutil.rmtree(box / "cache")
    box.write("cache", "")
    same(first, run("--data_dir", "packed"))


def test_cut_short(box, plan):
    """A file that is cut short while the run reads it: a named error, not a death by SIGBUS."""
    samples(box / "large", 20000)  # more than a page, so that there is something to lose
    run = box.trains(plan, "--data_dir", "large")
    os.truncate(box / "large/images", 10)
    run.ends(1)
    run.err.expect("^graphrun: .*/images.* was cut short while it was being read")


UNREAD = """
graph.variable @w : tensor<4xf32> = #graph.value<dense<2.0> : tensor<4xf32>>
graph.dataset @train : (tensor<4xf32>) = #graph.npy<files = ["nowhere.npy"]>
graph.dataset @test : (tensor<4xf32>) = #graph.npy<files = ["x.npy"]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 1} : tensor<1x4xf32>
  %w = graph.read @w : tensor<4xf32>
  %r = graph.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %p = graph.multiply %r, %w : tensor<4xf32>
  %loss = graph.reduce_mean %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %valid = graph.next_batch @test {batch = 2, pad_last} : tensor<2x4xf32>, tensor<2xi1>
  %m = graph.reduce_max %x dimensions = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  graph.metric "largest", %m, %valid : tensor<2xf32>, tensor<2xi1>
  graph.return
}
graph.func @serve(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<4xf32>
  %y = graph.multiply %x, %w : tensor<4xf32>
  graph.return %y : tensor<4xf32>
}
"""


@pytest.mark.parametrize("cluster", [{"worker": 1}, {"worker": 2, "strategy": "all_reduce"}])
def test_only_what_is_read(box, cluster):
    """A run opens the data of its entry alone: the evaluation needs no training files, the
    prediction none at all. Training needs its own."""
    formats.write(box / "x.npy", "<f4", (3, 4), range(12))
    formats.write(box / "row.npy", "<f4", (4,), [1.0] * 4)
    box.write("unread.mlir", UNREAD)
    plan = box.compile("unread", cluster, "unread.mlir")
    here = ["--data_dir", box.folder]
    box.graphrun(plan, "--entry", "eval", *here).out.expect("^test largest 7 ")
    (box / "x.npy").rename(box / "fed.npy")
    feeds = ["--feed", f"x={box.folder}/row.npy"]
    box.graphrun(plan, "--entry", "predict", *here, *feeds, "--fetch", "y").out.expect("2")
    box.graphrun(plan, "--entry", "eval", *here, status=1).err.expect("x.npy not found")
    box.graphrun(plan, "--steps", 1, *here, status=1).err.expect("nowhere.npy not found")
