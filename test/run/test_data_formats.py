"""Data sets of every format: the same samples as those of IDX files, under every strategy, and
errors that name file and place."""

import gzip
import struct
import zipfile

import pytest
from box import MODELS, same, servers
from formats import samples, write

IDX = (MODELS / "idx.mlir").read_text()
COUNT = 50
IMAGES = [0, *(i * 7 % 256 for i in range(1, 6 * COUNT))]
LABELS = [i % 3 for i in range(COUNT)]
SOURCES = {
    "npy": '#graph.npy<files = ["x.npy", "y.npy"], scale = 0.125>',
    "npz": '#graph.npy<files = ["stored.npz:x", "deflated.npz:y"], scale = 0.125>',
    "csv": '#graph.csv<file = "t.csv.gz", columns = ["p0", "p1", "p2", "p3", "p4", "p5", "class"]>',
}
IDX_SOURCE = '#graph.idx<files = ["images.gz", "labels.gz"], scale = 0.125>'
CLUSTERS = {
    "micro": {"worker": 1, "strategy": {"name": "one_device", "micro_batches": 4}},
    "servers": servers(2, 1, micro_batches=4),
    "ring": {"worker": 4, "strategy": {"name": "all_reduce", "micro_batches": 4}},
}

TEXT = """
graph.variable @w : tensor<128x3xf32> = #graph.glorot_uniform<seed = 1>
graph.dataset @train : (tensor<8xi32>, tensor<8xi32>) = #graph.text<file = "corpus.txt", stride = 3> {shuffle = true, seed = 3}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 2} : tensor<2x8xi32>, tensor<2x8xi32>
  %flat = graph.reshape %x : (tensor<2x8xi32>) -> tensor<16xi32>
  %next = graph.reshape %y : (tensor<2x8xi32>) -> tensor<16xi32>
  %hot = graph.one_hot %flat : (tensor<16xi32>) -> tensor<16x128xf32>
  %after = graph.one_hot %next : (tensor<16xi32>) -> tensor<16x128xf32>
  %w = graph.read @w : tensor<128x3xf32>
  %a = graph.matmul %hot, %w : (tensor<16x128xf32>, tensor<128x3xf32>) -> tensor<16x3xf32>
  %b = graph.matmul %after, %w : (tensor<16x128xf32>, tensor<128x3xf32>) -> tensor<16x3xf32>
  %d = graph.subtract %a, %b : tensor<16x3xf32>
  %q = graph.multiply %d, %d : tensor<16x3xf32>
  %loss = graph.reduce_mean %q dimensions = [0, 1] : (tensor<16x3xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
CIFAR = """
graph.variable @w : tensor<3072x10xf32> = #graph.zeros
graph.dataset @train : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["a.bin", "b.bin"], scale = 0.00390625>
    {shuffle = true, seed = 3, TRANSFORMS}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 2} : tensor<2x3x32x32xf32>, tensor<2xi32>
  %flat = graph.reshape %x : (tensor<2x3x32x32xf32>) -> tensor<2x3072xf32>
  %w = graph.read @w : tensor<3072x10xf32>
  %l = graph.matmul %flat, %w : (tensor<2x3072xf32>, tensor<3072x10xf32>) -> tensor<2x10xf32>
  %loss = graph.softmax_cross_entropy %l, %y : (tensor<2x10xf32>, tensor<2xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
"""
CROPPED = (
    "transforms = [#graph.random_crop<padding = 4>, #graph.random_flip, #graph.normalize<mean = [0.5, 0.25, 0.125], "
    "stddev = [0.25, 0.5, 1]>]"
)


def put(box):
    """The samples of models/idx.mlir in every format."""
    samples(box / "idx", COUNT)
    folder = box / "other"
    folder.mkdir()
    write(folder / "y.npy", "<i4", (COUNT,), LABELS)
    write(folder / "x.npy", "|u1", (COUNT, 2, 3), IMAGES)
    for name, method, member in (
        ("stored", zipfile.ZIP_STORED, "x"),
        ("deflated", zipfile.ZIP_DEFLATED, "y"),
    ):
        with (
            zipfile.ZipFile(folder / f"{name}.npz", "w", method) as archive,
            archive.open(f"{member}.npy", "w", force_zip64=True) as entry,
        ):
            entry.write((folder / f"{member}.npy").read_bytes())
    rows = [
        ",".join(str(value / 8) for value in IMAGES[6 * i : 6 * i + 6]) + f",{LABELS[i]},unused"
        for i in range(COUNT)
    ]
    box.write("other/t.csv", "p0,p1,p2,p3,p4,p5,class,note\r\n" + "\r\n".join(rows) + "\r\n")


@pytest.mark.parametrize("format", SOURCES)
def test_same_samples(box, cache, format):
    """Whatever the format, the bits of the weights are those from IDX files."""
    put(box)
    model = IDX.replace(IDX_SOURCE, SOURCES[format])
    assert model != IDX
    box.write("other.mlir", model)
    first = box.weights(
        box.oneDevice("idx", 2, MODELS / "idx.mlir"), "--steps", 30, "--data_dir", "idx"
    )
    same(
        first,
        box.weights(box.oneDevice("one", 2, "other.mlir"), "--steps", 30, "--data_dir", "other"),
    )
    same(
        first,
        box.weights(
            box.servers("two", 2, 1, model="other.mlir"), "--steps", 30, "--data_dir", "other"
        ),
    )


@pytest.mark.parametrize("format", ["text", "cifar10"])
def test_every_strategy(box, cache, format):
    """Windows of a text, and images that are cropped and turned at random, are the same however the
    work is divided."""
    box.write("corpus.txt", "".join(chr(32 + i * i % 90) for i in range(400)))
    for name, first in ("a", 0), ("b", 5):
        box.write(
            f"{name}.bin",
            b"".join(
                bytes([i % 10]) + bytes((i * 37 + j * 11) % 251 for j in range(3072))
                for i in range(first, first + 5)
            ),
        )
    box.write("model.mlir", TEXT if format == "text" else CIFAR.replace("TRANSFORMS", CROPPED))
    weights = [
        box.weights(box.compile(name, cluster, "model.mlir"), "--steps", 12, "--data_dir", ".")
        for name, cluster in CLUSTERS.items()
    ]
    for other in weights[1:]:
        same(weights[0], other)
    if format == "cifar10":  # they do make a difference
        box.write(
            "model.mlir", CIFAR.replace("TRANSFORMS", CROPPED.replace("#graph.random_flip, ", ""))
        )
        plain = box.weights(
            box.compile("plain", CLUSTERS["micro"], "model.mlir"), "--steps", 12, "--data_dir", "."
        )
        assert (plain / "w.npy").read_bytes() != (weights[0] / "w.npy").read_bytes()


def test_vocabulary(box, cache):
    """Tokens of a vocabulary file, the longest that fits first: the weights are those of the same
    numbers as bytes of a file. What has no token is an error."""
    tokens = ["a", "b", "ab", "abc", "c", " "]
    box.write("corpus.txt", "abcab cab a bc " * 12)
    box.write("tokens.txt", "".join(token + "\n" for token in tokens))
    numbers, text, at = [], "abcab cab a bc " * 12, 0
    while at < len(text):
        longest = max((token for token in tokens if text.startswith(token, at)), key=len)
        numbers.append(tokens.index(longest))
        at += len(longest)
    assert len(set(numbers)) == 6
    box.write("bytes.txt", bytes(numbers))
    weights = []
    for name, source in (
        ("words", '<file = "corpus.txt", stride = 3, vocabulary = "tokens.txt">'),
        ("bytes", '<file = "bytes.txt", stride = 3>'),
    ):
        text = TEXT.replace('<file = "corpus.txt", stride = 3>', source)
        assert source in text
        box.write(f"{name}.mlir", text)
        weights.append(
            [
                box.weights(
                    box.compile(f"{name}-{strategy}", cluster, f"{name}.mlir"),
                    "--steps",
                    9,
                    "--data_dir",
                    ".",
                )
                for strategy, cluster in CLUSTERS.items()
            ]
        )
    for other in weights[0][1:] + weights[1]:
        same(weights[0][0], other)
    box.write("corpus.txt", "ab d")
    box.refused(
        "data set train: ./corpus.txt:1:4: no token of the vocabulary begins with what is here, \"d\"",
        box.oneDevice("none", 1, "words.mlir"),
        "--steps",
        1,
        "--data_dir",
        ".",
        status=1,
    )


def test_evaluation_is_not_drawn(box, cache):
    """The same data set in a function of role eval gives its samples as they are: two evaluations
    are alike, and like that without draws."""
    box.write(
        "a.bin",
        b"".join(
            bytes([i]) + bytes((i * 37 + j * 11) % 251 for j in range(3072)) for i in range(8)
        ),
    )
    text = (
        CIFAR.replace('"a.bin", "b.bin"', '"a.bin"')
        .replace("train_step", "eval_step")
        .replace("role<train>", "role<eval>")
    )
    text = (
        text.replace(
            "  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>\n",
            "",
        )
        .replace("#graph.zeros", "#graph.glorot_uniform<seed = 1>")
        .replace(
            "  graph.return %loss",
            "  graph.metric \"sum\", %x : tensor<2x3x32x32xf32>\n  graph.return %loss",
        )
    )
    said = []
    for name, transforms in (
        ("drawn", CROPPED),
        ("plain", CROPPED[:14] + CROPPED[CROPPED.index("#graph.normalize") :]),
    ):
        box.write(f"{name}.mlir", text.replace("TRANSFORMS", transforms))
        run = box.graphrun(
            box.compile(name, CLUSTERS["micro"], f"{name}.mlir"),
            "--entry",
            "eval",
            "--data_dir",
            ".",
        )
        said.append([line for line in run.out.text().splitlines() if "sum" in line])
    assert said[0] and said[0] == said[1]


@pytest.mark.parametrize(
    "format, name, content, words",
    [
        (
            "csv",
            "t.csv",
            b"p0,p1,p2,p3,p4,p5,class\n1,2,3,4,5,6,0\n1,2,3,four,5,6,0\n",
            'data set train: bad/t.csv:3:7: "four" is no number, expected a value of f32',
        ),
        ("csv", "t.csv", None, "bad/t.csv:2:1: a record of more than 1048576 bytes"),
        (
            "npy",
            "x.npy",
            b"\x93NUMPY\1\0"
            + struct.pack("<H", 77)
            + b"{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387704, 6), }",
            "bad/x.npy: not a usable .npy: its dimensions make more than 1 TiB",
        ),
        (
            "npz",
            "stored.npz",
            b"PK\3\4 and no more than that here",
            "bad/stored.npz:x: not a whole .npz: it has no directory at its end",
        ),
    ],
    ids=["number", "endless", "claim", "cut"],
)
def test_refused(box, cache, format, name, content, words):
    """One line of error with the file, the place, the cause, status 1."""
    put(box)
    (box / "other").rename(box / "bad")
    # Where no content is given: a field without an end.
    box.write(f"bad/{name}", content or b"p0,p1,p2,p3,p4,p5,class\n" + b"1" * (3 << 20))
    box.write("bad.mlir", IDX.replace(IDX_SOURCE, SOURCES[format]))
    box.refused(
        words, box.oneDevice("bad", 2, "bad.mlir"), "--steps", 3, "--data_dir", "bad", status=1
    )


# Bombs and lies: each by one process whose address space is bounded, so that what would read or
# inflate without end fails.
HEADER = b"\x93NUMPY\1\0" + struct.pack("<H", 64)
CLAIM = HEADER + b"{'descr': '|u1', 'fortran_order': False, 'shape': (89478485, 6)}"


def zipOf(path, member, first, mebibytes):
    """An entry that is these bytes and so many MiB of zeros behind them."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(member, "w") as entry,
    ):
        entry.write(first)
        for _ in range(mebibytes):
            entry.write(bytes(1 << 20))


