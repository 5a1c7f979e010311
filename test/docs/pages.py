#!/usr/bin/env python3
"""Runs what the documentation says one can type, and compares what comes out with what it says
comes out.

usage: pages.py [--update] ROOT PAGE.md...    (--update writes into the page what was printed, where that differs)

Every fenced block marked `console` is a session: a line that begins with "$ " is a command (a "\\"
at its end continues it), the lines below are its output, standard output and error as they come.
The blocks of a page are one shell that starts in a copy of the repository's root without its
sources; build/release/bin is on PATH. Each command must end with status 0.

Output must agree line by line, but: "…" stands for any run of characters, alone on a line for any
lines, also none; figures with a unit of time ("0.2 s", "310 steps/s", "eta 0:01") may be others;
blanks in a row count as one.

A block marked with a language and a file name (`mlir first.mlir`) is that file. Blocks marked `sh`
are commands that cannot run here (they would start this test again): what they name must exist.
"""

import ctypes
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

LIMIT = 400  # seconds a page; liveness only
TOP = ("build", "docs", "runtime", "test", "tools")  # what commands may name, beside examples/


def blocks(path):
    """(line number, info string, lines) of each fenced block."""
    found, inside = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            fence = re.match(r"```(.*)$", line)
            if fence and inside is None:
                inside = (number, fence.group(1).strip(), [])
            elif fence:
                found.append(inside)
                inside = None
            elif inside is not None:
                inside[2].append(line)
    if inside is not None:
        sys.exit(f"{path}:{inside[0]}: this block has no end")
    return found


def session(block):
    """[line number, command, expected lines] of each command of a console block."""
    number, _, lines = block
    steps, continued = [], False
    for offset, line in enumerate(lines, 1):
        if continued:
            steps[-1][1] += "\n" + line
        elif line.startswith("$ "):
            steps.append([number + offset, line[2:], []])
        elif steps:
            steps[-1][2].append(line)
            continue
        else:
            sys.exit(f"line {number + offset}: a console block begins with a command, '$ …'")
        continued = line.endswith("\\")
    return steps


def normal(line):
    line = re.sub(r"\b\d+(\.\d+)? (s|ms|steps/s)\b", r"N \2", line)
    line = re.sub(r"\beta \d+:\d+", "eta N", line)
    # An arena has the library's scratch memory in it, which some kinds of CPU need and others do
    # not.
    line = re.sub(r"(/job:\S+( +\(×\d+\))? +\d+ +\d+ +)[\d.]+ ([KMG]iB|B)\b", r"\1N", line)
    return re.sub(r"\s+", " ", line.strip())


def pattern(expected):
    parts = []
    for line in expected:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in normal(line).split("…")) + r" *\n")
    return re.compile("".join(parts))


def copyOfRoot(root, box):
    for name in TOP:
        os.symlink(os.path.join(root, name), os.path.join(box, name))
    shutil.copytree(os.path.join(root, "examples"), os.path.join(box, "examples"))
    for folder, _, files in os.walk(os.path.join(box, "examples")):
        for name in files:
            if name.endswith(".sh"):  # they find the repository by their own place
                path = os.path.join(folder, name)
                os.remove(path)
                os.symlink(os.path.join(root, os.path.relpath(path, box)), path)


def ownNetwork():
    """In the child: a loopback of its own where that is allowed (root), so that fixed ports on a
    page are always free."""
    CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1
    if os.geteuid() == 0 and ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))


def play(root, files, steps):
    """Writes the files and runs the commands in one shell. Returns [(status, output lines)],
    shorter where the shell ended early."""
    mark = f"@@{os.getpid()}@@"
    script = "PS1=; shopt -s expand_aliases\n"
    for number, command, _ in steps:
        script += f"{command}\n_status=$?; printf '\\n{mark} %s\\n' $_status; (exit $_status)\n"
    with tempfile.TemporaryDirectory() as box, tempfile.TemporaryFile() as output:
        copyOfRoot(root, box)
        for name, lines in files:
            with open(os.path.join(box, name), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        # PATH as a user has it.
        path = [
            folder for folder in os.environ["PATH"].split(os.pathsep) if "llvm-22" not in folder
        ]
        environment = dict(
            os.environ, PATH=os.pathsep.join([os.path.join(root, "build/release/bin"), *path])
        )
        for name in ("TF_CONFIG", "GRAPHC_ROOT", "GRAPHC_BUILD"):
            environment.pop(name, None)
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=box,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=ownNetwork,
        )
        try:
            shell.wait(LIMIT)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
        output.seek(0)
        text = output.read().decode(errors="replace").replace(box + "/", "").replace(root + "/", "")
    results = []
    for piece in re.split(r"(?<=\n)(?=" + mark + ")", text):
        lead = re.match(mark + r" (\d+)\n", piece)
        if lead:
            results[-1][0] = int(lead.group(1))
            piece = piece[lead.end() :]
        results.append([None, [line for line in piece.split("\n")]])
    return [(status, lines) for status, lines in results if status is not None]


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def rewrite(path, after, count, lines):
    """Puts `lines` in place of the `count` lines after line `after`, counted from 1."""
    with open(path, encoding="utf-8") as file:
        text = file.read().split("\n")
    text[after : after + count] = lines
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text))


def check(root, page, update):
    """Number of findings in a page; prints them."""
    path, steps, files, wrong = os.path.join(root, page), [], [], 0
    for block in blocks(path):
        if block[1] == "console":
            steps += session(block)
        elif block[1] == "sh":
            for line in block[2]:
                word = [part for part in line.split("#")[0].split() if not re.match(r"\w+=", part)]
                if word and "/" in word[0] and not os.access(os.path.join(root, word[0]), os.X_OK):
                    print(f"{page}:{block[0]}: {word[0]} is no executable file")
                    wrong += 1
        elif re.fullmatch(r"\w+ [\w.-]+", block[1]):
            files.append((block[1].split()[1], block[2]))
        elif any(re.match(r"(\$ |graphc |graphrun |examples/\S+\.sh)", line) for line in block[2]):
            print(
                f"{page}:{block[0]}: a block with commands must be marked console (it is run) or sh"
            )
            wrong += 1
    results = play(root, files, steps) if steps else []
    # From the last on, so that updates keep the lines above.
    for (number, command, expected), (status, lines) in reversed(list(zip(steps, results))):
        lines = trimmed(lines)
        text = "".join(normal(line) + "\n" for line in lines)
        if status != 0 or not pattern(trimmed(expected)).fullmatch(text):
            wrong += 1
            print(f"{page}:{number}: $ {command}\n  ended with status {status} and printed")
            print("".join(f"    {line}\n" for line in lines) + "  the page says")
            print("".join(f"    {line}\n" for line in trimmed(expected)))
            if update:
                rewrite(path, number + command.count("\n"), len(expected), lines)
    if len(results) < len(steps):
        wrong += 1
        print(
            f"{page}:{steps[len(results)][0]}: the session did not come to an end here within {LIMIT} s"
        )
    print(f"{page}: {len(steps)} commands, {wrong} findings", flush=True)
    return wrong


def main():
    update = sys.argv[1:2] == ["--update"]
    root, *pages = sys.argv[2 if update else 1 :]
    sys.exit(1 if sum([check(os.path.realpath(root), page, update) for page in pages]) else 0)


if __name__ == "__main__":
    main()
