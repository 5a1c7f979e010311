#!/usr/bin/env python3
"""Interleaves the measurements of measure.py, prints them and, last, the ratios. See run.sh."""

import argparse
import datetime
import json
import math
import os
import re
import sys

from measure import (
    ROOT,
    calibrate,
    complain,
    cpuName,
    graphcAllReduce,
    graphcBareAllReduce,
    graphcDistributed,
    graphcInGraph,
    graphcSend,
    graphcSingle,
    idleServer,
    installed,
    limitTo,
    median,
    peak,
    peerSingle,
    tensorflowInGraph,
    tensorflowPs,
    torchDdp,
    torchGloo,
    torchSend,
)


# Of one process: each case beside each peer, on so many threads.
PEERS = ("tensorflow", "tensorflow.xla", "jax", "torch", "torch.compile")
SINGLE = {case: (PEERS, (1, 2)) for case in ("linreg", "mlp", "resnet20", "gpt", "vit")}
# What is required of each: the fastest peer's mean by this project's, and the 99th percentile by
# the median. What ratio is meant for some.
TIMES_THE_FASTEST, MOST_P99 = 1.15, 3
SINGLE_GOALS = {"resnet20": 1.3, "gpt": 2.0}


NETWORKS = ("resnet20", "gpt")


def singleCases():
    """Rows of calls that are compared with each other; this project first."""
    for case, (peers, counts) in SINGLE.items():
        for threads in counts:
            yield [("graphc", graphcSingle, (case, threads))] + [
                (peer, peerSingle, (peer, case, threads)) for peer in peers
            ]


def distributedCases():
    for case, sync, workers in (
        ("null", True, 2),
        ("null", False, 2),
        ("null", True, 8),
        ("null", False, 8),
        ("mlp", True, 2),
        ("mlp", False, 2),
        ("dense", True, 2),
        ("dense", False, 2),
        *((network, sync, 2) for network in NETWORKS for sync in (True, False)),
    ):
        yield [
            ("graphc", graphcDistributed, (case, sync, workers)),
            ("tensorflow", tensorflowPs, (case, sync, workers)),
        ]
    for case in ("mlp", "linreg", *NETWORKS):
        yield [("graphc", graphcAllReduce, (case, 2)), ("torch-ddp", torchDdp, (case, 2))]
    for ranks in (2, 4):
        yield [
            ("graphc", graphcBareAllReduce, (bytes_, ranks)) for bytes_ in (4, 1 << 20, 64 << 20)
        ] + [("torch-gloo", torchGloo, (ranks,))]


# What a ratio to a peer has to be at least: (case, strategy) → times faster.
REQUIRED = {
    ("null", "parameter_server"): 15,
    ("mlp", "parameter_server"): 3.5,
    ("dense", "parameter_server"): 2.5,
    ("mlp", "all_reduce"): 2,
    ("linreg", "all_reduce"): 8,
    ("ingraph-linreg", "in_graph"): 15,
    **{
        (network, strategy): 2
        for network in NETWORKS
        for strategy in ("parameter_server", "all_reduce")
    },
    ("ingraph-pingpong", "in_graph"): 15,
    ("allreduce-64MiB", "all_reduce"): 3,
    ("allreduce-4B", "all_reduce"): 8,
}
# What it is meant to be, as milliseconds of the peer and of this project on the machine on which
# the goals were set; only the ratio carries over. (case, strategy, sync, workers) → (peer, goal).
GOALS = {
    ("null", "parameter_server", True, 2): (2.2, 0.06),
    ("null", "parameter_server", False, 2): (1.5, 0.05),
    ("null", "parameter_server", True, 8): (8.2, 0.12),
    ("null", "parameter_server", False, 8): (5.5, 0.12),
    ("mlp", "parameter_server", True, 2): (7.6, 1.6),
    ("mlp", "parameter_server", False, 2): (6.7, 1.4),
    ("dense", "parameter_server", True, 2): (60, 18),
    ("dense", "parameter_server", False, 2): (48, 14),
    ("mlp", "all_reduce", True, 2): (3.8, 1.3),
    ("linreg", "all_reduce", True, 2): (0.45, 0.03),
    ("allreduce-4B", "all_reduce", True, 2): (0.109, 0.010),
    ("allreduce-1MiB", "all_reduce", True, 2): (2.4, 0.25),
    ("allreduce-64MiB", "all_reduce", True, 2): (44, 9),
    ("allreduce-64MiB", "all_reduce", True, 4): (84, 25),
    ("ingraph-linreg", "in_graph", None, 2): (1.0, 0.03),
    ("ingraph-pingpong", "in_graph", None, 2): (1.75, 0.08),
    ("ingraph-mlp", "in_graph", None, 2): (2.2, 1.0),
    ("ingraph-send", "in_graph", None, 2): (15.8, 7),
}


