"""The .npy files of a dump, read with the standard library."""
import array
import os
import re
import struct


def read(path):
    """(element type, elements)"""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    code = re.search(rb"'descr': '[<|](\w\d)'", data[:start]).group(1).decode()
    return code, array.array({"f4": "f", "f8": "d", "i4": "i", "i8": "q"}[code], data[start:])


def farApart(one, other):
    """Where two dumps differ by more than roundings of the same sums: an integer at all, a float by 2^-20 of the largest of its variable."""
    found = []
    for name in sorted(os.listdir(one)):
        (code, left), (_, right) = read(os.path.join(one, name)), read(os.path.join(other, name))
        most = max(map(abs, left), default=0) * 2**-20 if code[0] == "f" else 0
        wrong = [i for i in range(min(len(left), len(right))) if not abs(left[i] - right[i]) <= most]
        if wrong or len(left) != len(right):
            i = wrong[0] if wrong else 0
            found.append(f"{name}[{i}]: {left[i]} and {right[i]}, expected within {most}; {len(wrong)} of {len(left)}")
    return found


def write(path, dtype, shape, elements, fortran=False):
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {tuple(shape)}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + array.array({"<f4": "f", "<f8": "d"}[dtype], elements).tobytes())
