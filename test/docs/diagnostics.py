#!/usr/bin/env python3
"""Each diagnostic that the dialects and passes can emit is expected by a test.   diagnostics.py ROOT [--list]

Lists every statement of dialects/ and passes/ that emits an error, warning, remark or note, and takes the longest text in quotes in it. A test
expects it where a line of test/ has the first words of that text: after expected-error and its like, in a FileCheck pattern, in a script.
A statement without words of its own (an argument has them) counts where these words stand. UNREACHABLE names those that no input brings about
through the pipeline or graph-opt, each with the reason; one that a test expects after all, or that is gone, is a finding too.
"""
import os
import re
import sys

EMITS = re.compile(r"\b(?:emitError|emitOpError|emitWarning|emitRemark|attachNote|complain|fail)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
ENOUGH = 20  # characters of a text that a test has to have

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
}


def statementAt(text, begin):
    """From `begin` to the semicolon or the brace that ends it."""
    depth, at = 0, begin
    while at < len(text):
        literal = LITERAL.match(text, at)
        if literal:
            at = literal.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if text[at] == ";" and depth <= 0 or depth < 0 and text[at] == "}":
            break
        at += 1
    return text[begin:at]


def sites(root):
    """(file:line, longest text) of every statement that says something."""
    for top in ("dialects", "passes"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if not name.endswith((".cpp", ".h", ".td")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r"//[^\n\"]*$", "", file.read(), flags=re.M)
                for found in EMITS.finditer(text):
                    statement = re.sub(r'"\s+"', "", statementAt(text, found.start()))
                    texts = [each.replace('\\"', '"').strip() for each in LITERAL.findall(statement)]
                    longest = max(texts, key=len, default="")
                    if len(longest) >= 8:
                        yield f"{os.path.relpath(path, root)}:{text.count(chr(10), 0, found.start()) + 1}", longest


def testLines(root):
    for folder, _, names in os.walk(os.path.join(root, "test")):
        for name in names:
            if name.endswith((".mlir", ".test", ".sh", ".bash", ".py", ".cpp")) and name != "diagnostics.py":
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    yield file.read().replace('\\"', '"')


def main():
    root = sys.argv[1]
    tests = "\n".join(testLines(root))
    all_sites = list(sites(root))
    findings, unused = [], dict(UNREACHABLE)
    for where, text in all_sites:
        isExpected = text[:ENOUGH] in tests
        known = next((start for start in UNREACHABLE if text.startswith(start)), None)
        unused.pop(known, None)
        if "--list" in sys.argv:
            print(where, text)
        if isExpected and known:
            findings.append(f'{where}: a test expects "{text}", which UNREACHABLE says none can')
        elif not isExpected and not known:
            findings.append(f'{where}: no test expects "{text}"')
    findings += [f'UNREACHABLE has "{start}", which nothing says' for start in unused] if root == REAL else []
    print("\n".join(findings + [f"{len(all_sites)} diagnostics, {len(findings)} findings"]))
    sys.exit(1 if findings or not all_sites else 0)


REAL = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
if __name__ == "__main__":
    main()
