"""--fetch NAME=FILE.npy: every step of a training, the rows of a whole data set of a prediction."""

import array
import re

import pytest
from box import FOREVER, MODELS
from process import until

OBSERVED = MODELS / "observed.mlir"
PS = {"worker": 2, "ps": 1, "strategy": "parameter_server"}


@pytest.fixture
def one(box):
    return box.compile("one", {"worker": 1}, OBSERVED)


def load(path):
    """(shape, elements)"""
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    header = data[10:start].decode()
    elements = array.array(
        {"<f4": "f", "<i4": "i"}[re.search("'descr': '([^']*)'", header)[1]], data[start:]
    )
    return tuple(map(int, re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1]))), list(
        elements
    )


def printed(run, name):
    """The numbers that were printed of a result, all in a row."""
    return [
        float(number)
        for line in run.out.matches(rf"^{name} (.*)")
        for number in re.findall(r"[-+.\deinf]+", line)
    ]


def asPrinted(numbers):
    return [f"{number:.6g}" for number in numbers]


def test_training(box, one):
    """A value a step, printed as well where that is asked for."""
    run = box.graphrun(
        one, "--steps", 30, "--fetch", "loss=loss.npy", "--fetch", "loss", "--fetch", "w=w.npy"
    )
    run.out.never("^w ")
    shape, losses = load(box / "loss.npy")
    assert shape == (30,) and asPrinted(losses) == asPrinted(printed(run, "loss"))
    shape, weights = load(box / "w.npy")
    assert shape == (30, 3) and weights[:3] == [1, -2, 0.5] and weights[3:6] != weights[:3]
    assert not list(box.folder.glob("*.partial"))


def test_prediction(box, one):
    """Of all 23 samples in their order, in batches of 5, without what was padded; what has no row
    for each sample is stacked."""
    run = box.graphrun(
        one,
        "--entry",
        "predict",
        "--fetch",
        "y=y.npy",
        "--fetch",
        "class=class.npy",
        "--fetch",
        "weights=weights.npy",
        "--fetch",
        "y",
        "--fetch",
        "class",
    )
    shape, values = load(box / "y.npy")
    assert shape == (23, 3) and asPrinted(values) == asPrinted(printed(run, "y")[:69])
    shape, classes = load(box / "class.npy")
    assert shape == (23,) and classes == printed(run, "class")[:23]
    assert all(row[c] == max(row) for row, c in zip(zip(*[iter(values)] * 3), classes))
    assert load(box / "weights.npy") == ((5, 3), [1, -2, 0.5] * 5)


def test_of_replicas(box, one):
    """Two workers have the rows of one device, byte for byte, though their last step has padding in
    both."""
    box.graphrun(one, "--entry", "predict", "--fetch", "y=one.npy")
    box.graphrun(
        box.compile("two", PS, OBSERVED),
        "--entry",
        "predict",
        "--fetch",
        "y=two.npy",
        "--fetch",
        "class=class.npy",
    )
    assert (box / "two.npy").read_bytes() == (box / "one.npy").read_bytes()
    assert load(box / "class.npy")[0] == (23,)


def test_steps_given(box, one):
    """Passes follow each other; without padding rows are taken as they come."""
    box.graphrun(one, "--entry", "predict", "--steps", 7, "--fetch", "y=y.npy")
    shape, values = load(box / "y.npy")
    assert shape == (33, 3) and values[:30] == values[69:]
    plain = OBSERVED.read_text().replace(
        "%x, %valid = graph.next_batch @test {batch = 5, pad_last} : tensor<5x3xf32>, tensor<5xi1>\n  %w",
        "%x = graph.next_batch @test {batch = 5} : tensor<5x3xf32>\n  %w",
    )
    box.write("plain.mlir", plain)
    unpadded = box.compile("plain", {"worker": 1}, "plain.mlir")
    box.graphrun(unpadded, "--entry", "predict", "--fetch", "y=all.npy")
    assert load(box / "all.npy") == ((23, 3), values[:69])
    box.graphrun(unpadded, "--entry", "predict", "--steps", 5, "--fetch", "y=five.npy")
    assert load(box / "five.npy") == ((25, 3), values[:75])


def test_stopped(box, one):
    """What came until then is beside the file, which stays as it was."""
    box.write("loss.npy", "old")
    run = box.launch(one, "--steps", FOREVER, "--fetch", "loss=loss.npy")
    until(
        lambda: (
            (box / "loss.npy.partial").exists()
            and (box / "loss.npy.partial").stat().st_size > 100000
        ),
        "many steps",
    )
    run.stop(status=1)
    (count,) = run.err.matches(
        r"--fetch loss: .*loss.npy.partial has what came until the end, ([0-9]+) steps; .*loss.npy is as it was"
    )
    assert load(box / "loss.npy.partial")[0] == (int(count),) and int(count) > 24000
    assert (box / "loss.npy").read_text() == "old"


