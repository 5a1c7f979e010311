#!/usr/bin/env python3
"""Makes the text of this example from what comes with Perl on every Debian: the documentation within its modules and of its messages, about 3.7 MB of
English and code, as ASCII.

usage: make-text.py FOLDER    FOLDER gets train.txt, and of each twentieth file held-out.txt
"""
import glob
import os
import re
import sys

POD = re.compile(r"^=(?:head|over|item|pod|encoding|begin).*?(?=^=cut|\Z)", re.M | re.S)


def documentation(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    text = "".join(c if c == "\n" or " " <= c < "\x7f" else "?" for c in text)
    return "\n".join(POD.findall(text))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    paths = sorted({os.path.realpath(path) for kind in ("pm", "pod") for path in glob.glob(f"/usr/share/perl/5*/**/*.{kind}", recursive=True)})
    texts = [text for text in map(documentation, paths) if len(text) > 500]
    if sum(map(len, texts)) < 1 << 20:
        sys.exit("make-text.py: less than 1 MiB of documentation in /usr/share/perl; install Debian's package perl-modules-5.36 (perl needs it)")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, held in ("train.txt", False), ("held-out.txt", True):
        with open(os.path.join(sys.argv[1], name), "w", encoding="ascii") as file:
            file.write("".join(text for i, text in enumerate(texts) if (i % 20 == 9) == held))


main()
