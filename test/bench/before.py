#!/usr/bin/env python3
"""Measures this build beside an earlier one of this project, in turns. See run.sh.

`test/bench/run.sh before BIN`: BIN is the folder with graphc and graphrun of the earlier build.
Every figure is a median over the rounds; a round measures one case with the one build and, right
after, with the other, and the next round begins with the other. A ratio over 1 is a case that got
slower. Slower beyond what rounds differ by are steps whose fastest round now takes longer than the
slowest before and whose median takes 3 % longer, of five rounds or more; they are named at the end.
Exit status 1: there are such, or a case could be measured of one build alone.
"""

import argparse
import datetime
import json
import os
import sys

import measure
from driver import conservative, key, median, number, summarise, writeReport

SINGLE = [
    (measure.graphcSingle, (case, threads))
    for case, threads in (("linreg", 1), ("mlp", 1), ("mlp", 2))
]
MICRO_BATCHES = [(measure.graphcMicroBatches, (count,)) for count in (2, 4, 8, 16, 64)]
TASKS = [
    (measure.graphcDistributed, (case, sync, workers))
    for case, sync, workers in (
        ("null", True, 2),
        ("null", False, 2),
        ("null", True, 8),
        ("mlp", True, 2),
        ("mlp", False, 2),
        ("dense", True, 2),
        ("dense", False, 2),
    )
]
REDUCE = [(measure.graphcAllReduce, (case, 2)) for case in ("mlp", "linreg")] + [
    (measure.graphcBareAllReduce, (bytes_, 2)) for bytes_ in (4, 1 << 20, 64 << 20)
]
IN_GRAPH = [(measure.graphcInGraph, (case, 2)) for case in ("linreg", "pingpong", "mlp")]
FIELDS = (
    ("step, ms", conservative),
    ("first step, s", lambda found: found.get("first_step_s")),
    ("graphc, ms", lambda found: found.get("compile_ms")),
    ("memory, MB", lambda found: found.get("rss_mb")),
)


def measureBoth(builds, rounds):
    rows = []
    for call, arguments in SINGLE + MICRO_BATCHES + TASKS + REDUCE + IN_GRAPH:
        for turn in range(rounds):
            for name in sorted(builds, reverse=turn % 2 == 1):
                measure.BIN = builds[name]
                try:
                    for found in call(*arguments):
                        found["peer"] = name
                        print(json.dumps(found), flush=True)
                        rows.append(found)
                except Exception as error:  # one broken measurement must not lose the others
                    measure.complain(f"{name} {arguments}", str(error))
    return rows


ENOUGH, APART = 5, 1.03  # rounds, and times: two builds of one text are apart in one case of 252


def spreads(rows):
    """{(case, …): {build: steps of its rounds, ms, the fastest first}}"""
    steps = {}
    for found in rows:
        steps.setdefault(key(found), {}).setdefault(found["peer"], []).append(conservative(found))
    return {
        case: {name: sorted(times) for name, times in builds.items()}
        for case, builds in steps.items()
    }


def verdict(spread):
    """Of a case: whether what its steps took now and before is apart."""
    if len(spread) < 2:
        return "not measured"
    before, now = spread["before"], spread["now"]
    if min(len(before), len(now)) < ENOUGH:
        return "–"
    ratio = median(now) / median(before)
    return (
        "slower"
        if now[0] > before[-1] and ratio > APART
        else "faster"
        if now[-1] < before[0] and 1 / ratio > APART
        else "same"
    )


def table(summary, spread, rounds, load):
    lines = [
        f"Made by `test/bench/run.sh before BIN --report` on {datetime.date.today()}, {measure.cpuName()}, load average {load:.1f} at",
        f"the start; the median of {rounds} rounds in turns. A step is the larger of median and mean; over 1 is slower than before.",
        f"Slower or faster are those whose rounds before and now do not overlap, and whose medians are {APART - 1:.0%} apart.",
        "",
        "| case | strategy | update | workers | threads | "
        + " | ".join(f"{name}: before | now | ratio" for name, _ in FIELDS)
        + " | rounds, ms: before | now | steps are |",
        "|---|---|---|---|---|" + "---|" * (3 * len(FIELDS) + 3),
    ]
    for each, found in summary.items():
        case, strategy, sync, workers, threads = each
        cells = []
        for _, field in FIELDS:
            before, now = (
                field(found[name]) if name in found else None for name in ("before", "now")
            )
            cells += [
                number(before, 4),
                number(now, 4),
                f"{now / before:.2f}" if before and now else "–",
            ]
        cells += [
            " to ".join(number(spread[each][name][at], 3) for at in (0, -1))
            if name in spread[each]
            else "–"
            for name in ("before", "now")
        ] + [verdict(spread[each])]
        update = "" if sync is None else "sync" if sync else "async"
        lines.append(
            f"| {case} | {strategy} | {update} | {workers} | {threads} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        prog="test/bench/run.sh before", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("bin", help="folder with graphc and graphrun of the earlier build")
    parser.add_argument("--rounds", type=int, default=ENOUGH)
    parser.add_argument(
        "--report", action="store_true", help="also writes the table into docs/benchmarks.md"
    )
    arguments = parser.parse_args()
    builds = {"before": os.path.abspath(arguments.bin), "now": measure.BIN}
    for name, folder in builds.items():
        if not os.access(os.path.join(folder, "graphrun"), os.X_OK):
            parser.error(
                f"{folder} has no graphrun; build {'the earlier commit' if name == 'before' else 'this tree'} first"
            )
    load = os.getloadavg()[0]
    measure.calibrate()
    rows = measureBoth(builds, arguments.rounds)
    summary, spread = summarise(rows), spreads(rows)
    text = table(summary, spread, arguments.rounds, load)
    print(text)
    wrong = {
        said: [
            " ".join(str(part) for part in case if part is not None)
            for case in summary
            if verdict(spread[case]) == said
        ]
        for said in ("slower", "not measured")
    }
    print(
        f"slower beyond what rounds differ by: {', '.join(wrong['slower']) or 'none'}; of one build alone: {', '.join(wrong['not measured']) or 'none'}"
    )
    if arguments.report and summary:
        writeReport(os.path.join(measure.ROOT, "docs/benchmarks.md"), text, "before ")
    return 0 if summary and not any(wrong.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
