#!/usr/bin/env python3
"""Words that were renamed are gone: identifiers, fields, messages, pages and files.   names.py ROOT

names.txt has the list. An old word is found as a whole: not within a longer identifier. The
decisions keep the words of their day. A line of the list whose new word is found nowhere is a
finding too, as is one without a reason of its own or above it.
"""

import os
import re
import sys

SKIPPED = (
    "docs/decisions",
    "docs/renames.md",
    "test/docs/names-questions.md",
    "build",
    ".git",
    "test/docs/names.txt",
    "test/docs/names.test",
    "LICENSE",
)
PART = r"[A-Za-z0-9_]"


def entries(path):
    """(line, old, new)"""
    found, why = [], ""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line:
            why = ""
        if not line or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        assert len(parts) == 3 and parts[0] and parts[1], (
            f"names.txt:{number}: expected old | new | why"
        )
        why = parts[2] or why
        assert why, f"names.txt:{number}: expected why"
        found.append((number, parts[0], parts[1]))
    return found


def whole(word):
    text = r"\s+".join(re.escape(part) for part in word.split())
    before = f"(?<!{PART})" if re.match(PART, word) else f"(?<={PART})"
    return before + text + f"(?!{PART})"


def files(root):
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = sorted(
            name for name in folders if os.path.normpath(os.path.join(here, name)) not in SKIPPED
        )
        for name in sorted(names):
            path = os.path.normpath(os.path.join(here, name))
            if path not in SKIPPED and not name.endswith(".pyc"):
                yield path


def main(root):
    listed = entries(os.path.join(root, "test/docs/names.txt"))
    patterns = [(old.split()[0], re.compile(whole(old))) for _, old, _ in listed]
    instead = {re.sub(r"\s+", " ", old): new for _, old, new in listed}
    texts, findings = [], 0
    for path in files(root):
        try:
            text = open(os.path.join(root, path), encoding="utf-8").read()
        except (UnicodeDecodeError, OSError):
            continue
        text = path + "\n" + text
        texts.append(text)
        matches = [
            match
            for first, pattern in patterns
            if first in text
            for match in pattern.finditer(text)
        ]
        ends = -1
        for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
            if match.end() <= ends:  # within a longer one
                continue
            ends = match.end()
            old = re.sub(r"\s+", " ", match.group())
            print(
                f"{path}:{text.count(chr(10), 0, match.start()) or 1}: {old} is {instead[old]} today"
            )
            findings += 1
    whole_text = "\n".join(texts)
    for number, _, new in listed:
        if not re.search(whole(new), whole_text):
            print(f"test/docs/names.txt:{number}: {new} is found nowhere")
            findings += 1
    print(f"{len(listed)} names, {findings} findings")
    return 1 if findings else 0


sys.exit(main(sys.argv[1]))
