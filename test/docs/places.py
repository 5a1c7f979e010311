#!/usr/bin/env python3
"""What the documentation points at is there.   places.py ROOT

- Every relative link of every committed Markdown page leads to a file.
- Every `path/in/backticks` that begins with a folder of this repository exists (build/ aside; a *
  stands for any name).
- docs/architecture.md names every folder of passes/ and runtime/, every pass, and the passes of
  each stage in the order of passes/PassPipelines.cpp; docs/README.md every page,
  docs/decisions/README.md every decision.
"""

import glob
import os
import re
import subprocess
import sys


def renamed():
    """Old names of files, from names.txt: the decisions keep the words of their day."""
    with open("test/docs/names.txt", encoding="utf-8") as file:
        return tuple(
            line.split("|")[0].strip() for line in file if re.match(r"[a-z]+/\w+\.\w+ \|", line)
        )


def main():
    root = sys.argv[1]
    os.chdir(root)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    files = [name for name in listed.stdout.split() if os.path.exists(name)]
    if listed.returncode != 0:  # an archive without git
        files = [
            os.path.relpath(os.path.join(folder, name))
            for folder, _, names in os.walk(".")
            for name in names
        ]
        files = [name for name in files if not name.startswith("build/")]
    tops = {name.split("/")[0] for name in files if "/" in name}
    findings = []
    pages = [name for name in files if name.endswith(".md")]
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            if ":" not in target and not os.path.exists(
                os.path.join(os.path.dirname(page), target)
            ):
                findings.append(f"{page}: the link {target} leads nowhere")
        for name in re.findall(r"`([\w./*{},-]+)`", prose):
            if (
                name.split("/")[0] in tops
                and "/" in name
                and "FOLDER" not in name
                and not found(name)
                and not (page.startswith("docs/decisions/") and name.endswith(renamed()))
            ):
                findings.append(f"{page}: there is no {name}")

    with open("docs/architecture.md", encoding="utf-8") as file:
        architecture = file.read()
    for folder in sorted(
        {
            "/".join(name.split("/")[:2])
            for name in files
            if re.match(r"(passes|runtime|dialects)/\w+/", name)
        }
    ):
        if f"{folder}/" not in architecture:
            findings.append(f"docs/architecture.md does not name {folder}/")
    flags = {}  # of a pass by its definition
    for table in ("Passes", "ModelPasses", "ProgramPasses", "KernelPasses"):
        with open(f"passes/{table}.td", encoding="utf-8") as file:
            for definition, name in re.findall(
                r'^def (\w+) : (?:Interface)?Pass<"([\w-]+)"', file.read(), flags=re.M
            ):
                flags[definition] = name
                if f"`{name}`" not in architecture:
                    findings.append(f"docs/architecture.md does not name the pass `{name}`")
    with open("passes/PassPipelines.cpp", encoding="utf-8") as file:
        parts = re.findall(
            r"^(static )?void build(\w+)\(OpPassManager &\w+\) \{(.*?)^\}",
            file.read(),
            flags=re.M | re.S,
        )
    # One that another calls stands there for what it has.
    bodies = {name: body for _, name, body in parts}
    whole = {
        name: re.sub(r"^ *build(\w+)\(", lambda call: bodies[call[1]] + call[0], body, flags=re.M)
        for name, body in bodies.items()
    }
    built = [
        (
            name.lower(),
            [
                flags.get(each) or passName(each)
                for each in re.findall(r"create(\w+)\(", whole[name])
            ],
        )
        for static, name, _ in parts
        if static
    ]
    table = [
        (stage, re.findall(r"`([\w-]+)`", row))
        for stage, row in re.findall(r"^\| (\w+) \| (`[^|]*) \|", architecture, flags=re.M)
        if stage in dict(built)
    ]
    if built != table or len(built) < 8:
        findings.append(
            f"docs/architecture.md has the order of passes as {table}, passes/PassPipelines.cpp as {built}"
        )
    for folder in ("docs", "docs/decisions"):
        with open(f"{folder}/README.md", encoding="utf-8") as file:
            index = file.read()
        for name in files:
            inside = os.path.relpath(name, folder)
            if (
                inside.endswith(".md")
                and "../" not in inside
                and inside != "README.md"
                and f"({inside})" not in index
                and "decisions/2" not in inside
            ):
                findings.append(f"{folder}/README.md does not list {name}")
    print("\n".join(findings) or f"{len(pages)} pages point at what is there")
    sys.exit(1 if findings or not pages else 0)


def passName(function):
    """A pass of MLIR's: createCSEPass → cse."""
    name = {"CanonicalizerPass": "Canonicalize"}.get(function, re.sub("Pass$", "", function))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def found(name):
    brace = re.fullmatch(r"(.*)\{(.*)\}(.*)", name)
    if brace:
        return all(found(brace[1] + part + brace[3]) for part in brace[2].split(","))
    # A unit without suffix stands for its header, source, …
    return bool(glob.glob(name) or re.search(r"/[A-Z]\w+$", name) and glob.glob(name + ".*"))


if __name__ == "__main__":
    main()
