#!/usr/bin/env python3
"""Measures networks of JAX, imported, beside JAX and beside the same network as a model of the
graph dialect, in turns. See run.sh."""

import argparse
import datetime
import os
import sys

from driver import measureAll, summarise, writeReport
from measure import ROOT, cpuName, graphcImported, graphcSingle, installed, peerSingle

CASES = ("mlp", "resnet20", "gpt", "vit")


def report(summary, rounds):
    lines = [
        f"Made by `test/bench/run.sh imported --report` on {datetime.date.today()}, {cpuName()}; medians of {rounds} interleaved rounds. The loss is that of",
        "`test/bench/peers/single.py`, in JAX; graphc takes it as JAX writes it (docs/import.md), with the data and the optimizer of test/bench/models. Steps are means, in ms.",
        "",
        "| case | threads | JAX | imported | JAX / imported | own model | imported / own | graphc on the import, s | JAX's compilation, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (case, _, _, _, threads), peers in summary.items():
        jax, ours, own = (peers.get(peer, {}) for peer in ("jax", "graphc from JAX", "graphc"))
        step = [each.get("mean_ms") for each in (jax, ours, own)]
        if all(step):
            lines.append(
                f"| {case} | {threads} | {step[0]:.3g} | {step[1]:.3g} | {step[0] / step[1]:.2f} | {step[2]:.3g} | {step[1] / step[2]:.2f} | "
                f"{ours['compile_ms'] / 1e3:.2f} | {jax['compile_ms'] / 1e3:.2f} |"
            )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    if not installed("jax"):
        sys.exit("bench: jax is not installed; test/bench/peers/setup.sh installs it")
    groups = [
        [
            ("graphc", graphcSingle, (case, threads)),
            ("graphc", graphcImported, (case, threads)),
            ("jax", peerSingle, ("jax", case, threads)),
        ]
        for case in CASES
        for threads in (1, 2)
    ]
    summary = summarise(measureAll(groups, arguments.rounds))
    text = report(summary, arguments.rounds)
    if arguments.report:
        writeReport(os.path.join(ROOT, "docs/benchmarks.md"), text, "imported ")
    print(text)
    return 0 if summary else 1


if __name__ == "__main__":
    sys.exit(main())
