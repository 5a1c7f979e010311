"""No pass and no part of the runtime tests for the class or the name of an op that computes; none
names anything of the dialect that only tests have, nor a kernel of the library that serves it.

usage: op_names.py ROOT [FOLDER...]   (default: ROOT/passes, ROOT/runtime; also prints the ops that PassOpBuilders.h is for, and those that it tells from others)
Prints each place and exits 1 where there is one.
"""

import pathlib
import re
import sys


def computingOps(root):
    """Class name → name in the text."""
    found = {}
    for family in (root / "dialects/graph/ops").glob("*.td"):
        for cppName, mnemonic in re.findall(
            r'^def Graph_(\w+Op)\s*:[^"]*"(\w+)"', family.read_text(), re.M
        ):
            found[cppName] = f"graph.{mnemonic}"
    return found


def testDialect(root):
    """What test/dialects/extra has: classes of ops and attributes, and names in a text, those of a
    library's kernels among them."""
    found = re.findall(
        r'^def Extra_(\w+(?:Op|Attr))\s*:[^"]*"(\w+)"',
        (root / "test/dialects/extra/Extra.td").read_text(),
        re.M,
    )
    kernels = re.findall(
        r'getLibraryKernel\(StringRef\) { return "(\w+)"; }',
        (root / "test/dialects/extra/Extra.cpp").read_text(),
    )
    assert len(found) > 15 and "average_pool" in kernels, (found, kernels)
    return [cppName for cppName, _ in found], [
        f"extra.{mnemonic.lower()}" for _, mnemonic in found
    ] + kernels


def createdOps(folder):
    """Classes that the functions of PassOpBuilders.h make, whichever file defines these; two of
    these files have their helpers, too."""
    functions = set(
        re.findall(r"\b(\w+)\(mlir::OpBuilder", (folder / "PassOpBuilders.h").read_text())
    )
    texts, defined = (
        [(folder / name).read_text() for name in ("PassOpBuilders.cpp", "GradientSums.cpp")],
        set(),
    )
    for path in folder.rglob("*.cpp"):
        for name, body in re.findall(
            r"^[^/\s][^\n(]*\b(\w+)\(OpBuilder[^;{]*\) {([^\n]*}$|\n.*?^})",
            path.read_text(),
            re.M | re.S,
        ):
            if name in functions:
                defined.add(name)
                texts.append(body)
    assert functions == defined and len(functions) > 14, (functions - defined, len(functions))
    return {
        name
        for text in texts
        for name in re.findall(
            r"(?<!cast<)(?<!isa<)(?<!DefiningOp<)\b(\w+Op)(?:::create\(|>\()", text
        )
    }


def recognisedOps(folder):
    """Classes by which a predicate of PassOpBuilders.h knows what passes have made."""
    functions = set(
        re.findall(r"\bbool (is\w+)\(mlir::Operation", (folder / "PassOpBuilders.h").read_text())
    )
    found = dict(
        re.findall(
            r"^bool (is\w+)\(Operation \*op\) { return isa<(\w+)>\(op\); }$",
            (folder / "PassOpBuilders.cpp").read_text(),
            re.M,
        )
    )
    assert functions == set(found), functions ^ set(found)
    return set(found.values())


def main():
    root = pathlib.Path(sys.argv[1])
    folders = [pathlib.Path(folder) for folder in sys.argv[2:]] or [
        root / "passes",
        root / "runtime",
    ]
    ops = computingOps(root)
    assert len(ops) > 40, ops
    print(
        "passes make:",
        *sorted(ops[name] for name in createdOps(root / "dialects/graph/ops") if name in ops),
    )
    print(
        "passes recognise:",
        *sorted(ops[name] for name in recognisedOps(root / "dialects/graph/ops")),
    )
    extraClasses, extraNames = testDialect(root)
    scopes = {**dict.fromkeys(extraClasses, "extra"), **dict.fromkeys(ops, "graph")}
    classes = re.compile(r"(?:(\w+)::)?\b(" + "|".join(scopes) + r")\b")
    names = re.compile("|".join(re.escape(f'"{name}"') for name in [*ops.values(), *extraNames]))
    places = []
    for path in sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".cpp", ".h")
    ):
        here = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            found = [
                name for scope, name in classes.findall(code) if scope in ("", scopes[name])
            ] + names.findall(code)
            places += [f"{here}:{number}: {name}" for name in found]
    print(*places, sep="\n")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
