#!/usr/bin/env python3
"""Names of files: no two units of dialects, passes, runtime and tools share a stem, and a stem says
what is in the file.

usage: stems.py ROOT

A unit is a header, a source and a TableGen file of one path; main.cpp is exempt. A stem of one word
is a finding unless ONE_WORD lists it, a listed one that no unit has is one as well.
"""

import collections
import os
import re
import sys

TOPS = ("dialects", "passes", "runtime", "tools")
# Public headers, the project's own terms (docs/glossary.md), and types that say it all.
ONE_WORD = {
    "Checkpoint",
    "Compiler",
    "Crc32c",
    "Device",
    "Diagnostic",
    "File",
    "Futex",
    "Hook",
    "Json",
    "Lane",
    "Mutex",
    "Passes",
    "Run",
    "Session",
    "Sha256",
    "Socket",
    "Transport",
    "Version",
}


def units(root):
    """{stem: [path without suffix]}"""
    found = collections.defaultdict(set)
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                stem, suffix = os.path.splitext(name)
                if suffix in (".h", ".cpp", ".td") and stem != "main":
                    found[stem].add(os.path.relpath(os.path.join(folder, stem), root))
    return {stem: sorted(paths) for stem, paths in found.items()}


def main(root):
    found, findings = units(root), 0
    for stem, paths in sorted(found.items()):
        if len(paths) > 1:
            print(f"{stem}: {' and '.join(paths)} have one stem; rename one of them")
            findings += 1
        if re.fullmatch(r"[A-Z][a-z0-9]*", stem) and stem not in ONE_WORD:
            print(f"{paths[0]}: one word does not say what is in it; two or three do")
            findings += 1
    for stem in sorted(ONE_WORD - found.keys()):
        print(f"{stem}: listed in stems.py, but no file has that name")
        findings += 1
    print(f"{len(found)} stems, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
