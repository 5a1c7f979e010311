#!/usr/bin/env python3
"""What a session costs besides its steps. See run.sh for the build.

`test/bench/session.py start [--rounds N]`: from the start of graphrun to its first loss
(synchronous: a step of each worker) and to its end, and the processor time of all tasks, for 50 and
200 of them; medians, in turns.
`test/bench/session.py looked-at [--rounds N]`: the processor time of a run of null steps of which
somebody asks for /metrics twice a second, to that of one of which nobody asks, in turns; and the
processor time of one answer.
"""

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import measure

BIN = Path(measure.BIN)
MLP = Path(measure.ROOT) / "test/run/models/mlp.mlir"
SERVED = {"name": "parameter_server"}
STARTED = {
    "1 PS + 49 workers": ({"ps": 1, "worker": 49, "strategy": SERVED}, 1, []),
    # Steps are updates, of whoever comes.
    "1 PS + 49 workers, asynchronous": (
        {"ps": 1, "worker": 49, "strategy": {**SERVED, "update": "async"}},
        49,
        [],
    ),
    "1 PS + 49 workers over gRPC": (
        {"ps": 1, "worker": 49, "strategy": SERVED},
        1,
        ["--transport", "grpc"],
    ),
    "50 workers, all_reduce": ({"worker": 50, "strategy": "all_reduce"}, 1, []),
    "1 PS + 199 workers": ({"ps": 1, "worker": 199, "strategy": SERVED}, 1, []),
}
STEPS, ANSWERS = 30_000_000, 2000  # of 75 ns


def compiled(folder, name, cluster, model):
    (folder / "cluster.json").write_text(json.dumps(cluster))
    plan = folder / f"{name}.plan"
    subprocess.run(
        [BIN / "graphc", "--partition", folder / "cluster.json", model, "-o", plan],
        check=True,
        capture_output=True,
    )
    return plan


def spent():
    """Of children that have ended, and theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start(folder, rounds):
    plans = {
        name: compiled(folder, f"{number}", cluster, MLP)
        for number, (name, (cluster, *_)) in enumerate(STARTED.items())
    }
    found = {name: [] for name in plans}
    for _ in range(rounds):
        for name, plan in plans.items():
            _, steps, flags = STARTED[name]
            before, began = spent(), time.monotonic()
            with subprocess.Popen(
                [BIN / "graphrun", plan, "--steps", str(steps), "--fetch", "loss", *flags],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as run:
                run.stdout.readline()
                first = time.monotonic() - began
                run.stdout.read()
            if run.returncode:
                raise SystemExit(f"session.py: {name} ended with {run.returncode}")
            found[name].append((first, time.monotonic() - began, spent() - before))
    for name, times in found.items():
        first, end, cpu = (statistics.median(column) for column in zip(*times))
        print(
            json.dumps(
                {
                    "case": name,
                    "first_loss_s": round(first, 3),
                    "end_s": round(end, 3),
                    "cpu_s": round(cpu, 2),
                    "rounds": rounds,
                    "cpu": measure.CPU,
                }
            ),
            flush=True,
        )


def answer(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while connection.recv(1 << 16):
            pass


def socketOf(run):
    while run.poll() is None:
        said = subprocess.run(
            [BIN / "graphrun", "status", str(run.pid)], capture_output=True, text=True
        ).stdout
        for line in said.splitlines():
            if line.startswith("asked at: "):
                return line.removeprefix("asked at: ")
        time.sleep(0.01)
    raise SystemExit(f"session.py: a run ended with {run.returncode}")


def answering(process):
    """Nanoseconds on a processor of the thread that answers."""
    for task in Path(f"/proc/{process}/task").iterdir():
        if (task / "comm").read_text() == "responder\n":
            return int((task / "schedstat").read_text().split()[0])
    raise SystemExit("session.py: the run has no thread that answers")


def lookedAt(folder, rounds):
    null = folder / "null.mlir"
    null.write_text((Path(measure.HERE) / "models/null.mlir").read_text())
    plan = compiled(folder, "null", {"worker": 1, "strategy": "one_device"}, null)

    def run(isAsked):
        child = subprocess.Popen(
            [BIN / "graphrun", plan, "--steps", str(STEPS)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        path = socketOf(child) if isAsked else None
        while isAsked:
            try:
                answer(path)
            except OSError:
                break  # it has ended
            time.sleep(0.5)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"session.py: a run ended with {status}")
        return usage.ru_utime + usage.ru_stime

    took = {True: [], False: []}
    for turn in range(rounds):
        for isAsked in sorted(took, reverse=turn % 2 == 1):
            took[isAsked].append(run(isAsked))
    pairs = sorted(asked / unasked for asked, unasked in zip(took[True], took[False]))
    child = subprocess.Popen(
        [BIN / "graphrun", plan, "--steps", "100000000000"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        path = socketOf(child)
        before = answering(child.pid)
        for _ in range(ANSWERS):
            answer(path)
        each = (answering(child.pid) - before) / ANSWERS
    finally:
        child.terminate()
        child.wait()
    print(
        json.dumps(
            {
                "case": "null, asked twice a second",
                "processor_time_ratio": round(statistics.median(pairs), 4),
                "of": [round(pair, 4) for pair in pairs],
                "answer_us": round(each / 1000, 1),
                "of_a_second_asked_once": each / 1e9,
                "cpu": measure.CPU,
            }
        )
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["start", "looked-at"])
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphc-session-") as folder:
        {"start": start, "looked-at": lookedAt}[arguments.what](Path(folder), arguments.rounds)


if __name__ == "__main__":
    main()
