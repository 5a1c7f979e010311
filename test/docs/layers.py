#!/usr/bin/env python3
"""Which folder includes which: the table in docs/architecture.md, "Layers", held against the
sources.

usage: layers.py ROOT            an include that the table does not allow is a finding, with file
                                 and line; so is an edge of the table that nothing uses any more,
                                 and a folder that includes itself through others
       layers.py ROOT --table    prints the table that the sources have
"""

import collections
import os
import re
import sys

TOPS = ("dialects", "passes", "runtime", "tools")
# Each folder in these has a row; to a folder outside the runtime they are one.
NESTED = ("runtime/common", "runtime/session")
INCLUDE = re.compile(r'#include ["<]([^">]+)[">]')
# A header of a library, by its beginning, and what the table calls the library.
LIBRARIES = {
    "absl/": "absl",
    "llvm/": "LLVM",
    "lld/": "LLVM",
    "mlir/": "MLIR",
    "google/protobuf/": "protobuf",
    "grpc/": "gRPC",
    "grpcpp/": "gRPC",
    "openssl/": "OpenSSL",
    "spdlog/": "spdlog",
    "nlohmann/": "nlohmann_json",
    "CLI/": "CLI11",
    "zlib.h": "zlib",
    "oneapi/": "oneDNN",
    "dnnl": "oneDNN",
}


def folder(path):
    """runtime/common/plan/VerifyPlan.h → runtime/common/plan; runtime/device/cuda/CudaDriverApi.h →
    runtime/device; passes/Passes.h → passes."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: 3 if "/".join(parts[:2]) in NESTED else 2])


def uses(root):
    """{folder: {what it includes: "file:line" of the first}}"""
    found = collections.defaultdict(dict)
    for top in TOPS:
        for directory, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if not name.endswith((".h", ".cpp")):
                    continue
                path = os.path.relpath(os.path.join(directory, name), root)
                here = folder(path)
                found[here]  # also one that includes nothing
                for number, line in enumerate(open(os.path.join(root, path), encoding="utf-8"), 1):
                    match = INCLUDE.match(line)
                    if not match:
                        continue
                    target = match.group(1)
                    if target.startswith(tuple(top + "/" for top in TOPS)):
                        what = folder(target)
                        if what.startswith(NESTED) and not here.startswith("runtime/"):
                            what = "/".join(what.split("/")[:2])
                    else:
                        what = next(
                            (lib for start, lib in LIBRARIES.items() if target.startswith(start)),
                            None,
                        )
                    if what and what != here:
                        found[here].setdefault(what, f"{path}:{number}")
    return found


def allowed(root):
    """The table: {folder: [what it may include]}"""
    page = open(os.path.join(root, "docs/architecture.md"), encoding="utf-8").read()
    section = page.split("\n## Layers\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", section, re.M)
    return {name: re.findall(r"`([^`]+)`", cell) for name, cell in rows}


def main():
    root = sys.argv[1]
    found, table, findings = uses(root), allowed(root), []
    if sys.argv[2:] == ["--table"]:
        for here in sorted(found):  # folders first, then libraries
            print(
                f"| `{here}` | {' '.join(f'`{what}`' for what in sorted(found[here], key=lambda what: (what in LIBRARIES.values(), what)))} |"
            )
        return 0
    for here in sorted(found):
        if here not in table:
            findings.append(f"docs/architecture.md: the table of layers lacks {here}")
            continue
        for what, where in sorted(found[here].items()):
            if what not in table[here]:
                findings.append(
                    f"{where}: {here} may not include {what} (the table of layers in docs/architecture.md)"
                )
        for what in table[here]:
            if what not in found[here]:
                findings.append(
                    f"docs/architecture.md: {here} no longer includes {what}; the table of layers says it does"
                )
    for here in sorted(set(table) - set(found)):
        findings.append(
            f"docs/architecture.md: the table of layers has {here}, which is no folder of sources"
        )
    # What a folder reaches, through any number of others.
    within = {name: [row for row in table if row.startswith(name + "/")] for name in NESTED}
    for start in sorted(table):
        seen, todo = set(), [start]
        while todo:
            for what in (
                row for name in table.get(todo.pop(), []) for row in within.get(name, [name])
            ):
                if what == start:
                    findings.append(f"docs/architecture.md: {start} includes itself through others")
                    todo = []
                    break
                if what in table and what not in seen:
                    seen.add(what)
                    todo.append(what)
    print("\n".join(findings + [f"{len(table)} folders, {len(findings)} findings"]))
    return 1 if findings or not found else 0


if __name__ == "__main__":
    sys.exit(main())
