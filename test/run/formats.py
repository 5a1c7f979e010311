"""The formats of files that tests make, read or damage, by the standard library alone."""

import array
import hashlib
import json
import os
import re
import struct


def read(path):
    """(element type, elements)"""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    code = re.search(rb"'descr': '[<|](\w\d)'", data[:start]).group(1).decode()
    return code, array.array({"f4": "f", "f8": "d", "i4": "i", "i8": "q", "u4": "I"}[code], data[start:])


def savedValues(checkpoint):
    """{variable: its bytes} of a checkpoint's folder, parts of one put together by their rows. By
    the format's own description."""
    parts = {}
    for shard in json.loads((checkpoint / "manifest.json").read_text())["shards"]:
        data = (checkpoint / shard["file"]).read_bytes()
        start = 8 + int.from_bytes(data[:8], "little")
        offsets = {
            name: tensor["data_offsets"] for name, tensor in json.loads(data[8:start]).items()
        }
        for variable in shard["variables"]:
            begin, end = offsets[variable["name"]]
            whole = variable.get("part_of", {"name": variable["name"], "row": 0})
            parts.setdefault(whole["name"], []).append(
                (whole["row"], data[start + begin : start + end])
            )
    return {name: b"".join(value for _, value in sorted(found)) for name, found in parts.items()}


def updates(folder):
    """The number of updates in a dump."""
    return read(os.path.join(folder, "global_step.npy"))[1][0]


def fingerprint(plan):
    return plan.read_bytes()[24:56].hex()


def idx(shape, values):
    """An IDX file of bytes, whatever their number."""
    return struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + bytes(values)


def sampleFiles(count, labels=None, first=0):
    """The data set of models/idx.mlir: so many images of 2 x 3 bytes 0, 7, 14, …, the very first as
    given; labels 0, 1, 2, 0, … where none are."""
    return (
        idx((count, 2, 3), [first, *(i * 7 % 256 for i in range(1, 6 * count))]),
        idx((count,), (i % 3 for i in range(count)) if labels is None else labels),
    )


def samples(folder, count, labels=None, first=0):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in zip(("images", "labels"), sampleFiles(count, labels, first)):
        (folder / name).write_bytes(data)


def seal(manifest, change):
    """Writes the manifest of a checkpoint anew, with change(its text) and the right sum of that."""
    text = manifest.read_text()
    end = text.rindex(',\n  "sha256"')
    body = change(text[:end])
    assert body != text[:end]
    manifest.write_text(f'{body},\n  "sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n')


def farApart(one, other):
    """Where two dumps differ by more than roundings of the same sums: an integer at all, a float by
    2^-20 of the largest of its variable."""
    found = []
    for name in sorted(os.listdir(one)):
        (code, left), (_, right) = read(os.path.join(one, name)), read(os.path.join(other, name))
        most = max(map(abs, left), default=0) * 2**-20 if code[0] == "f" else 0
        wrong = [
            i for i in range(min(len(left), len(right))) if not abs(left[i] - right[i]) <= most
        ]
        if wrong or len(left) != len(right):
            i = wrong[0] if wrong else 0
            found.append(
                f"{name}[{i}]: {left[i]} and {right[i]}, expected within {most}; {len(wrong)} of {len(left)}"
            )
    return found


def write(path, dtype, shape, elements, fortran=False):
    header = (
        f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {tuple(shape)}, }}".encode()
    )
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(
            b"\x93NUMPY\x01\x00"
            + struct.pack("<H", len(header))
            + header
            + array.array(
                {"<f4": "f", "<f8": "d", "<i4": "i", "|u1": "B"}[dtype], elements
            ).tobytes()
        )


def blocks(text, name):
    """Top-level `name { … }` of a protobuf in text form."""
    return re.findall(rf"^{name} \{{\n(.*?)^\}}", text, re.M | re.S)


def number(block, field, default=0):
    found = re.search(rf"^  {field}: (\d+)", block, re.M)
    return int(found.group(1)) if found else default


def instructions(program):
    """(kind, channel), …"""
    for found in re.finditer(
        r"^  instructions \{\n(?:    \w+: \d+\n)*    (\w+) \{(.*?)^  \}", program, re.M | re.S
    ):
        channel = re.search(r"^      channel: (\d+)", found.group(2), re.M)
        yield found.group(1), int(channel.group(1)) if channel else 0


def mostHeld(program, bytes):
    """How many values of so many bytes a program has in use at once: in its arena, and as messages
    that it makes."""
    places = {}  # of such a buffer: where it lies, so that views of it are it
    for index, buffer in enumerate(re.findall(r"^  buffers \{\n(.*?)^  \}", program, re.M | re.S)):
        arena = re.search(r"^    arena \{\n(?:      offset: (\d+)\n)?", buffer, re.M)
        if int(re.search(r"^    bytes: (\d+)", buffer, re.M).group(1)) == bytes and (
            arena or "    outgoing:" in buffer
        ):
            places[index] = int(arena.group(1) or 0) if arena else f"message {index}"
    lives = {}  # of a buffer: its first and last instruction
    for step, instruction in enumerate(
        re.findall(r"^  instructions \{\n(.*?)^  \}", program, re.M | re.S)
    ):
        for buffer in map(
            int, re.findall(r"^      (?:buffers?|own|scratch|partials): (\d+)", instruction, re.M)
        ):
            if buffer in places:
                lives[buffer] = lives.get(buffer, (step,))[0], step
    return max(
        (
            len(
                {places[buffer] for buffer, (first, last) in lives.items() if first <= step <= last}
            )
            for step, _ in lives.values()
        ),
        default=0,
    )
