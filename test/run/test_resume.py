"""A run that goes on from a checkpoint sees the samples and makes the steps that it would have
without interruption."""

import shutil

import pytest
from box import HERE, MODELS, same, servers
from formats import read, savedValues, seal

RESUME = MODELS / "resume"
SETS = RESUME / "two-data-sets.mlir"


@pytest.mark.parametrize("model", ["two-minimizes", "two-data-sets", "pad-last-train"])
def test_in_pieces(box, model):
    """7 steps at once, and 2, 1 and 4 of them: the same results, weights and checkpoint."""
    plan = box.compile(model, {"worker": 1}, RESUME / f"{model}.mlir")
    whole = box.graphrun(
        plan,
        "--steps",
        7,
        "--fetch",
        "loss",
        "--dump_variables",
        "straight",
        "--checkpoint_dir",
        "whole",
    )
    pieces = [
        box.graphrun(
            plan,
            "--steps",
            steps,
            "--fetch",
            "loss",
            "--dump_variables",
            "resumed",
            "--checkpoint_dir",
            "pieces",
        )
        for steps in (2, 3, 7)
    ]
    assert len(whole.out.lines()) == 7
    assert whole.out.text() == "".join(piece.out.text() for piece in pieces)
    same(box / "straight", box / "resumed")
    same(box / "whole/step-7", box / "pieces/step-7")


class Two:
    """The model with two data sets under two strategies with the same bits."""

    def __init__(self, box):
        self.box = box
        self.one = box.oneDevice("second-one", 2, SETS)
        self.two = box.compile("second-two", {"worker": 2, "strategy": "mirrored"}, SETS)

    def mixed(self):
        for plan, steps in ((self.two, 3), (self.one, 5)):
            self.box.graphrun(plan, "--steps", steps, "--checkpoint_dir", "mixed")
        return self.box.weights(self.two, "--steps", 7, "--checkpoint_dir", "mixed")


@pytest.fixture
def sets(box):
    return Two(box)


def test_change_of_strategy(box, sets):
    """The second data set too goes on, and the manifest has where both stand."""
    same(box.weights(sets.one, "--steps", 7), sets.mixed())
    box.file("mixed/step-7/manifest.json").expect(
        '"data_position": \\{"train_step @other": 42, "train_step @train": 28\\}'
    )


def test_killed(box, sets):
    """It goes on where it was killed."""
    run = box.launch(
        sets.two, "--steps", 2000, "--checkpoint_dir", "killed", "--save_checkpoint_steps", 10
    )
    box.checkpoint("killed")
    if run.running:
        run.kill()
    box.nothingLeft()
    after = box.weights(sets.two, "--steps", 2000, "--checkpoint_dir", "killed")
    box.last.err.expect("going on from killed/step-|nothing to train")
    same(box.weights(sets.one, "--steps", 2000), after)


def test_padded_epochs(box):
    """A padded epoch covers every sample once, each epoch anew: 10 samples in batches of 4 make 3
    steps."""
    run = box.graphrun(
        box.compile("padded", {"worker": 1}, RESUME / "pad-last-train.mlir"),
        "--epochs",
        3,
        "--fetch",
        "valid",
    )
    assert len(run.out.lines()) == 9
    assert len(run.out.matches("true true false false")) == 3
    run.out.never("false false false false")


def test_epochs(box):
    """They count samples seen under any strategy: one epoch of 203 samples on one device, 8 a step,
    then two in all on a parameter server with two workers, 16 a step, the second of which begins 5
    samples in."""
    single, pair = box.oneDevice("single", 1), box.servers("pair", 2, 1)

    def run(plan, epochs):
        return box.graphrun(plan, "--epochs", epochs, "--checkpoint_dir", "changed").err

    run(single, 1)
    box.file("changed/step-26/manifest.json").expect('"train_step @train": 208')
    run(pair, 2).expect(" epoch 2/2  step 39/39 ")
    box.file("changed/step-39/manifest.json").expect('"train_step @train": 416')
    run(pair, 2).expect("nothing to train: the run is at step 39, behind the 2 epochs asked for")
    run(single, 2.5)
    box.file("changed/step-51/manifest.json").expect('"train_step @train": 512')


def test_another_batch(box):
    """The second data set in batches of another size goes on where it was, and nothing stays of
    what was: 3 steps of 3, 2 of 6, 4 of 3."""
    box.write(
        "six.mlir",
        SETS.read_text()
        .replace("@other {batch = 3}", "@other {batch = 6}")
        .replace("3xf32", "6xf32"),
    )
    three, six = (
        box.compile("three", {"worker": 1}, SETS),
        box.compile("six", {"worker": 1}, "six.mlir"),
    )
    for plan, steps, first, second in ((three, 3, 6, 9), (six, 5, 10, 21), (three, 9, 18, 33)):
        box.graphrun(plan, "--steps", steps, "--checkpoint_dir", "sizes")
        box.file(f"sizes/step-{steps}/manifest.json").expect(
            f'"data_position": \\{{"train_step @other": {second}, "train_step @train": {first}\\}}'
        )


@pytest.mark.parametrize("day", ["2026-11-22"])
def test_of_its_day(box, day):
    """What the graphrun of an earlier day wrote, with parts of a matrix on two tasks: every value
    comes back byte for byte, here on one device and there again in parts, and both go on from it
    alike, each data set where it was."""
    saved, model = HERE / f"checkpoints/{day}/step-3", RESUME / "earlier.mlir"
    plans = (
        box.oneDevice("one", 2, model),
        box.compile("split", servers(2, 2, placement="split", min_shard_bytes=16), model),
    )
    wanted = savedValues(saved)
    assert (
        sorted(wanted) == ["b", "b/Momentum", "global_step", "w", "w/Momentum"]
        and len(wanted["w"]) == 4 * 3 * 4
    )
    after = []
    for plan in plans:
        shutil.copytree(saved, box / plan[:-5] / "step-3")
        folder = box.weights(plan, "--steps", 3, "--checkpoint_dir", plan[:-5])
        assert {
            file.stem.replace(".", "/"): read(file)[1].tobytes() for file in folder.iterdir()
        } == wanted
        after.append(box.weights(plan, "--steps", 9, "--checkpoint_dir", plan[:-5]))
        box.file(f"{plan[:-5]}/step-9/manifest.json").expect(
            '"data_position": \\{"train_step @other": 54, "train_step @train": 36\\}'
        )
    same(*after)


@pytest.mark.parametrize(
    "old",
    [
        '"train_step": 28',
        '"train_step": 28, "train_step @other 3": 42',
        '"train_step": 28, "train_step @other 3": 6, "train_step @other 6": 42',
        '"train_step": 28, "train_step @gone #1": 5, "train_step @other #1": 42',
        '"train_step @other": 42',
    ],
)
def test_earlier_versions(box, sets, old):
    """A checkpoint of an earlier version names the first data set by the phase alone, the second by
    its place or batch, perhaps by several, or it has the position of the first alone: what is
    missing follows from the steps. It is written with the names of today alone."""
    sets.mixed()
    manifest = box / "mixed/step-7/manifest.json"
    seal(
        manifest,
        lambda text: text.replace('"train_step @other": 42, "train_step @train": 28', old),
    )
    assert "{" + old + "}" in manifest.read_text()
    same(
        box.weights(sets.one, "--steps", 9),
        box.weights(sets.two, "--steps", 9, "--checkpoint_dir", "mixed"),
    )
    box.file("mixed/step-9/manifest.json").expect(
        '"data_position": \\{"train_step @other": 54, "train_step @train": 36\\}'
    )
