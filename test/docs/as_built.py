#!/usr/bin/env python3
"""Looks for errors in FILE as the build would, had it FILE for SOURCE.   as_built.py BUILD SOURCE FILE [FLAG...]

SOURCE is a path from the root, of a file that the build compiles.
"""

import json
import os
import re
import shlex
import subprocess
import sys


def compiles(entry, source):
    """Whether the entry is of SOURCE, or of several files together, SOURCE among them
    (cmake/GraphcUnity.cmake)."""
    if not re.search(r"/unity_[^/]*\.cxx$", entry["file"]):
        return entry["file"].endswith("/" + source)
    with open(entry["file"], encoding="utf-8") as file:
        return f'/{source}"' in file.read()


def main():
    build, source, file, flags = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as database:
        entry = next(one for one in json.load(database) if compiles(one, source))
    words = shlex.split(entry["command"])
    # It may stand behind a compiler cache.
    first = next(i for i, word in enumerate(words) if os.path.basename(word).startswith("clang++"))
    words = words[first:]
    del words[words.index("-o") :]
    sys.exit(
        subprocess.run(
            words + ["-fsyntax-only", *flags, file], cwd=entry["directory"], check=False
        ).returncode
    )


main()
