"""Networks keep, under every strategy that docs/status.md calls exact, the bits of one device:
weights, slots, running averages, the loss of each step and what is measured at the end. A step has
four micro-batches, whoever computes them. Small networks have each kind of layer of the examples
once or twice; with GRAPHC_LONG the examples themselves run as well."""

import random
import re
import shutil

import pytest
from box import LONG, MODELS, ROOT, differences, same
from formats import write
from strategies import ROWS

EXACT = {name: row for name, row in ROWS.items() if "inexact" not in row}
EXAMPLES = {"cifar-resnet20": "resnet", "char-gpt": "gpt", "embedding-bag": "bags"}
# Parts of a model on tasks of their own (in_graph): the first task, those between, the last.
PARTS = {
    "resnet": [
        ["*stem*", 0],
        ["conv1*", 0],
        ["bn1*", 0],
        ["*layer1*", 1],
        ["*layer2*", 2],
        ["*layer3*", -1],
        ["*fc*", -1],
    ],
    "gpt": [
        ["*embed*", 0],
        ["w?e*", 0],
        ["*h.0*", 1],
        ["*h.1*", 2],
        ["*h.2*", 2],
        ["*h.3*", -1],
        ["*head*", -1],
        ["ln_f*", -1],
    ],
    "bags": [["table", 0], ["embedding*", 0], ["*bag*", 1], ["*fc*", -1]],
}


def images(count, shift=0):
    """As CIFAR-10's files have them: a byte that is the label, 3072 that are the image."""
    return b"".join(
        bytes([(i + shift) % 10])
        + bytes((k * ((i + shift) % 7 + 3) + i * i) % 251 for k in range(3072))
        for i in range(count)
    )


class Network:
    def __init__(self, name):
        self.name, self.kind, self.steps = (
            name,
            EXAMPLES.get(name, name),
            2 if name in EXAMPLES else 4,
        )
        self.model = MODELS / f"{name}.mlir"
        self.reference = None

    def data(self, box):
        # Without what predicts: char-gpt's writes a variable, which no replicas can.
        if self.name in EXAMPLES:
            text = (ROOT / "examples" / self.name / "model.mlir").read_text()
            trains = re.sub(
                r"^graph\.func (?:(?!}$).*\n)+}\n",
                lambda found: "" if "role<predict>" in found[0] else found[0],
                text,
                flags=re.M,
            )
            assert (
                "role<predict>" not in trains and "role<train>" in trains and "role<eval>" in trains
            )
            self.model = box.write("model.mlir", trains)
        if self.kind == "resnet":
            for i in range(1, 6):
                box.write(
                    f"data/data_batch_{i}.bin", images(60 if self.name in EXAMPLES else 10, i)
                )
            box.write("data/test_batch.bin", images(7, 3))
        if self.kind == "gpt":
            text = (ROOT / "LICENSE").read_text(encoding="ascii")
            box.write("data/train.txt", text[:3000])
            box.write("data/held-out.txt", text[3000:3400])
        if self.name == "embedding-bag":
            drawn = random.Random(1)
            (box / "data").mkdir()
            for part, count in ("train", 300), ("test", 70):
                write(
                    box / f"data/{part}-bags.npy",
                    "<i4",
                    (count, 64),
                    [drawn.randrange(900) for _ in range(64 * count)],
                )
                write(
                    box / f"data/{part}-labels.npy",
                    "<i4",
                    (count,),
                    [drawn.randrange(5) for _ in range(count)],
                )

    def cluster(self, strategy, workers):
        row = EXACT[strategy]
        servers = 2 if strategy in ("ps-balanced", "ps-split") else 1
        jobs = {
            "worker": workers,
            **({"ps": servers} if row["strategy"]["name"] == "parameter_server" else {}),
        }
        rules = (
            [
                {"name": pattern, "device": f"/job:worker/task:{task % workers}"}
                for pattern, task in PARTS[self.kind]
            ]
            if strategy == "in-graph"
            else []
        )
        return {
            **jobs,
            "strategy": {**row["strategy"], "micro_batches": 4},
            "devices": row.get("devices", {}),
            "placement": rules,
        }

    def train(self, box, plan, to, *arguments, more=0):
        """The folder of what it keeps, and what it said of each step and of the test's data."""
        folder = box.weights(
            plan,
            "--steps",
            self.steps + more,
            "--data_dir",
            "data",
            "--fetch",
            "loss",
            *arguments,
            to=to,
            seconds=600,
        )
        said = box.last.out.lines()
        assert (
            len([line for line in said if line.startswith("loss ")])
            == self.steps + more
            == len(said) - len([line for line in said if "test" in line])
        )
        return folder, said

    def one(self, box):
        """Of one device; made once."""
        if not self.reference:
            folder, said = self.train(box, box.oneDevice("one", 4, self.model), "one")
            self.reference = {file.name: file.read_bytes() for file in folder.iterdir()}, said
        files, said = self.reference
        for file, data in files.items():
            box.write(f"one/{file}", data)
        return box / "one", said


NETWORKS = {name: Network(name) for name in [*PARTS, *(EXAMPLES if LONG else [])]}
# A group of tests of its own, which makes the reference once.
each = pytest.mark.parametrize("row", NETWORKS)


@each
@pytest.mark.parametrize("strategy", EXACT)
@pytest.mark.parametrize("workers", [1, 2, 4] if LONG else [2, 4])
def test_bits(box, row, strategy, workers):
    """Over shared memory and over gRPC; four workers over shared memory alone, but for --long."""
    network = NETWORKS[row]
    network.data(box)
    one, said = network.one(box)
    cluster = network.cluster(strategy, workers)
    plan = box.compile(f"{strategy}-{workers}", cluster, network.model)
    if strategy == "in-graph":
        assert len(plan.err.matches(r"^ /job:worker/task:\d")) >= min(
            workers, 2 if row in EXAMPLES else 3
        )
    for transport in ("shm", "grpc") if LONG or workers < 4 else ("shm",):
        folder, told = network.train(
            box, plan, f"{strategy}-{workers}-{transport}", f"--transport={transport}"
        )
        same(one, folder)
        assert told == said
        shutil.rmtree(folder)


@each
def test_comparison_can_fail(box, row):
    """What is compared has slots, and nearly all of it changes in each step."""
    network = NETWORKS[row]
    network.data(box)
    one, said = network.one(box)
    more, told = network.train(box, box.oneDevice("one", 4, network.model), "more", more=1)
    losses = [line for line in said if line.startswith("loss ")]
    assert told[: len(losses)] == losses and len(set(losses)) == len(losses)
    slot = {"resnet": ".Momentum", "gpt": ".Adam"}.get(network.kind)
    assert not slot or any(slot in file.name for file in one.iterdir())
    assert len(differences(one, more)) > 0.9 * len(list(one.iterdir()))
