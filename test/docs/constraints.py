#!/usr/bin/env python3
"""Each constraint of an op, a numbered line of its description, is named by a test that breaks it.   constraints.py ROOT

Those of the graph dialect are numbered op by op: `(C2)` before an expected-error is the second of
the op in the next line, `(graph.func C2)` that of another. Those of the dist dialect have names of
their own, several ops share some: `(CH5)` in a comment of a test. A test that names a constraint
which there is not is a finding too, and so are an item without its number and an op with a verifier
and no constraint.
"""

import glob
import os
import re
import sys


def sections(page):
    with open(page, encoding="utf-8") as file:
        parts = re.split(r"^###+ `(.*?)` \(", file.read(), flags=re.M)[1:]
    return zip(parts[::2], parts[1::2])


def textOf(pattern, root):
    for path in sorted(glob.glob(os.path.join(root, pattern), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield os.path.relpath(path, root), file.read()


def main():
    root = sys.argv[1]
    wanted, named, findings = {}, set(), []
    for op, text in sections(os.path.join(root, "docs/dialects/graph.md")):
        for number, begin in re.findall(r"^(\d+)\. (.{0,8})", text, flags=re.M):
            wanted[f"{op} C{number}"] = op
            if not begin.startswith(f"(C{number}) "):
                findings.append(f"docs/dialects/graph.md: item {number} of {op} is not (C{number})")
    for op, text in sections(os.path.join(root, "docs/dialects/dist.md")):
        for line in re.findall(r"^\d+\. (\(.*)", text, flags=re.M):
            for name in re.findall(r"\(([A-Z]+\d+)\)", line):
                wanted.setdefault(name, op)
    for path, text in textOf("dialects/*/*.td", root):
        for op, body in re.findall(r"^def (\w+Op) *:(.*?)^}", text, flags=re.M | re.S):
            if "let hasVerifier = 1" in body and not re.search(r"^ +1\. \(", body, flags=re.M):
                findings.append(f"{path}: {op} has a verifier and no constraint")
    for path, text in textOf("test/**/*.mlir", root):
        for tag, below in re.findall(
            r"// \(([^()]*C\d+)\) expected-error.*((?:\n *//.*)*\n.*)", text
        ):
            op = re.search(r"(?<![#\w])graph\.\w+", re.sub(r"^ *//.*$", "", below, flags=re.M))
            name = tag if tag.startswith("graph.") else f"{op[0] if op else '?'} {tag}"
            named.add(name)
            if name not in wanted:
                findings.append(f"{path} names {name}, which there is not")
        if path.startswith("test/dialects/dist") or path.startswith("test/passes"):
            for name in re.findall(
                r"\(([A-BD-Z][A-Z]*\d+|C[A-Z]+\d+)\)", "\n".join(re.findall(r"//.*", text))
            ):
                named.add(name)
    findings += [
        f"{name} of {op} is named by no test" for name, op in wanted.items() if name not in named
    ]
    print("\n".join(findings + [f"{len(wanted)} constraints, {len(findings)} findings"]))
    sys.exit(1 if findings or not wanted else 0)


if __name__ == "__main__":
    main()