def goalOf(case):
    """How many times faster than the peer, or None."""
    return round(GOALS[case][0] / GOALS[case][1], 1) if case in GOALS else None


# Milliseconds of graphc from text to plan at most, and its share of JAX's compilation in the same
# run, where both are networks.
COMPILED_IN = {"resnet20": 1500, "gpt": 1500}
MOST_OF_JAX = 0.5
MOST_8_TO_2_WORKERS = 4  # a null step with 8 workers to one with 2


def networkCases():
    """Networks among two workers alone."""
    yield from (calls for calls in distributedCases() if calls[0][2][0] in NETWORKS)


def inGraphCases():
    """One client drives two tasks."""
    for case in ("linreg", "pingpong", "mlp"):
        yield [("graphc", graphcInGraph, (case, 2)), ("tensorflow", tensorflowInGraph, (case, 2))]
    yield [("graphc", graphcSend, ()), ("torch-gloo", torchSend, ())]


def available(peer):
    return peer == "graphc" or installed(
        {"tensorflow": "tf", "tensorflow.xla": "tf", "jax": "jax"}.get(peer, "torch")
    )


def measureAll(groups, rounds):
    rows = []
    for calls in groups:
        for _ in range(rounds):
            for peer, call, arguments in calls:
                if not available(peer):
                    continue
                try:
                    for found in call(*arguments):
                        print(json.dumps(found), flush=True)
                        rows.append(found)
                except Exception as error:  # one broken measurement must not lose the others
                    complain(f"{peer} {arguments}", str(error))
    return rows


def key(found):
    return found["case"], found["strategy"], found["sync"], found["workers"], found["threads"]


def summarise(rows):
    """{(case, …): {peer: row of medians over the rounds}}"""
    groups = {}
    for found in rows:
        groups.setdefault(key(found), {}).setdefault(found["peer"], []).append(found)
    summary = {}
    for case, peers in groups.items():
        for peer, found in peers.items():
            merged = dict(found[0])
            for name in (
                "median_ms",
                "p99_ms",
                "first_step_s",
                "mean_ms",
                "predicted_ms",
                "compile_ms",
                "rss_mb",
            ):
                values = [f[name] for f in found if f.get(name) is not None]
                merged[name] = float(f"{median(values):.5g}") if values else None
            merged["rounds"] = len(found)
            summary.setdefault(case, {})[peer] = merged
    return summary


def conservative(found):
    """Milliseconds of a step for ratios: the larger of median and mean."""
    return max(found["median_ms"], found.get("mean_ms") or 0)


def verdicts(summary):
    """Of each case of one process on so many threads: what is required of it, with what was
    measured. `reached` is None where a figure is missing."""
    for (case, strategy, _, workers, threads), peers in summary.items():
        if strategy != "one_device" or case not in SINGLE:
            continue
        ours, means = (
            peers.get("graphc", {}),
            {
                peer: found["mean_ms"]
                for peer, found in peers.items()
                if peer != "graphc" and found.get("mean_ms")
            },
        )
        fastest = min(means, key=means.get, default=None)
        times = fastest and ours.get("mean_ms") and means[fastest] / ours["mean_ms"]
        spread = ours.get("p99_ms") and ours.get("median_ms") and ours["p99_ms"] / ours["median_ms"]
        goal = SINGLE_GOALS.get(case)
        yield dict(
            ratio="fastest peer / graphc, means",
            case=case,
            threads=threads,
            peer=fastest,
            step=times and round(times, 3),
            required=TIMES_THE_FASTEST,
            p99_to_median=spread and round(spread, 3),
            required_p99=MOST_P99,
            reached=times >= TIMES_THE_FASTEST and spread <= MOST_P99 if times and spread else None,
            without=[peer for peer in SINGLE[case][0] if peer not in means],
            **(dict(goal=goal, goal_reached=bool(times) and times >= goal) if goal else {}),
        )


