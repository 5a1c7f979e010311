#!/usr/bin/env python3
"""Every default that docs/dialects/graph.md gives for an optimizer's or a schedule's parameter is
the value that the parser uses if the parameter is left out.   defaults.py ROOT

Text that leaves it out and text that gives the documented value are the same attribute, and text
that gives another value is another one.
"""

import os
import re
import subprocess
import sys

# what each needs beside its defaults
NEEDED = {
    "sgd": "learning_rate = 0.5",
    "momentum": "learning_rate = 0.5, momentum = 0.25",
    "adam": "learning_rate = 0.5",
    "adamw": "learning_rate = 0.5",
    "adagrad": "learning_rate = 0.5",
    "rmsprop": "learning_rate = 0.5",
    "cosine_decay": "initial_learning_rate = 0.5, decay_steps = 8",
    "polynomial_decay": "initial_learning_rate = 0.5, decay_steps = 8",
    "linear_warmup": "steps = 8, learning_rate = 0.5",
    "piecewise_constant": "boundaries = [8], values = [0.5, 0.25]",
}
OTHER = {"false": "true"}


def documented(root):
    """{mnemonic: {parameter: default}}, of all that NEEDED has."""
    with open(os.path.join(root, "docs/dialects/graph.md")) as file:
        page = file.read()
    found = {}
    for title, body in re.findall(r"^### (\w+)Attr\n(.*?)(?=^### |\Z)", page, re.S | re.M):
        mnemonic = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", title).lower()
        if mnemonic in NEEDED:
            found[mnemonic] = dict(
                re.findall(r"^\| (\w+) \| .*default: ([\w.+-]+)", body, re.M)
            )
    return found


def parsed(text):
    """What graph-opt makes of attributes, as it prints them."""
    module = "".join(f'"test.op"() {{a = {attribute}}} : () -> ()\n' for attribute in text)
    out = subprocess.run(
        ["graph-opt", "--allow-unregistered-dialect", "-"],
        input=module,
        capture_output=True,
        text=True,
    )
    if out.returncode:
        sys.exit(out.stderr)
    return re.findall(r"a = (#.*)\} :", out.stdout)


def main():
    found = documented(sys.argv[1])
    if missing := sorted(set(NEEDED) - set(found)):
        sys.exit(f"docs/dialects/graph.md has no {', '.join(missing)}")
    wrong, count = 0, 0
    for mnemonic, defaults in found.items():
        for parameter, value in defaults.items():
            if value == "none":
                continue
            count += 1
            other = OTHER.get(value) or "0.125"
            plain, same, another = parsed(
                f"#graph.{mnemonic}<{NEEDED[mnemonic]}{more}>"
                for more in ("", f", {parameter} = {value}", f", {parameter} = {other}")
            )
            if plain != same or plain == another:
                print(f"#graph.{mnemonic}: {parameter} is {value} in graph.md; without it: {plain}, with it: {same}")
                wrong += 1
    print(f"{count} defaults, {wrong} findings")
    return wrong > 0 or count < 15


sys.exit(main())
