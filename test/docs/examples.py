#!/usr/bin/env python3
"""Runs the example in the description of every pass and compares what it gives.   examples.py PAGE

An example is `Example:`, or `Example (`PIPELINE`):` where the pass's name alone is no pipeline, a
block that the pass is given, and either `becomes` with a block of what graph-opt prints (lines that
stand together in its output; a line `…` skips some, `…` in a line any text) or `is refused:` with
the error.
"""

import re
import subprocess
import sys

EXAMPLE = re.compile(
    r"^Example(?: \(`(.*?)`\))?:\n\n```mlir\n(.*?)^```\n\n(becomes|is refused:)\n\n```(?:mlir|text)\n(.*?)^```$",
    flags=re.M | re.S,
)


def patternOf(block):
    """A regular expression for the lines of a block, whatever their indentation."""
    lines = [line.strip() for line in block.strip().split("\n")]
    text = "\n".join(
        ".*?" if line == "…" else re.escape(line).replace("…", "[^\n]*") for line in lines
    )
    return re.compile("(?:^|\n)" + text + "(?:\n|$)", flags=re.S)


def check(name, example):
    """What is wrong with it; nothing where it is right."""
    pipeline, source, outcome, expected = example.groups()
    run = subprocess.run(
        ["graph-opt", f"--pass-pipeline=builtin.module({pipeline or name})", "-"],
        input=source,
        capture_output=True,
        text=True,
    )
    if outcome == "becomes":
        if run.returncode:
            return f"fails:\n{run.stderr}"
        output = "\n".join(line.strip() for line in run.stdout.split("\n"))
        return (
            None
            if patternOf(expected).search(output)
            else f"gives otherwise than the page says:\n{run.stdout}"
        )
    errors = re.findall(r"^<stdin>:\d+:\d+: error: (.*)$", run.stderr, flags=re.M)
    return (
        None
        if run.returncode and errors[:1] == [expected.strip()]
        else f"is not refused so:\n{run.stderr}"
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sections = re.split(r"^### `-(.*?)`$", file.read(), flags=re.M)[1:]
    findings, count = [], 0
    for name, text in zip(sections[::2], sections[1::2]):
        examples = list(EXAMPLE.finditer(text))
        count += len(examples)
        if not examples or text.count("```mlir") != sum(
            example[0].count("```mlir") for example in examples
        ):
            findings.append(f"{name} has no example, or a block that is none")
        findings += [
            f"{name} {wrong}"
            for wrong in map(lambda example: check(name, example), examples)
            if wrong
        ]
    print(
        "\n".join(
            findings + [f"{len(sections) // 2} passes, {count} examples, {len(findings)} findings"]
        )
    )
    sys.exit(1 if findings or not sections else 0)


if __name__ == "__main__":
    main()