def ratios(summary):
    yield from verdicts(summary)
    for (case, strategy, sync, workers, threads), peers in summary.items():
        ours = peers.get("graphc")
        required = REQUIRED.get((case, strategy)) if workers > 1 else None
        goal = goalOf((case, strategy, sync, workers))
        for peer, theirs in peers.items():
            if ours and peer != "graphc" and ours["median_ms"]:
                step = theirs["median_ms"] / conservative(ours)
                yield dict(
                    ratio=f"{peer} / graphc",
                    case=case,
                    strategy=strategy,
                    sync=sync,
                    workers=workers,
                    threads=threads,
                    step=round(step, 2),
                    first_step=round(theirs["first_step_s"] / ours["first_step_s"], 1)
                    if theirs["first_step_s"] and ours["first_step_s"]
                    else None,
                    **(dict(required=required, reached=step >= required) if required else {}),
                    **(dict(goal=goal, goal_reached=step >= goal) if goal else {}),
                )
        jax = peers.get("jax")
        if ours and jax and jax.get("compile_ms") and ours.get("compile_ms") and case in NETWORKS:
            share = ours["compile_ms"] / jax["compile_ms"]
            yield dict(
                ratio="graphc / jax, compilation",
                case=case,
                threads=threads,
                compile_ms=round(ours["compile_ms"]),
                step=round(share, 2),
                required=MOST_OF_JAX,
                reached=share <= MOST_OF_JAX and ours["compile_ms"] <= COMPILED_IN[case],
            )
    for sync in (True, False):
        two, eight = (
            summary.get(("null", "parameter_server", sync, workers, 1), {}).get("graphc")
            for workers in (2, 8)
        )
        if two and eight:
            step = conservative(eight) / conservative(two)
            yield dict(
                ratio="8 workers / 2 workers",
                case="null",
                strategy="parameter_server",
                sync=sync,
                step=round(step, 2),
                required=MOST_8_TO_2_WORKERS,
                reached=step <= MOST_8_TO_2_WORKERS,
            )


def number(value, digits=3):
    """With so many digits behind the point, or three that are not 0 where that takes more."""
    if value is None:
        return "–"
    return f"{value:.{max(digits, 2 - math.floor(math.log10(abs(value)))) if value else digits}f}"


def verdict(found):
    """In a word, and what it does not know."""
    said = {True: "reached", False: "missed", None: "not measured"}[found["reached"]]
    return said + (f", without {', '.join(found['without'])}" if found["without"] else "")


def ofThePeak(found, threads, gflops):
    """The share of the peak of as many cores that a step makes, by the definitions of its ops."""
    if not gflops.get(threads) or not found.get("flops") or not found.get("mean_ms"):
        return "–"
    return f"{found['flops'] / (found['mean_ms'] * 1e-3) / (gflops[threads] * 1e9):.0%}"


