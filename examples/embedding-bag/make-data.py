#!/usr/bin/env python3
"""Makes the samples of this example from files that every machine has on which graphc is built: pieces of 66 bytes of C++ headers, Python, Perl and CMake
modules and of licences in English, as 64 hashed trigrams each, and which of the five it is.

usage: make-data.py FOLDER [PIECES]    FOLDER gets train-bags.npy, train-labels.npy, test-bags.npy and test-labels.npy; PIECES of each kind to train on
                                       (default 8000), and a fifth of that to test on, from other files
"""
import array
import glob
import os
import random
import struct
import sys

KINDS = [["/usr/include/c++/*/**/*", "/usr/include/c++/*/*"], ["/usr/lib/python3*/**/*.py"], ["/usr/share/perl/5*/**/*.pm", "/usr/lib/x86_64-linux-gnu/perl-base/**/*.pm"],
         ["/usr/share/cmake*/Modules/**/*.cmake"], ["/usr/share/common-licenses/*"]]
ROWS, BAG = 65536, 64


def bag(piece):
    """Of each trigram a row of the table: FNV-1a, 32 bits, folded to 16."""
    rows = []
    for at in range(BAG):
        value = 2166136261
        for byte in piece[at:at + 3]:
            value = (value ^ byte) * 16777619 & 0xffffffff
        rows.append((value ^ value >> 16) % ROWS)
    return rows


def contents(patterns, test):
    """Of each fifth file to test, of the others to train: as one text, runs of blanks as one."""
    paths = sorted({os.path.realpath(path) for pattern in patterns for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)})
    chosen = [path for i, path in enumerate(paths) if (i % 5 == 4) == test]
    random.Random(1).shuffle(chosen)
    text = bytearray()
    for path in chosen:
        with open(path, "rb") as file:
            text += b" ".join(file.read().split()) + b" "
        if len(text) > 4 << 20:
            break
    if len(text) < 4096:
        sys.exit(f"make-data.py: fewer than 4 KiB of text in {' '.join(patterns)}")
    return bytes(text)


def write(path, dtype, shape, code, values):
    """A .npy file, version 1.0."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + array.array(code, values).tobytes())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, pieces = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 8000
    os.makedirs(folder, exist_ok=True)
    for name, each in ("train", pieces), ("test", pieces // 5):
        draw, samples = random.Random(name), []
        for kind, patterns in enumerate(KINDS):
            text = contents(patterns, name == "test")
            for _ in range(each):
                at = draw.randrange(len(text) - BAG - 2)
                samples.append((bag(text[at:at + BAG + 2]), kind))
        draw.shuffle(samples)
        write(os.path.join(folder, f"{name}-bags.npy"), "<i4", (len(samples), BAG), "i", [row for rows, _ in samples for row in rows])
        write(os.path.join(folder, f"{name}-labels.npy"), "<i4", (len(samples),), "i", [kind for _, kind in samples])


main()
