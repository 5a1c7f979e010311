#!/usr/bin/env python3
"""No line of code or comment is longer than 100 columns.   columns.py FILE...

Exempt are string literals (texts that people search for as a whole, programs and models within
programs), tables in comments, and lines that say what a test runs or expects. Where clang-format
lays out code (.cpp, .h, .td), it holds the limit, and only comments and descriptions are looked at.
tools/lint.sh lists the files.
"""

import io
import re
import sys
import tokenize

LIMIT = 100


def isTable(comment):
    """Columns, or a text of one column that is continued."""
    text = re.sub(r"^\s*(//+<?|#|\*)?", "", comment)
    return bool(re.search(r"\S {2,}\S", text)) or text.startswith("      ") or "|" in text


def ofPython(text):
    """The lines of Python that no string but a docstring reaches the limit in."""
    inStrings, docstring, fresh = set(), set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.STRING and fresh and token.string.endswith('"""'):
            docstring.update(lines)
        elif token.type == tokenize.STRING or token.type == getattr(
            tokenize, "FSTRING_MIDDLE", None
        ):
            inStrings.update(lines)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            fresh = token.type in (
                tokenize.ENCODING,
                tokenize.NEWLINE,
                tokenize.INDENT,
                tokenize.DEDENT,
            )
    for number, line in enumerate(text.split("\n"), 1):
        if number in docstring or number not in inStrings:
            if not (isTable(line) and (number in docstring or line.lstrip().startswith("#"))):
                yield number, line


def ofTableGen(text):
    """Comments, and the prose of descriptions: no code, no examples, no assembly formats."""
    fence = inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if "[{" in line:
            inside = "description" in line or "summary" in line
        if line.strip().startswith("```"):
            fence = not fence
        elif not fence and (inside or line.lstrip().startswith("//")) and not isTable(line):
            yield number, line
        if "}]" in line:
            inside = False


def ofComments(text):
    """C++: lines of comments, and comments behind code."""
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.match(r"^[^\"']*?((//|/\*|^ \* ).*)", line)
        if comment and not isTable(comment[1]) and "NOLINT" not in line:
            yield number, line


def ofOthers(text):
    for number, line in enumerate(text.split("\n"), 1):
        if not (isTable(line) if line.lstrip().startswith("#") else re.search("[\"'`]", line)):
            yield number, line


def main(files):
    findings = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".py"):
            lines = ofPython(text)
        elif path.endswith(".td"):
            lines = ofTableGen(text)
        elif path.endswith((".cpp", ".h")):
            lines = ofComments(text)
        else:
            lines = ofOthers(text)
        for number, line in lines:
            if len(line) > LIMIT and not re.search("RUN:|CHECK|expected-", line):
                print(f"{path}:{number}: {len(line)} columns; expected at most {LIMIT}")
                findings += 1
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