def report(summary, rounds, load, idleMb, gflops):
    cpu = next(iter(next(iter(summary.values())).values()))["cpu"]
    lines = [
        f"Made by `test/bench/run.sh all --report` on {datetime.date.today()}, {cpu}, load average {load:.1f} at the",
        f"start. Each figure is the median of {rounds} interleaved rounds. Machines are shared and noisy: compare within",
        "one row only. The peers are those of `test/bench/peers/setup.sh`; the cases those of `test/bench/models`.",
        "",
        "What is compared, and what is not: every peer does the arithmetic of the model's training step in float32 on",
        "the CPU. In one process each takes the next of as many batches as the model's data set has, which lie ready in a peer's own",
        "tensors, and which this project copies from its data set; among several processes the peers feed the same batch each step.",
        "TensorFlow's first-step figure ends when its session is ready, before the first step. PyTorch DDP all-reduces",
        "between its workers; it has no parameter server. The mean is of all steps of a worker, waits included: an",
        "asynchronous step of this project that finds both ends spinning takes a fraction of a microsecond, and the mean",
        "says what that is worth. A ratio is a peer's median to the larger of this project's median and mean; the goal is the",
        "ratio that was aimed for. What the all-reduces' and the send's tensors cost to make and to read is taken off; on",
        "one host a sent tensor is read where it lies, and gloo copies it. Predicted is what",
        "`graphc --compare` says before the run, from what `graphrun calibrate` measured at the start; of an asynchronous",
        "strategy it is the time of one update, of which there are as many as workers in a worker's step.",
        "",
    ]
    for title, wanted in (
        ("One process", lambda k: k[1] == "one_device"),
        ("Several processes", lambda k: k[1] != "one_device"),
    ):
        lines += [
            f"### {title}",
            "",
            "| case | strategy | update | workers | threads | peer | step, median ms | mean ms | p99 ms | predicted ms | first step, s | ratio | goal |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for case, peers in summary.items():
            if not wanted(case):
                continue
            name, strategy, sync, workers, threads = case
            ours = conservative(peers["graphc"]) if "graphc" in peers else None
            for peer, found in peers.items():
                ratio = "" if peer == "graphc" or not ours else f"{found['median_ms'] / ours:.2f}"
                goal = goalOf(case[:4]) if ratio else None
                if goal:
                    goal = f"{goal}" if found["median_ms"] / ours >= goal else f"{goal}, missed"
                update = "" if sync is None else "sync" if sync else "async"
                lines.append(
                    f"| {name} | {strategy} | {update} | {workers} | {threads} | {peer} | {number(found['median_ms'], 4)} | "
                    f"{number(found.get('mean_ms'), 4)} | "
                    f"{number(found['p99_ms'])} | {number(found.get('predicted_ms'), 4) if peer == 'graphc' else ''} | "
                    f"{number(found['first_step_s'])} | {ratio} | {goal or ''} |"
                )
        lines.append("")
        if title == "One process":
            lines += [
                f"Required of each: the fastest peer's mean is at least {TIMES_THE_FASTEST} times this project's, and this project's p99 at most {MOST_P99} times its "
                "median.",
                f"Of the peak: of {number(gflops.get(1), 0)} Gflop/s of fused multiply-adds that one core makes and {number(gflops.get(2), 0)} that two do at once "
                "(`test/bench/peak.c`), by the definitions of the step's ops; convolutions in tiles need fewer.",
                "",
                "| case | threads | fastest peer | ratio of means | p99 / median | | goal | of the peak |",
                "|---|---|---|---|---|---|---|---|",
            ]
            for found in verdicts(summary):
                goal = (
                    f"{found['goal']}{'' if found['goal_reached'] else ', missed'}"
                    if "goal" in found
                    else ""
                )
                lines.append(
                    f"| {found['case']} | {found['threads']} | {found['peer'] or '–'} | {number(found['step'])} | {number(found['p99_to_median'])} | "
                    f"{verdict(found)} | {goal} | {ofThePeak(summary[found['case'], 'one_device', None, 1, found['threads']].get('graphc', {}), found['threads'], gflops)} |"
                )
            lines.append("")
    lines += ["### This project's aims", "", "| aim | measured | |", "|---|---|---|"]
    lines += [
        f"| {text} | {number(value)} | {'reached' if value is not None and value <= aim else 'missed'} |"
        for text, value, aim in aims(summary, idleMb)
    ]
    return "\n".join(lines) + "\n"


BEGIN, END = (
    "<!-- written by test/bench/run.sh {}--report -->\n",
    "<!-- end of what it writes -->\n",
)


def writeReport(path, text, what=""):
    """Puts `text` between the two marks of the page; what people wrote around them stays. `what`:
    "compile " for those of compile.py."""
    mark = BEGIN.format(what)
    with open(path) as file:
        before, begin, rest = file.read().partition(mark)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(
            f"{path}: the line '{(mark if not begin else END).strip()}' is missing; put it back where the tables belong"
        )
    with open(path + ".new", "w") as file:
        file.write(before + mark + text + END + after)
    os.replace(path + ".new", path)


def ofOneKind(summary, rounds, load, gflops):
    """The cases of one process on one kind of CPU, each beside its fastest peer."""
    lines = [
        f"{datetime.date.today()}, `test/bench/run.sh single --rounds {rounds} --report`, load average {load:.1f} at the start;",
        f"medians of {rounds} interleaved rounds. One core makes {number(gflops.get(1), 0)} Gflop/s of fused multiply-adds, two make {number(gflops.get(2), 0)}.",
        "",
        "| case | threads | graphc, mean ms | fastest peer | its mean, ms | ratio of means | p99 / median | | of the peak |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for found in verdicts(summary):
        peers = summary[found["case"], "one_device", None, 1, found["threads"]]
        ours, theirs = peers.get("graphc", {}), peers.get(found["peer"], {})
        lines.append(
            f"| {found['case']} | {found['threads']} | {number(ours.get('mean_ms'), 4)} | {found['peer'] or '–'} | {number(theirs.get('mean_ms'), 4)} | "
            f"{number(found['step'])} | {number(found['p99_to_median'])} | {verdict(found)} | {ofThePeak(ours, found['threads'], gflops)} |"
        )
    return "\n".join(lines) + "\n"


def reportKind(path, kind, text):
    """Puts `text` below the heading of this kind of CPU; the tables of other kinds stay."""
    mark = BEGIN.format("single ")
    with open(path) as file:
        _, _, rest = file.read().partition(mark)
    blocks = dict(re.findall(r"^#### (.*)\n\n((?:(?!#### ).*\n)*)", rest.partition(END)[0], re.M))
    blocks[kind] = text + "\n"
    writeReport(
        path,
        "\n".join(f"#### {name}\n\n{block.strip()}\n" for name, block in blocks.items()),
        "single ",
    )


def aims(summary, idleMb):
    """(text, measured, at most)"""

    def ours(case, field):
        return summary.get(case, {}).get("graphc", {}).get(field)

    def null(workers, field):
        return ours(("null", "parameter_server", True, workers, 1), field)

    firsts = {
        workers: [
            p["graphc"]["first_step_s"]
            for key, p in summary.items()
            if "graphc" in p
            and p["graphc"]["first_step_s"]
            and key[0] in ("linreg", "mlp", "null")
            and key[3] == workers
        ]
        for workers in (1, 2, 8)
    }
    yield "null, sync, 1 PS + 2 workers: at most 0.25 ms a step", null(2, "median_ms"), 0.25
    for field in ("median_ms", "mean_ms"):
        two, eight = null(2, field), null(8, field)
        yield (
            f"null, sync, 8 workers to 2, by the {field[:-3]}: at most {MOST_8_TO_2_WORKERS} times",
            two and eight and eight / two,
            MOST_8_TO_2_WORKERS,
        )
    threaded = ("mlp", "one_device", None, 1, 2)
    middle, last = ours(threaded, "median_ms"), ours(threaded, "p99_ms")
    yield (
        "mlp, one device, 2 threads: p99 at most 3 times the median",
        middle and last and last / middle,
        3,
    )
    mean, jax = ours(threaded, "mean_ms"), summary.get(threaded, {}).get("jax", {}).get("mean_ms")
    yield "mlp, one device, 2 threads: mean at most that of JAX", mean and jax and mean / jax, 1
    yield (
        "mlp, sync, 1 PS + 2 workers: at most 2.5 ms a step",
        ours(("mlp", "parameter_server", True, 2, 1), "median_ms"),
        2.5,
    )
    for workers, found in firsts.items():
        yield (
            f"start to the end of the first step, worst of linreg, mlp and null, {workers} worker{'s' if workers > 1 else ''}: at most "
            "0.05 s",
            max(found, default=None),
            0.05,
        )
    compileMs = ours(("mlp", "one_device", None, 1, 1), "compile_ms")
    yield "graphc on the MLP: at most 0.25 s", compileMs and compileMs / 1e3, 0.25
    for case, most in COMPILED_IN.items():
        compileMs, jaxMs = (
            ours((case, "one_device", None, 1, 1), "compile_ms"),
            summary.get((case, "one_device", None, 1, 1), {}).get("jax", {}).get("compile_ms"),
        )
        yield f"graphc on {case}: at most {most / 1e3} s", compileMs and compileMs / 1e3, most / 1e3
        yield (
            f"graphc on {case}: at most {MOST_OF_JAX} of JAX's compilation",
            compileMs and jaxMs and compileMs / jaxMs,
            MOST_OF_JAX,
        )
    yield "resident memory of an idle task (graphrun server): at most 25 MB", idleMb, 25
    yield "resident memory of the largest task, null: at most 40 MB", null(2, "rss_mb"), 40


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "what",
        nargs="?",
        default="all",
        choices=["single", "distributed", "networks", "ingraph", "all"],
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--max_cpu_isa", choices=["x86-64-v3"])
    arguments = parser.parse_args()
    if arguments.max_cpu_isa:
        limitTo(arguments.max_cpu_isa)
    load = os.getloadavg()[0]
    for peer in ("tensorflow", "jax", "torch"):
        if not available(peer):
            print(
                f"bench: {peer} is not installed (test/bench/peers/setup.sh), left out",
                file=sys.stderr,
            )
    calibrate()
    gflops = {threads: peak(threads) for threads in (1, 2)}
    groups = []
    if arguments.what in ("single", "all"):
        groups += singleCases()
    if arguments.what in ("distributed", "all"):
        groups += distributedCases()
    if arguments.what == "networks":
        groups += networkCases()
    if arguments.what in ("ingraph", "distributed", "all"):
        groups += inGraphCases()
    rows = measureAll(groups, arguments.rounds)
    try:
        idleMb = idleServer()
    except OSError as error:
        complain("idle server", str(error))
        idleMb = None
    print(json.dumps(dict(peer="graphc", case="idle-server", rss_mb=idleMb)), flush=True)
    summary = summarise(rows)
    if arguments.report and summary and arguments.what == "single":
        reportKind(
            os.path.join(ROOT, "docs/benchmarks.md"),
            cpuName(),
            ofOneKind(summary, arguments.rounds, load, gflops),
        )
    elif arguments.report and summary:
        writeReport(
            os.path.join(ROOT, "docs/benchmarks.md"),
            report(summary, arguments.rounds, load, idleMb, gflops),
        )
    for line in ratios(summary):
        print(json.dumps(line), flush=True)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
