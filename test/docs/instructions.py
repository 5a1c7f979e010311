#!/usr/bin/env python3
"""The table of docs/communication.md names each instruction of a plan, each op of a lane and each dist op that becomes one.   instructions.py ROOT

Missing names and names that nothing has are findings. Ops of the dist dialect that become no
instruction stand below.
"""

import os
import re
import sys

NO_INSTRUCTION = {
    "phase",
    "channel",
    "program",
    "end",
    "feed",
    "feed_into",
    "fetch",
    "metric",
    "pack",
    "unpack",
    "buffer",
    "variable_buffer",
    "constant_buffer",
    "view",
}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def main():
    root = sys.argv[1]
    page = read(root, "docs/communication.md")
    section = re.search(r"^## The names of one instruction\n(.*?)^## ", page, flags=re.M | re.S)[1]
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for row in re.findall(r"^\| .*\|$", section, flags=re.M)
    ][1:]
    texts, plans, lanes = (
        set(re.findall(pattern, "\n".join(cell for row in rows for cell in row[first:last])))
        for pattern, first, last in (
            (r"`dist\.(\w+)`", 0, 2),
            (r"`([A-Z]\w+)`", 2, 3),
            (r"`([A-Z]\w+)`", 3, 4),
        )
    )
    proto = read(root, "runtime/common/plan/plan.proto")
    kinds = re.search(r"message Instruction \{.*?oneof kind \{(.*?)\}", proto, flags=re.S)[1]
    program = re.search(
        r"enum class LaneOp [^{]*\{(.*?)\};",
        read(root, "runtime/executor/LaneProgram.h"),
        flags=re.S,
    )[1]
    ops = {
        name
        for file in ("DistOps.td", "DistBufferOps.td")
        for name in re.findall(
            r"^def Dist_\w+Op\s*:\s*\w+<\s*\"(\w+)\"", read(root, "dialects/dist/" + file), flags=re.M
        )
    }
    findings = []
    for what, there, named in (
        ("plan", set(re.findall(r"(\w+) \w+ = \d+;", kinds)), plans),
        ("lane", set(re.findall(r"^\s*(\w+),", re.sub(r"//.*", "", program), flags=re.M)), lanes),
        ("dist dialect", ops - NO_INSTRUCTION, texts),
    ):
        findings += [f"{what}: {name} is not in the table" for name in sorted(there - named)]
        findings += [
            f"{what}: the table has {name}, which does not exist" for name in sorted(named - there)
        ]
    for finding in findings:
        print("docs/communication.md: " + finding)
    print(
        f"{len(rows)} rows, {len(plans) + len(lanes) + len(texts)} names, {len(findings)} findings"
    )
    sys.exit(1 if findings or len(rows) < 10 else 0)


if __name__ == "__main__":
    main()