def test_goes_on(box, one):
    """What came before a stop stays where the run goes on from its checkpoint, also behind a
    link."""
    box.write("there/loss.npy", "old")
    (box / "loss.npy").symlink_to("there/loss.npy")
    run = box.launch(
        one,
        "--steps",
        FOREVER,
        "--fetch",
        "loss=loss.npy",
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_steps",
        1000,
    )
    box.checkpoint("ckpt")
    run.stop(status=1)
    before = load(box / "there/loss.npy.partial")
    (step,) = run.err.matches("stopped at step ([0-9]+) of ")
    run = box.graphrun(
        one, "--steps", int(step) + 5, "--fetch", "loss=loss.npy", "--checkpoint_dir", "ckpt"
    )
    run.err.expect("^--fetch loss: what came before is .*/there/loss.npy.partial.1 now$")
    assert load(box / "there/loss.npy.partial.1") == before
    assert load(box / "loss.npy")[0] == (5,)


def test_full_disk(box, one):
    """Where a file cannot be written the run ends and says which."""
    (box / "loss.npy.partial").symlink_to("/dev/full")
    run = box.graphrun(one, "--steps", FOREVER, "--fetch", "loss=loss.npy", status=1)
    run.err.expect("--fetch loss: .*loss.npy.partial: No space left on device")


def test_two_with_one_file(box, one):
    """Two outputs with one file are refused, by whatever names they have it, before either is
    there; streams may have as many as they like."""
    (box / "link").symlink_to(".")
    box.refused(
        "--fetch w=a.npy: loss goes to this file already",
        one,
        "--fetch",
        "loss=a.npy",
        "--fetch",
        "w=a.npy",
    )
    for first, second in ("loss=a.npy", "w=./a.npy"), ("loss=link/a.npy", "w=a.npy"):
        box.refused(
            f"--fetch w {second[2:]}: that is the file of --fetch loss too, and one would overwrite the other; name another file",
            one,
            "--fetch",
            first,
            "--fetch",
            second,
        )
    box.refused(
        "--history log: that is the file of --stats too", one, "--stats", "log", "--history", "log"
    )
    assert not list(box.folder.glob("a.npy*")) and not (box / "log").exists()
    box.graphrun(
        one,
        "--steps",
        3,
        "--fetch",
        "loss=a.npy",
        "--fetch",
        "w=b.npy",
        "--history",
        "/dev/null",
        "--stats",
        "/dev/null",
    )
    (box / "c.npy").symlink_to("b.npy")
    box.refused(
        "--fetch w c.npy: that is the file of --fetch loss too",
        one,
        "--fetch",
        "loss=b.npy",
        "--fetch",
        "w=c.npy",
    )


@pytest.mark.parametrize(
    "cluster,entry,fetch,words",
    [
        (
            {"worker": 1},
            "train",
            "loss=loss.txt",
            "--fetch loss=loss.txt: expected NAME or NAME=FILE.npy",
        ),
        ({"worker": 1}, "train", "=loss.npy", "--fetch =loss.npy: expected NAME or NAME=FILE.npy"),
        (
            {"worker": 1},
            "train",
            "los=loss.npy",
            '--fetch los: train_step has no such result; did you mean "loss"',
        ),
        ({"worker": 1}, "train", "loss=none/loss.npy", "--fetch loss=none/loss.npy: "),
        ({"worker": 1}, "train", "loss=bad.plan", "expected NAME or NAME=FILE.npy"),
        (
            {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server", "update": "async"}},
            "train",
            "loss=loss.npy",
            "replicas of train_step share no step, .* --history FILE keeps them",
        ),
    ],
)
def test_refused(box, cluster, entry, fetch, words):
    box.refused(words, box.compile("bad", cluster, OBSERVED), "--entry", entry, "--fetch", fetch)


def test_shuffled(box):
    box.write(
        "shuffled.mlir",
        OBSERVED.read_text().replace(
            "graph.dataset @test : (tensor<3xf32>) = #graph.synthetic<samples = 23, seed = 2>",
            "graph.dataset @test : (tensor<3xf32>) = #graph.synthetic<samples = 23, seed = 2> {shuffle = true, seed = 1}",
        ),
    )
    plan = box.compile("shuffled", {"worker": 1}, "shuffled.mlir")
    box.refused(
        "--fetch y=y.npy: @test is shuffled, and rows would not be in the order of its samples",
        plan,
        "--entry",
        "predict",
        "--fetch",
        "y=y.npy",
    )