def gzipOf(path, first, piece, mebibytes):
    with gzip.open(path, "wb", 1) as file:
        file.write(first)
        for _ in range(mebibytes):
            file.write(piece)


def lie(path, entry, offset, size):
    """Another size than it has, in the archive's directory."""
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\1\2") + offset
    data[at : at + 4] = struct.pack("<I", size)
    path.write_bytes(data)


BOMBS = {
    "npz": (
        "npz",
        lambda to: zipOf(to / "stored.npz", "x.npy", CLAIM, 512),
        "stored.npz:x: decodes to more than the 16 MiB that --data_cache_mb allows; raise that",
    ),
    "npz-behind-the-array": (
        "npz",
        lambda to: zipOf(to / "stored.npz", "x.npy", CLAIM.replace(b"89478485", b"50      "), 512),
        "stored.npz:x: more bytes follow than the 300 that its header promises",
    ),
    "npz-promises-less": (
        "npz",
        lambda to: (
            zipOf(to / "stored.npz", "x.npy", CLAIM, 64),
            lie(to / "stored.npz", "x", 24, 400),
        ),
        "stored.npz:x: the entry .*",
    ),
    "npz-promises-4-gib": (
        "npz",
        lambda to: (
            zipOf(to / "stored.npz", "x.npy", CLAIM, 1),
            lie(to / "stored.npz", "x", 24, 2**32 - 2),
        ),
        "stored.npz:x: .*",
    ),
    "idx": (
        "idx",
        lambda to: gzipOf(
            to / "images.gz", struct.pack(">HBB3I", 0, 8, 3, 89478485, 2, 3), bytes(1 << 20), 512
        ),
        "images.gz: decodes to more than the 16 MiB that --data_cache_mb allows; raise that",
    ),
    "csv-record": (
        "csv",
        lambda to: gzipOf(to / "t.csv.gz", b"p0,p1,p2,p3,p4,p5,class\n", b"1" * (1 << 20), 512),
        "t.csv.gz:2:1: a record of more than 1048576 bytes",
    ),
    "csv-rows": (
        "csv",
        lambda to: gzipOf(
            to / "t.csv.gz", b"p0,p1,p2,p3,p4,p5,class\n", b"1,2,3,4,5,6,0\n" * (1 << 16), 60
        ),
        "t.csv.gz: decodes to more than the 16 MiB that --data_cache_mb allows; raise that",
    ),
    "csv-commas": (
        "csv",
        lambda to: gzipOf(to / "t.csv.gz", b"", b"," * (1 << 20), 512),
        "t.csv.gz:1:.*: a record of more than 1048576 bytes",
    ),
    "csv-quote": (
        "csv",
        lambda to: gzipOf(to / "t.csv.gz", b'p0,p1,p2,p3,p4,p5,class\n"', b"1\n" * (1 << 19), 512),
        "t.csv.gz:2:1: a record of more than 1048576 bytes",
    ),
    "csv-empty-lines": (
        "csv",
        lambda to: gzipOf(
            to / "t.csv.gz", b"p0,p1,p2,p3,p4,p5,class\n1,2,3,4,5,6,0\n", b"\n" * (1 << 20), 512
        ),
        "t.csv.gz:3:1: an empty line",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb(box, cache, name):
    """Some MiB on disk that inflate to half a GiB, or lie about it: one line of error within 1 GiB
    of addresses, and nothing is left."""
    source, put_, words = BOMBS[name]
    put(box)
    (box / "idx").rename(box / "bad") if source == "idx" else (box / "other").rename(box / "bad")
    if source == "idx":
        for file in "images", "labels":
            (box / f"bad/{file}.gz").write_bytes(gzip.compress((box / f"bad/{file}").read_bytes()))
            (box / f"bad/{file}").unlink()
    elif source == "csv":
        (box / "bad/t.csv").unlink()
    put_(box / "bad")
    box.write("bomb.mlir", IDX if source == "idx" else IDX.replace(IDX_SOURCE, SOURCES[source]))
    plan = box.oneDevice("bomb", 2, "bomb.mlir")
    run = box.run(
        "bash",
        "-c",
        f"ulimit -v {1 << 20}; exec graphrun {plan} --steps 3 --data_dir bad --data_cache_mb 16",
        status=1,
        name="graphrun",
    )
    run.expect(f"bad/{words}")
    run.oneError()
    assert not [path for path in cache.glob("*.idx") if path.stat().st_size > 1 << 20]
