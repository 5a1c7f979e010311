"""Files as JAX writes them, with one mistake: each is refused with one error that has a place and
no name of the compiler's own, or is imported still; none crashes.   import_mutations.py ROOT

The mistakes are those of mutations.py; graph-opt imports hundreds of such files a process.
"""

import itertools
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutations import judge, mutate, readTogether

FILES = [
    "test/tools/graphc/Inputs/import/loss.mlir",
    "test/run/stablehlo/mlp.mlir",
    "test/run/stablehlo/convnet.mlir",
    "test/run/stablehlo/lstm.mlir",
    "test/run/stablehlo/noise.mlir",
]


def shorten(text):
    """Without places, which are most of such a file, and have no mistakes that are ours to find."""
    text = re.sub(r"^#loc.*\n", "", text, flags=re.M)
    return re.sub(
        r' loc\((?:#loc\d*|unknown|"[^"]*"\(#loc\d*\)|"[^"]*":\d+:\d+|"[^"]*"\("[^"]*":\d+:\d+\))\)',
        "",
        text,
    )


def check(texts):
    read, wrong = readTogether(texts, "--import-stablehlo=variables=params,stats")
    if read is None:  # of a batch, the text that it is
        return [wrong] if len(texts) == 1 else sum((check([each]) for each in texts), [])
    for what, _, said, first, last in read:
        # Of array<…> MLIR's parser says twice that it has no type.
        text = re.sub(
            r"^.*error: expected non-function type\n(.*\n.*\n.*error: expected an integer)",
            r"\1",
            said,
            flags=re.M,
        )
        # And what it says behind an attribute's error.
        text = re.sub(
            r"^(<stdin>:\d+:\d+: )(error: .*\n.*\n.*\n)\1error: ", r"\1\2\1note: ", text, flags=re.M
        )
        if why := judge(text, first, last):
            wrong.append(f"{what}: {why}\n{said[:600]}")
    return wrong


def main():
    root = sys.argv[1]
    files = [Path(root, path).read_text(encoding="utf-8") for path in FILES]
    # All of them at once would be gigabytes.
    mutants = itertools.chain.from_iterable(mutate(shorten(text)) for text in files)
    texts = list(itertools.islice(mutants, 0, None, 1 if os.environ.get("GRAPHC_LONG") else 47))
    batch = 100
    with ThreadPoolExecutor(2) as pool:
        wrong = sum(
            pool.map(check, [texts[i : i + batch] for i in range(0, len(texts), batch)]), []
        )
    for each in wrong[:20]:
        print(each[:1500], end="\n\n")
    print(f"{len(texts)} texts, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(texts) < 1000 else 0)


if __name__ == "__main__":
    main()
