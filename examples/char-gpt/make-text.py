#!/usr/bin/env python3
"""Makes the text of this example from Debian's package fortunes: about 2.2 MB of English in some 12,000 epigrams, quotations and poems, as ASCII.

usage: make-text.py FOLDER    FOLDER gets train.txt, and of each twentieth epigram held-out.txt

No epigram is in both, and none that is held out has a line that stands in train.txt: what a model knows of it, it has not read.
"""
import os
import sys

SOURCE = "/usr/share/games/fortunes"
LEFT_OUT = ("ascii-art", "ethnic", "men-women", "translate-me")  # pictures, poor taste, no English
LONG = 30  # of a line that says something by itself


def epigrams(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    text = "".join(c if c in "\n\t" or " " <= c < "\x7f" else "?" for c in text)
    return ["\n".join(line.rstrip() for line in part.strip("\n").split("\n")) + "\n\n" for part in text.split("\n%\n") if part.strip()]


def lines(epigram):
    return {words for line in epigram.split("\n") if len(words := " ".join(line.lower().split())) > LONG}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    names = sorted(name for name in os.listdir(SOURCE) if "." not in name and name not in LEFT_OUT) if os.path.isdir(SOURCE) else []
    all = list(dict.fromkeys(each for name in names for each in epigrams(os.path.join(SOURCE, name))))
    if sum(map(len, all)) < 1 << 20:
        sys.exit(f"make-text.py: less than 1 MiB of epigrams in {SOURCE}; install Debian's package fortunes (tools/setup.sh does)")
    train = [text for i, text in enumerate(all) if i % 20 != 9]
    read = set().union(*map(lines, train))
    held = [text for i, text in enumerate(all) if i % 20 == 9 and not lines(text) & read]
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, texts in ("train.txt", train), ("held-out.txt", held):
        with open(os.path.join(sys.argv[1], name), "w", encoding="ascii") as file:
            file.write("".join(texts))


main()
