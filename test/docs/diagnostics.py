#!/usr/bin/env python3
"""Each diagnostic that the dialects and passes can emit is expected by a test.   diagnostics.py ROOT [--list]

Lists every statement of dialects/ and passes/ that emits an error, warning, remark or note, or adds
to one, and takes the first and the longest text in quotes in it. A test expects them where a line
of test/ has their first words: after expected-error and its like, in a FileCheck pattern, in a
script; where several statements say the same, as often as they do. A statement without words of its
own (an argument has them) counts where these words stand. UNREACHABLE names those that no input
brings about through the pipeline or graph-opt, each with the reason; one that a test expects after
all, or that is gone, is a finding too.
"""

import collections
import os
import re
import sys

EMITS = re.compile(
    r"\b(?:emitError|emitOpError|emitOptionalError|emitWarning|emitRemark|attachNote|complain|fail|refuse)\("
)
# A variable, to which text is added later.
DIAGNOSTIC = re.compile(r"\bDiagnostic &?(\w+)\b|\bInFlightDiagnostic (\w+)\b")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Of lit's files.
EXPECTS = re.compile(
    r".*(?:expected-(?:error|warning|remark|note)|^\s*(?://|#|--)?\s*[A-Z][A-Z0-9_-]*:).*", re.M
)
COMMENT = re.compile(r"^\s*(?://|#).*$", re.M)  # of programs, in a line of its own
WORDS, ENOUGH = 8, 30  # characters that make a text, and of it those that a test has to have

UNREACHABLE = {
    "does not come to an end; please report this": "folds that undo each other would be a defect of theirs",
    ", which is no function of this module": "the call's own verifier refuses it (K1)",
    "are received, so that the programs part ways": "a channel has one sender and one receiver, each once a step (CH5)",
    "has programs whose values depend on each other in a circle": "the proof of liveness stands before it and names the circle",
    "; schedule and verify-liveness leave them": "one of the two runs before every plan is written",
    "is no part of a scheduled program": "verify-outlined refuses it",
    "; it is written by place": "the compiler gives every module a cluster",
    "has an initializer that plans do not know:": "the parser of graph.variable takes no other",
    "has a source that plans do not know:": "the parser of graph.dataset takes no other",
    "expected a ranked tensor, got": "the parser takes no other, and of the generic form the operand's type is verified first",
}


def endOf(text, at):
    """Where the statement that begins there ends: its semicolon, or the brace that closes what is
    around it."""
    depth = 0
    while at < len(text):
        literal = LITERAL.match(text, at)
        if literal:
            at = literal.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if text[at] == ";" and depth <= 0 or depth < 0 and text[at] == "}":
            break
        at += 1
    return at


def isDefinition(text, at):
    """Whether a function's parameters, then its body, stand there: `fail(std::string message)
    {`."""
    return re.match(r"\w+\((?:[^()\"]|\([^()]*\))*\)\s*(?:const\s*)?\{", text[at:]) is not None


def sites(root):
    """(file:line, texts) of every statement that says something."""
    for top in ("dialects", "passes"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if not name.endswith((".cpp", ".h", ".td")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r"//[^\n\"]*$", "", file.read(), flags=re.M)
                begins = {found.start() for found in EMITS.finditer(text)}
                variables = "|".join(sorted({a or b for a, b in DIAGNOSTIC.findall(text)}))
                if variables:
                    begins |= {
                        found.start()
                        for found in re.finditer(rf"(?<![\w.>])(?:{variables})\s*<<", text)
                    }
                for begin in sorted(begins):
                    if isDefinition(text, begin):
                        continue
                    statement = re.sub(r'"\s+"', "", text[begin : endOf(text, begin)])
                    texts = [
                        each.replace('\\"', '"').strip() for each in LITERAL.findall(statement)
                    ]
                    wanted = [
                        each
                        for each in dict.fromkeys([*texts[:1], max(texts, key=len, default="")])
                        if len(each) >= WORDS
                    ]
                    if wanted:
                        yield (
                            f"{os.path.relpath(path, root)}:{text.count(chr(10), 0, begin) + 1}",
                            wanted,
                        )


def testLines(root):
    for folder, _, names in os.walk(os.path.join(root, "test")):
        for name in names:
            if (
                name.endswith((".mlir", ".test", ".sh", ".bash", ".py", ".cpp"))
                and name != "diagnostics.py"
            ):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    text = file.read().replace('\\"', '"')
                yield (
                    "\n".join(EXPECTS.findall(text))
                    if name.endswith((".mlir", ".test"))
                    else COMMENT.sub("", text)
                )


def main():
    root = sys.argv[1]
    tests = "\n".join(testLines(root))
    all_sites = list(sites(root))
    reasons = [
        next((start for start in UNREACHABLE for text in texts if text.startswith(start)), None)
        for _, texts in all_sites
    ]
    saying = collections.Counter(
        text for (_, texts), known in zip(all_sites, reasons) if not known for text in texts
    )
    findings, unused = [], dict(UNREACHABLE)
    for (where, texts), known in zip(all_sites, reasons):
        unused.pop(known, None)
        if "--list" in sys.argv:
            print(where, *texts)
        for text in texts:
            expected = tests.count(text[:ENOUGH])
            if expected and known and text.startswith(known):
                findings.append(
                    f'{where}: a test expects "{text}", which UNREACHABLE says none can'
                )
            elif not expected and not known:
                findings.append(f'{where}: no test expects "{text}"')
            elif expected < saying[text] and not known:
                findings.append(
                    f'{where}: {saying[text]} statements say "{text}", {expected} tests expect it'
                )
    findings += (
        [f'UNREACHABLE has "{start}", which nothing says' for start in unused]
        if root == REAL
        else []
    )
    print("\n".join(findings + [f"{len(all_sites)} diagnostics, {len(findings)} findings"]))
    sys.exit(1 if findings or not all_sites else 0)


REAL = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
if __name__ == "__main__":
    main()
