"""Models with one mistake: each is refused with one error that has a place and no name of the
compiler's own, or is a model still; none crashes.   mutations.py ROOT FOLDER

The mistakes are made by rule in every example of the dialects' pages and in whole models: each
token left out, written twice, misspelt, or of another kind. graph-opt, whose parser and verifiers
are graphc's, reads hundreds of them a process; graphc itself compiles a sample.
"""

import bisect
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# No name of C++ or TableGen is for users: a::b, FooAttr, BarOp, Graph_Baz.
INSIDE = re.compile(
    r"\w::\w|::\w|\b\w+(?:Attr|Interface)\b|\b[A-Z]\w*Op\b|\b(?:Graph|Dist)_\w|anonymous namespace|uint64_t|int64_t|"
    r"\bStorage\b|Assertion|Stack dump|LLVM ERROR|see current operation"
)
TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|[@%#!^]?[\w.$]+|->|\S")
SHORT = 40  # bytes of a number's or a word's neighbours that a report shows


def misspell(word):
    """Two letters in the middle change places, else one more."""
    at = len(word) // 2
    return (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if at + 1 < len(word) and word[at] != word[at + 1]
        else word + "q"
    )


def mutate(text):
    """Yields (what, text) of the same text with one token changed."""
    for found in TOKEN.finditer(text):
        token, before, after = found[0], text[: found.start()], text[found.end() :]
        if token.startswith("//"):
            continue
        changes = [("left out", ""), ("twice", f"{token} {token}")]
        if re.fullmatch(r"[@%#]?[A-Za-z_][\w.]*", token):
            changes += [
                ("misspelt", misspell(token)),
                ("a number", "3"),
                ("another word", "nonsense"),
            ]
        if re.fullmatch(r"[\d.]+", token):
            changes += [
                ("a text", '"text"'),
                ("too large", "99999999999999999999"),
                ("negative", f"-{token}"),
                ("a word", "many"),
            ]
        if token.startswith('"'):
            changes += [
                ("empty", '""'),
                ("a number", "7"),
                ("with a control character", f'"{token[1:-1]}\\01"'),
            ]
        if token.startswith("tensor") or token.startswith("memref"):
            changes += [("another type", "vector")]
        if token in ("f32", "f64", "i32", "i64", "i1"):
            changes += [("f16", "f16"), ("i64", "i64")]
        if token == "{":
            changes += [("an attribute more", "{nonsense = 1, ")]
        for what, new in changes:
            if new != token:
                yield f"'{token[:SHORT]}' {what}", before + new + after


def judge(said, first=0, last=None, place=r"^<stdin>:(\d+):(\d+)"):
    """What is wrong with what was said of one text; "" for one error at a place of it, or none."""
    errors = re.findall(r"^(.*?error: .*)$", said, flags=re.M)
    if len(errors) > 1:
        return f"{len(errors)} errors"
    if inside := INSIDE.search(
        "\n".join(
            line for line in said.splitlines() if re.search(r"(error|note|remark|warning): ", line)
        )
    ):
        return f"'{inside[0]}' is no name for users"
    for error in errors:
        at = re.match(place, error)
        if not at or int(at[1]) < 1 or int(at[2]) < 1:
            return "an error without a place"
        if last and not first <= int(at[1]) <= last:
            return "an error at another place"
    return ""


def mustBeRefused(what, text):
    """A word without quotes that is no name of the user's (of a value, a symbol, a job) names
    something of ours."""
    if what.endswith("an attribute more"):
        return True
    return (
        bool(re.fullmatch(r"'#?[A-Za-z_][\w.]*' misspelt", what)) and "#graph.cluster<" not in text
    )


def readPages(root):
    """The examples of the dialects' pages, each in a text that parses (test/docs/fragments.py)."""
    sys.path.insert(0, os.path.join(root, "test/docs"))
    import fragments

    blocks = []
    for page in ("graph", "dist"):
        with open(os.path.join(root, f"docs/dialects/{page}.md"), encoding="utf-8") as file:
            for found in re.finditer(r"^```mlir\n(.*?)^```$", file.read(), flags=re.M | re.S):
                blocks.append(fragments.Block(page, 0, found[1]))
    todo = blocks
    while todo:
        fragments.parse(todo)
        todo = [block for block in todo if block.errors and fragments.refine(block)]
    for block in blocks:
        source, text = block.source(), block.text
        begin = source.find(text)
        for what, changed in mutate(text) if begin >= 0 else []:
            yield what, source[:begin] + changed + source[begin + len(text) :]


def readTogether(texts, *flags):
    """These texts in one graph-opt: of each (what, text, what was said of it, its first line, its
    last), and a list of what was said without a place; None and its last words where graph-opt has
    died."""
    starts, pieces, line = [], [], 1
    for what, text in texts:
        piece = text + "\n// -----\n"
        starts.append((line, line + text.count("\n"), what, text))
        line += piece.count("\n")
        pieces.append(piece)
    lines = [first for first, _, _, _ in starts]
    run = subprocess.run(
        [
            "graph-opt",
            "-",
            *flags,
            "--split-input-file",
            "--mlir-print-op-on-diagnostic=false",
            "--mlir-disable-threading",
            "-o",
            "/dev/null",
        ],
        input="".join(pieces),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )
    if run.returncode < 0:
        return None, f"graph-opt died of signal {-run.returncode}:\n{run.stderr[-2000:]}"
    said, at = {}, None
    for each in run.stderr.splitlines():  # what belongs to a text begins with its place
        if place := re.match(r"<stdin>:(\d+):\d+: ", each):
            at = bisect.bisect_right(lines, int(place[1])) - 1
        said.setdefault(at, []).append(each)
    nowhere = ["an error without a place\n" + "\n".join(said[None])[:600]] if None in said else []
    return [
        (what, text, "\n".join(said.get(at, [])), first, last)
        for at, (first, last, what, text) in enumerate(starts)
    ], nowhere


def checkParser(texts):
    """These texts in one process; what is wrong with them."""
    read, wrong = readTogether(texts, "--allow-unregistered-dialect")
    if read is None:
        return [wrong]
    for what, source, text, first, last in read:
        if (
            why := judge(text, first, last)
            or mustBeRefused(what, source)
            and "error: " not in text
            and "taken in silence"
        ):
            wrong.append(f"{what}: {why}\n{text[:600]}\nof\n{source[:400]}")
    return wrong


def checkCompiler(folder, number, what, text):
    model, plan = os.path.join(folder, f"{number}.mlir"), os.path.join(folder, f"{number}.plan")
    with open(model, "w", encoding="utf-8") as file:
        file.write(text)
    if os.path.exists(plan):
        os.remove(plan)
    done = subprocess.run(
        ["graphc", model, "-o", plan], capture_output=True, text=True, errors="replace", timeout=120
    )
    why = judge(done.stderr, place=rf"^{re.escape(model)}:(\d+):(\d+)")
    refused = "error: " in done.stderr
    if done.returncode != (1 if refused else 0):
        why = f"exit status {done.returncode}"
    elif os.path.exists(plan) == refused:
        why = "a plan and an error" if refused else "neither plan nor error"
    return f"{what}: {why}\n{done.stderr[:600]}" if why else ""


def main():
    root, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    models = []
    for path in [
        *sorted(glob.glob(os.path.join(root, "examples/*/model.mlir"))),
        os.path.join(root, "test/run/models/annotated.mlir"),
    ]:
        with open(path, encoding="utf-8") as file:
            models += mutate(file.read())
    pages = list(readPages(root))
    # A sixth of the pages' and a fourteenth of the models' are some seven thousand; with --long all
    # of the pages', half of the models'.
    texts = (
        [*pages, *models[::2]] if os.environ.get("GRAPHC_LONG") else [*pages[::6], *models[::14]]
    )
    sample = models[:: len(models) // 50]
    # graph-opt takes longer by the square of what it reads at once: 500 take twice the time
    batch = 100
    with ThreadPoolExecutor(2) as pool:
        wrong = sum(
            pool.map(checkParser, [texts[i : i + batch] for i in range(0, len(texts), batch)]), []
        )
        wrong += filter(
            None,
            pool.map(
                lambda each: checkCompiler(folder, *each),
                [(number, *mutant) for number, mutant in enumerate(sample)],
            ),
        )
    for each in wrong[:20]:
        print(each, end="\n\n")
    print(f"{len(texts)} texts, {len(sample)} of them compiled, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(texts) < 5000 else 0)


if __name__ == "__main__":
    main()
