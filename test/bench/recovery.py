#!/usr/bin/env python3
"""What --recovery memory costs: steps a second of all_reduce with and without its commit point, in
turns, and how long a copy of the state takes. See run.sh for the build.

`test/bench/recovery.py [--rounds N]`: prints the medians of each case. The order of the two changes
with every round.

`test/bench/recovery.py --copy [--workers N]`: one worker of N (2) dies, kill -9, with states of
64 MiB, 256 MiB and 1 GiB; prints how long after that the run goes on, and how long the copy took.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import measure

CASES = {"mlp": 400, "dense": 30}


def children(process):
    return [
        int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def waitFor(log, pattern, seconds=120):
    """The first match of a line that a run has written, looked for every millisecond."""
    for _ in range(seconds * 1000):
        if found := re.search(pattern, log.read_text()):
            return found
        time.sleep(0.001)
    raise SystemExit(f"recovery.py: no '{pattern}' within {seconds} s in {log}")


def copies(folder, workers):
    model = (Path(__file__).parent / "models/allreduce.mlir").read_text()
    (folder / "cluster.json").write_text(json.dumps({"worker": workers, "strategy": "all_reduce"}))
    for width in 4096, 8192, 16384:
        (folder / "model.mlir").write_text(model.replace("4096", str(width)))
        subprocess.run(
            [
                Path(measure.BIN) / "graphc",
                "--recovery",
                "memory",
                "--partition",
                folder / "cluster.json",
                folder / "model.mlir",
                "-o",
                folder / "copy.plan",
            ],
            check=True,
            capture_output=True,
        )
        log = folder / f"{width}.log"
        with open(log, "w") as said:
            run = subprocess.Popen(
                [
                    Path(measure.BIN) / "graphrun",
                    folder / "copy.plan",
                    "--steps",
                    "100000000",
                    "--max_restarts",
                    "3",
                    "--checkpoint_dir",
                    folder / f"saved-{width}",
                    "--save_checkpoint_secs",
                    "1000000",
                ],
                stdout=said,
                stderr=said,
            )
        waitFor(log, "step [1-9][0-9]+/")
        os.kill(children(run.pid)[-1], signal.SIGKILL)
        died = time.monotonic()
        took = waitFor(log, r"going on from step [0-9]+ in the memory of .*, copied in (\S+)")[1]
        print(
            f"{workers} workers, {width * width // 2**18} MiB: goes on {time.monotonic() - died:.2f} s after the death, copied in {took}",
            flush=True,
        )
        run.terminate()
        run.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    rounds = arguments.rounds
    folder = Path(tempfile.mkdtemp(prefix="graphc-recovery-"))
    if arguments.copy:
        return copies(folder, arguments.workers)
    (folder / "cluster.json").write_text(json.dumps({"worker": 2, "strategy": "all_reduce"}))
    for case, steps in CASES.items():
        found = {"checkpoint": [], "memory": []}
        for recovery in found:
            subprocess.run(
                [
                    Path(measure.BIN) / "graphc",
                    "--recovery",
                    recovery,
                    "--partition",
                    folder / "cluster.json",
                    Path(__file__).parent / "models" / f"{case}.mlir",
                    "-o",
                    folder / f"{recovery}.plan",
                ],
                check=True,
                capture_output=True,
            )
        for turn in range(rounds):
            for recovery in sorted(found, reverse=turn % 2 == 1):
                subprocess.run(
                    [
                        Path(measure.BIN) / "graphrun",
                        folder / f"{recovery}.plan",
                        "--steps",
                        str(steps),
                        "--stats",
                        folder / "stats.json",
                    ],
                    check=True,
                    capture_output=True,
                )
                tasks = json.loads((folder / "stats.json").read_text())["tasks"]
                chief = next(iter(tasks.values()))
                found[recovery].append(chief["steps_per_s"])
        without, within = (
            statistics.median(found[recovery]) for recovery in ("checkpoint", "memory")
        )
        paired = statistics.median(b / a for a, b in zip(found["checkpoint"], found["memory"]))
        print(
            f"{case}: {without:.4g} steps/s without, {within:.4g} with a commit point; ratio of the turns by the median {paired:.3f} ({rounds} turns)",
            flush=True,
        )


if __name__ == "__main__":
    main()
