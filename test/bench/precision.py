#!/usr/bin/env python3
"""What products of `precision = tf32` and `bf16` are worth on this CPU: steps of mlp, gpt and vit
with each, in turns. See run.sh for the build.

`test/bench/precision.py [--rounds N] [--threads N]`: prints a table of medians, and the loss of the
last step. Each matmul of the model and its gradients have the precision. The order changes with
every round. Only a CPU with a matrix unit (AMX) makes a difference.
"""

import argparse
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import measure

CASES = {"mlp": 600, "gpt": 10, "vit": 30}
PRECISIONS = ("ieee", "tf32", "bf16")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="graphc-precision-"))
    print(
        "| case | threads | "
        + " | ".join(f"{p}: step, ms | loss" for p in PRECISIONS)
        + " | tf32 / ieee | bf16 / ieee |\n|---|---|"
        + "---|" * 8,
        flush=True,
    )
    for case, steps in CASES.items():
        text = (Path(measure.HERE) / "models" / f"{case}.mlir").read_text()
        plans, losses, found = {}, {}, {p: [] for p in PRECISIONS}
        for precision in PRECISIONS:
            model = folder / f"{case}-{precision}.mlir"
            model.write_text(
                re.sub(r"(graph\.matmul %\w+, %\w+)", rf"\1 precision = {precision}", text)
            )
            plans[precision] = measure.compilePlan(
                f"{case}-{precision}", folder, threads=arguments.threads, model=model
            )[0]
            shown = subprocess.run(
                [
                    Path(measure.BIN) / "graphrun",
                    plans[precision],
                    "--steps",
                    str(steps),
                    "--fetch",
                    "loss",
                ],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            losses[precision] = shown.split()[-1]
        for turn in range(arguments.rounds):
            for precision in PRECISIONS if turn % 2 else reversed(PRECISIONS):
                (task,) = measure.runPlan(
                    plans[precision], steps, pin=0 if arguments.threads == 1 else None
                ).values()
                found[precision].append(1e3 / task["steps_per_s"])
        medians = {p: statistics.median(found[p]) for p in PRECISIONS}
        print(
            f"| {case} | {arguments.threads} | "
            + " | ".join(f"{medians[p]:.4g} | {losses[p]}" for p in PRECISIONS)
            + f" | {medians['tf32'] / medians['ieee']:.2f} | {medians['bf16'] / medians['ieee']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
