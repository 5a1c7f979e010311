#!/usr/bin/env python3
"""What the commit point of --recovery memory costs: steps a second of all_reduce with and without it, in turns. See run.sh for the build.

`test/bench/recovery.py [--rounds N]`: prints the medians of each case. The order of the two changes with every round.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

import measure

CASES = {"mlp": 400, "dense": 30}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    folder = Path(tempfile.mkdtemp(prefix="graphc-recovery-"))
    (folder / "cluster.json").write_text(json.dumps({"worker": 2, "strategy": "all_reduce"}))
    for case, steps in CASES.items():
        found = {"checkpoint": [], "memory": []}
        for recovery in found:
            subprocess.run([Path(measure.BIN) / "graphc", "--recovery", recovery, "--partition", folder / "cluster.json",
                            Path(__file__).parent / "models" / f"{case}.mlir", "-o", folder / f"{recovery}.plan"], check=True, capture_output=True)
        for turn in range(rounds):
            for recovery in sorted(found, reverse=turn % 2 == 1):
                subprocess.run([Path(measure.BIN) / "graphrun", folder / f"{recovery}.plan", "--steps", str(steps), "--stats", folder / "stats.json"],
                               check=True, capture_output=True)
                tasks = json.loads((folder / "stats.json").read_text())["tasks"]
                chief = next(iter(tasks.values()))
                found[recovery].append(chief["steps_per_s"])
        without, within = (statistics.median(found[recovery]) for recovery in ("checkpoint", "memory"))
        paired = statistics.median(b / a for a, b in zip(found["checkpoint"], found["memory"]))
        print(f"{case}: {without:.4g} steps/s without, {within:.4g} with a commit point; ratio of the turns by the median {paired:.3f} ({rounds} turns)", flush=True)


if __name__ == "__main__":
    main()
