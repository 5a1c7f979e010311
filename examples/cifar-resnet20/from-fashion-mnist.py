#!/usr/bin/env python3
"""Writes Fashion-MNIST as CIFAR-10's binary files: each image of 28×28 with two black places around it, three times for the three colours.

usage: from-fashion-mnist.py FOLDER [DATA]    FOLDER gets data_batch_1.bin … data_batch_5.bin of 12,000 images each and test_batch.bin of 10,000;
                                              DATA has the four .gz files (default: where Debian's package dataset-fashion-mnist puts them)
"""
import gzip
import os
import sys

BATCHES, SIDE, EDGE = 5, 28, 2


def read(folder, name, dimensions):
    """The elements of an IDX file of bytes."""
    with gzip.open(os.path.join(folder, name)) as file:
        return file.read()[4 + 4 * dimensions:]


def records(images, labels):
    """A label and three planes of 32×32 for each image."""
    rows, columns = bytes(EDGE * (SIDE + 2 * EDGE)), bytes(EDGE)
    for i, label in enumerate(labels):
        image = images[i * SIDE * SIDE:(i + 1) * SIDE * SIDE]
        plane = rows + b"".join(columns + image[at:at + SIDE] + columns for at in range(0, SIDE * SIDE, SIDE)) + rows
        yield bytes([label]) + 3 * plane


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, data = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "/usr/share/datasets/fashion-mnist"
    os.makedirs(folder, exist_ok=True)
    for begins, names in ("train", [f"data_batch_{i + 1}.bin" for i in range(BATCHES)]), ("t10k", ["test_batch.bin"]):
        images, labels = read(data, f"{begins}-images-idx3-ubyte.gz", 3), read(data, f"{begins}-labels-idx1-ubyte.gz", 1)
        made = list(records(images, labels))
        each = len(made) // len(names)
        for i, name in enumerate(names):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(b"".join(made[i * each:(i + 1) * each]))


main()
