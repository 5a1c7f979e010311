#!/usr/bin/env python3
"""A class has one source file.   classes.py ROOT

Says which class's member functions are defined in more than one .cpp: a class that is split to keep
files short is two classes, or one long file. Classes that tablegen declares (ops, attributes,
dialects) are not asked for: their members are interfaces, and each stands beside its family's
(dialects/graph/ops, CONTRIBUTING.md). EXCEPT has what else is meant so, and why.
"""

import pathlib
import re
import sys

EXCEPT = {}  # (class, header that declares it): the reason

FOLDERS = ("dialects", "passes", "runtime", "tools", "examples", "test")
DECLARED = re.compile(
    r"^\s*(?:template <[^;{]*>\s*)?(?:class|struct)(?: [A-Z_]+(?:\([^)]*\))?)* ([A-Z]\w*)(?: final)?[^;()]*\{",
    re.M,
)
# A line that begins with a definition: perhaps a type, then Class::member( or
# Class::Inner::member(, with namespaces before it.
DEFINED = re.compile(
    r"^(?![\s/#]|using |return |namespace )(?:[\w:<>,&*\[\]() ]*?[\s&*])?(?:[a-z]\w*::)*([A-Z]\w*)(?:<[^<>()]*>)?::(?:[A-Z]\w*::)*(?:~?\w+|operator[^\s(]+)\(",
    re.M,
)


def split(root):
    sources = [
        path
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".h", ".cpp")
    ]
    text = {path: path.read_text(encoding="utf-8") for path in sources}
    declared = {}  # by name: the files that do
    for path in sources:
        for name in DECLARED.findall(text[path]):
            declared.setdefault(name, set()).add(path)
    defined = {}  # by class and the file that declares it: the sources
    for path in sources:
        if path.suffix != ".cpp":
            continue
        for name in DEFINED.findall(text[path]):
            homes = declared.get(name, set())
            # Of several of a name, the one of this file, else of this folder.
            near = (
                {home for home in homes if home == path}
                or {home for home in homes if home.parent == path.parent}
                or homes
            )
            for home in near:
                defined.setdefault((name, str(home.relative_to(root))), set()).add(
                    path.relative_to(root)
                )
    return {key: files for key, files in defined.items() if len(files) > 1}


def main():
    root = pathlib.Path(sys.argv[1])
    found = split(root)
    findings = [
        f"{home}: {name} is in {', '.join(map(str, sorted(files)))}; make it one file, or classes with names of their own"
        for (name, home), files in sorted(found.items())
        if (name, home) not in EXCEPT
    ]
    findings += [
        f"classes.py: {name} of {home} is in one file, take it off EXCEPT"
        for name, home in sorted(EXCEPT)
        if (root / home).exists() and (name, home) not in found
    ]
    print("\n".join(findings + [f"{len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
