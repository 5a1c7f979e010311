#!/usr/bin/env python3
"""Parses every mlir block of the dialects' pages, which are the examples of the .td files.   fragments.py ROOT PAGE.md...

A block may use values that it does not define: they are given the type with which the block uses
them. It may stand at the top of a module or in a function or program, and may name symbols that it
does not declare; nothing else is forgiven.
"""

import re
import subprocess
import sys

WRAPS = (
    ("", ""),
    ("graph.func @wrap() -> () attributes {role = #graph.role<predict>} {\n", "\ngraph.return\n}"),
    (
        'dist.phase @p {role = #graph.role<predict>}\ndist.program @p.wrap of @p on "/job:worker/task:0/device:CPU:0" {\n',
        "\ndist.end\n}",
    ),
)
FORGIVEN = re.compile(
    r"no (variable|data set) @\S+ in this module|which this module does not (declare|define)|"
    r"'dist.phase' op has no program;|"
    r"'graph.(return|yield)' op expects parent op"
)


class Block:
    def __init__(self, page, line, text):
        self.page, self.line, self.text, self.wrap, self.types, self.errors = (
            page,
            line,
            text,
            0,
            {},
            [],
        )
        uses = re.findall(r"%(\w+)", text)
        results = " ".join(re.findall(r"^\s*((?:%\w+(?::\d+)?,?\s*)+)=", text, flags=re.M))
        # Of results and of arguments.
        defined = set(re.findall(r"%(\w+)", results)) | set(re.findall(r"%(\w+): ", text))
        self.open = [name for name in dict.fromkeys(uses) if name not in defined]

    def source(self):
        if self.text.startswith("#"):  # attributes, one a line
            return "".join(
                f'"test.attribute"() {{a = {line}}} : () -> ()\n' for line in self.text.splitlines()
            )
        before, after = WRAPS[self.wrap]
        values = "".join(
            f'%{name} = "test.value"() : () -> {self.types.get(name, "i1")}\n' for name in self.open
        )
        return before + values + self.text + after


def parse(blocks):
    """Errors of each block, by MLIR's own parser and verifiers."""
    pieces, starts, line = [], [], 1
    for block in blocks:
        source = block.source() + "\n// -----\n"
        starts.append((line, block))
        line += source.count("\n")
        pieces.append(source)
        block.errors = []
    run = subprocess.run(
        [
            "graph-opt",
            "-",
            "--split-input-file",
            "--allow-unregistered-dialect",
            "--mlir-print-op-on-diagnostic=false",
        ],
        input="".join(pieces),
        capture_output=True,
        text=True,
    )
    for at, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", run.stderr, flags=re.M):
        if not FORGIVEN.search(message):
            [block for start, block in starts if start <= int(at)][-1].errors.append(message)
    if run.returncode < 0:
        sys.exit(f"graph-opt died of signal {-run.returncode}\n{run.stderr[-2000:]}")


def refine(block):
    """Takes a type from what is wrong, or tries the next surrounding; False where nothing is left
    to try."""
    for message in block.errors:
        known = re.search(
            r"use of value '%(\w+)' expects different type than prior uses: '(.*)' vs '", message
        )
        if known and known[1] in block.open and known[1] not in block.types:
            block.types[known[1]] = known[2]
            return True
    if block.wrap + 1 < len(WRAPS):
        block.wrap, block.types = block.wrap + 1, {}
        return True
    return False


def main():
    blocks = []
    for page in sys.argv[1:]:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for found in re.finditer(r"^```mlir\n(.*?)^```$", text, flags=re.M | re.S):
            blocks.append(Block(page, text.count("\n", 0, found.start()) + 2, found[1]))
    todo, wrong = blocks, []
    while todo:
        parse(todo)
        todo = [block for block in todo if block.errors]
        left = [block for block in todo if not refine(block)]
        wrong += left
        todo = [block for block in todo if block not in left]
    for block in wrong:
        print(
            f"{block.page}:{block.line}: {block.errors[0]}\n  " + block.text.replace("\n", "\n  ")
        )
    print(f"{len(blocks)} examples, {len(wrong)} do not parse")
    sys.exit(1 if wrong or len(blocks) < 50 else 0)


if __name__ == "__main__":
    main()
