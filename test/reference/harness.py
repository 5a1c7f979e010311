"""What the checks that compile and run models share."""

import ast
import struct
import subprocess


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def tensor(shape, element="ELEMENT"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def execute(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def readNpy(path):
    data = open(path, "rb").read()
    assert data[:6] == b"\x93NUMPY", path
    size = (
        struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
    )
    start = 10 if data[6] == 1 else 12
    header = ast.literal_eval(data[start : start + size].decode())
    code = {
        "<f8": "d",
        "<f4": "f",
        "<i8": "q",
        "<i4": "i",
        "|b1": "?",
        "|i1": "b",
        "|u1": "B",
        "<u4": "I",
    }[header["descr"]]
    return list(struct.unpack(f"<{count(header['shape'])}{code}", data[start + size :]))
