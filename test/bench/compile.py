#!/usr/bin/env python3
"""How graphc's CPU time and memory grow with the model.   test/bench/run.sh compile [--rounds N] [--report]   See run.sh.

By hand: compile.py [KIND…] [--sizes N,N…] [--rounds N]; compile.py --write FOLDER KIND N writes one
model and its cluster. The kind "compare" is `graphc --compare` over 1,000 workers, each strategy by
itself.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SIZES = (500, 1000, 2000, 4000)
MICRO_BATCHES = (8, 16, 64, 256, 1024)
PREDICT = "attributes {role = #graph.role<predict>}"
TRAIN = "attributes {role = #graph.role<train>}"
ROW = "tensor<64xf32>"


# ---- the models: `ops` operations of the model's text, then its cluster or None


def chain(ops):
    """Tanh and multiply in turns, each of the one before."""
    lines = [f"graph.func @f(%x0: {ROW}) -> {ROW} {PREDICT} {{"]
    for i in range(ops):
        lines.append(
            f"  %x{i + 1} = graph.multiply %x{i}, %x0 : {ROW}"
            if i % 2
            else f"  %x{i + 1} = graph.tanh %x{i} : {ROW}"
        )
    return lines + [f"  graph.return %x{ops} : {ROW}", "}"], None


def norms(ops):
    """Layer norms, each of the one before, with their gradients and updates, which are not
    counted."""
    batch = "tensor<16x64xf32>"
    lines = ["graph.dataset @data : (tensor<64xf32>) = #graph.synthetic<samples = 64, seed = 7>"]
    for i in range(ops):
        lines += [
            f"graph.variable @g{i} : {ROW} = #graph.value<dense<1.0> : tensor<f32>>",
            f"graph.variable @b{i} : {ROW} = #graph.zeros",
        ]
    lines += [
        f"graph.func @f() -> () {TRAIN} {{",
        f"  %x0 = graph.next_batch @data {{batch = 16}} : {batch}",
    ]
    for i in range(ops):
        lines += [f"  %{name}{i} = graph.read @{name}{i} : {ROW}" for name in "gb"]
        lines.append(
            f"  %x{i + 1} = graph.layer_norm %x{i}, %g{i}, %b{i} axis = 1 epsilon = 1.0e-5 : ({batch}, {ROW}, {ROW}) -> {batch}"
        )
    return lines + [
        f"  %s = graph.multiply %x{ops}, %x0 : {batch}",
        f"  %loss = graph.reduce_mean %s dimensions = [0, 1] : ({batch}) -> tensor<f32>",
        "  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>",
        "  graph.return",
        "}",
    ], None


def layers(ops):
    """Dense layers, five operations each, with their gradients and updates, which are not
    counted."""
    count, weight, bias, batch = ops // 5, "tensor<16x16xf32>", "tensor<16xf32>", "tensor<8x16xf32>"
    lines = [
        "graph.dataset @data : (tensor<16xf32>, tensor<i32>) = #graph.synthetic<samples = 64, seed = 7, limits = [0, 16]>"
    ]
    for i in range(count):
        lines += [
            f"graph.variable @w{i} : {weight} = #graph.glorot_uniform<seed = {i + 1}>",
            f"graph.variable @b{i} : {bias} = #graph.zeros",
        ]
    lines += [
        f'graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) {TRAIN} {{',
        f"  %x0, %labels = graph.next_batch @data {{batch = 8}} : {batch}, tensor<8xi32>",
    ]
    for i in range(count):
        lines += [
            f"  %w{i} = graph.read @w{i} : {weight}",
            f"  %b{i} = graph.read @b{i} : {bias}",
            f"  %p{i} = graph.matmul %x{i}, %w{i} : ({batch}, {weight}) -> {batch}",
            f"  %q{i} = graph.bias_add %p{i}, %b{i} : {batch}, {bias}",
            f"  %x{i + 1} = graph.relu %q{i} : {batch}",
        ]
    return lines + [
        f"  %loss = graph.softmax_cross_entropy %x{count}, %labels : ({batch}, tensor<8xi32>) -> tensor<f32>",
        "  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>",
        "  graph.return %loss : tensor<f32>",
        "}",
    ], None


def tree(values, shape):
    """Additions in pairs until one value is left: (its name, lines)."""
    lines = []
    while len(values) > 1:
        level = []
        for a, b in zip(values[::2], values[1::2]):
            level.append(f"%t{len(lines)}")
            lines.append(f"  {level[-1]} = graph.add {a}, {b} : {shape}")
        values = level + values[len(level) * 2 :]
    return values[0], lines


def wide(ops):
    """Many operations on one value, each with a constant of its own, and the tree that sums
    them."""
    count = ops // 3
    lines = [f"graph.func @f(%x: {ROW}) -> {ROW} {PREDICT} {{"]
    for i in range(count):
        lines += [
            f"  %c{i} = graph.constant dense<{i + 1}.0> : {ROW}",
            f"  %y{i} = graph.divide %x, %c{i} : {ROW}",
        ]
    last, sums = tree([f"%y{i}" for i in range(count)], ROW)
    return lines + sums + [f"  graph.return {last} : {ROW}", "}"], None


def variables(ops):
    """As many variables as operations, over two parameter servers, each with its gradient from two
    workers."""
    lines = [
        f"graph.variable @v{i} : {ROW} = #graph.uniform<low = -1.0, high = 1.0, seed = {i + 1}>"
        for i in range(ops)
    ]
    lines += [f'graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) {TRAIN} {{']
    for i in range(ops):
        lines += [f"  %v{i} = graph.read @v{i} : {ROW}", f"  %y{i} = graph.tanh %v{i} : {ROW}"]
    last, sums = tree([f"%y{i}" for i in range(ops)], ROW)
    return (
        lines
        + sums
        + [
            f"  %loss = graph.reduce_sum {last} dimensions = [0] : ({ROW}) -> tensor<f32>",
            "  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>",
            "  graph.return %loss : tensor<f32>",
            "}",
        ],
        {
            "ps": 2,
            "worker": 2,
            "strategy": {"name": "parameter_server", "placement": "round_robin"},
        },
    )


def transfers(ops):
    """Four tasks; each operation takes the value of the one before, which is on another task."""
    lines = [f"graph.func @f(%x0: {ROW}) -> {ROW} {PREDICT} {{"]
    for i in range(ops):
        device = f'{{graph.device = #graph.device<"/job:worker/task:{(i * 7 + i // 3) % 4}">}}'
        lines.append(f"  %x{i + 1} = graph.add %x{i}, %x{i // 2} {device} : {ROW}")
    return lines + [f"  graph.return %x{ops} : {ROW}", "}"], {"worker": 4, "strategy": "in_graph"}


def concatenation(ops):
    """One concatenation of as many operands."""
    lines = [
        f"graph.func @f(%x: tensor<{ops}xf32>, %y: tensor<{ops}xf32>) -> tensor<{ops}xf32> {PREDICT} {{"
    ]
    for i in range(ops):
        lines.append(
            f"  %s{i} = graph.slice {'%x' if i % 2 else '%y'} start_indices = [{ops - 1 - i}] limit_indices = [{ops - i}] strides = [1] : "
            f"(tensor<{ops}xf32>) -> tensor<1xf32>"
        )
    operands, types = ", ".join(f"%s{i}" for i in range(ops)), ", ".join(["tensor<1xf32>"] * ops)
    return lines + [
        f"  %all = graph.concatenate {operands} dimension = 0 : ({types}) -> tensor<{ops}xf32>",
        f"  graph.return %all : tensor<{ops}xf32>",
        "}",
    ], None


def microBatches(count):
    """The MLP of the other benchmarks, with `count` micro-batches."""
    with open(os.path.join(HERE, "models/mlp.mlir")) as file:
        lines = file.read().splitlines()
    return lines, {"worker": 1, "strategy": {"name": "one_device", "micro_batches": count}}


# Of graphc --compare.
STRATEGIES = (
    "one_device",
    "in_graph",
    "mirrored",
    "parameter_server",
    "parameter_server:async",
    "parameter_server:in_graph",
    "all_reduce",
    "all_reduce:in_graph",
)
COMPARED_WORKERS, COMPARED_SECONDS = 1000, 2.0


def comparisons(folder):
    """{strategy: its command} over one parameter server and many workers."""
    cluster = os.path.join(folder, "compare.json")
    with open(cluster, "w") as file:
        json.dump({"ps": 1, "worker": COMPARED_WORKERS}, file)
    model = os.path.join(HERE, "../run/models/mlp.mlir")
    return {
        strategy: ["graphc", "--compare", strategy, model, "--partition", cluster]
        for strategy in STRATEGIES
    }


KINDS = {
    "chain": chain,
    "layers": layers,
    "wide": wide,
    "variables": variables,
    "transfers": transfers,
    "concatenation": concatenation,
}


def write(folder, make, size):
    """The command that compiles the model of this size, its output left to the caller."""
    lines, cluster = make(size)
    stem = os.path.join(folder, f"{make.__name__}-{size}")
    with open(stem + ".mlir", "w") as file:
        file.write("\n".join(lines) + "\n")
    command = ["graphc", stem + ".mlir", "-o", stem + ".plan"]
    if cluster:
        with open(stem + ".json", "w") as file:
            json.dump(cluster, file)
        command += ["--partition", stem + ".json"]
    return command


def measure(command):
    """(seconds of user and system, MB at its peak, seconds by the clock) of this process alone;
    None where it failed."""
    with tempfile.TemporaryFile("w+") as said:
        begin = time.monotonic()
        child = os.posix_spawnp(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, said.fileno(), descriptor) for descriptor in (1, 2)
            ],
        )
        _, status, used = os.wait4(child, 0)
        clock = time.monotonic() - begin
        if status:
            said.seek(0)
            print(
                f"bench: {' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}: {said.read()[-500:]}",
                file=sys.stderr,
            )
            return None
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, clock


def measureAll(commands, rounds):
    """{key: the least of each figure, or None}; other processes only make it longer. They take
    turns, so that a bad minute is none's own."""
    rows = {key: [] for key in commands}
    for _ in range(rounds):
        for key in commands:
            rows[key].append(measure(commands[key]))
    return {
        key: tuple(map(min, zip(*found))) if all(found) else None for key, found in rows.items()
    }


MISSED = []  # what is required and was not reached


def judge(reached, **row):
    print(json.dumps(dict(row, reached=reached)), flush=True)
    if not reached:
        MISSED.append(row)


def measureComparisons(rounds, folder):
    found = measureAll(comparisons(folder), rounds)
    for strategy, figures in found.items():
        cpu, peak, clock = figures or (None, None, None)
        judge(
            bool(cpu) and cpu <= COMPARED_SECONDS,
            case="compare",
            strategy=strategy,
            workers=COMPARED_WORKERS,
            cpu_s=cpu and round(cpu, 3),
            clock_s=clock and round(clock, 3),
            peak_mb=peak and round(peak),
            required_s=COMPARED_SECONDS,
        )
    return found


def measureKind(make, sizes, rounds, folder):
    found = measureAll({size: write(folder, make, size) for size in sizes}, rounds)
    for size in sizes:
        seconds, peak, _ = found[size] or (None, None, None)
        print(
            json.dumps(
                dict(
                    case=f"compile-{make.__name__}",
                    size=size,
                    cpu_s=seconds and round(seconds, 3),
                    peak_mb=peak and round(peak),
                )
            ),
            flush=True,
        )
    return found


def planAndArena(folder, count):
    """Bytes of both, of the MLP with so many micro-batches, which measureKind has compiled."""
    command = write(folder, microBatches, count)
    text = subprocess.run(
        [*command[:2], *command[4:], "--emit=plan-text"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    arenas = [
        int(line.split()[-1]) for line in text.splitlines() if line.startswith("  arena_bytes: ")
    ]
    return os.path.getsize(command[3]), max(arenas)


def cell(found):
    return f"{found[0]:.2f} s, {found[1]:.0f} MB" if found else "failed"


def growth(results):
    """From 1,000 operations to 4,000."""
    return results[4000][0] / results[1000][0] if results.get(4000) and results.get(1000) else None


def report(results, micro, microSizes, compared, rounds):
    lines = [
        f"Made by `test/bench/run.sh compile --report` on {datetime.date.today()}: the least of {rounds} rounds, user and system",
        "time of the process, its peak of resident memory. The models are made by `test/bench/compile.py`.",
        "",
        "| model | " + " | ".join(f"{size:,} ops" for size in SIZES) + " | 4,000 to 1,000 |",
        "|---|" + "---|" * (len(SIZES) + 1),
    ]
    for kind, found in results.items():
        times = growth(found)
        lines.append(
            f"| {kind} | "
            + " | ".join(cell(found[size]) for size in SIZES)
            + f" | {times:.1f} times |"
            if times
            else " | – |"
        )
    lines += [
        "",
        "| micro-batches of the MLP, one device | "
        + " | ".join(f"{count:,}" for count in MICRO_BATCHES)
        + " |",
        "|---|" + "---|" * len(MICRO_BATCHES),
        "| | " + " | ".join(cell(micro[count]) for count in MICRO_BATCHES) + " |",
        "| plan, arena | "
        + " | ".join(
            f"{plan / 1000:.0f} kB, {arena / 2**20:.1f} MiB" for plan, arena in microSizes.values()
        )
        + " |",
    ]
    lines += [
        "",
        f"| `graphc --compare` of test/run/models/mlp.mlir, 1 PS and {COMPARED_WORKERS:,} workers | user and system, memory | by the clock | "
        f"at most {COMPARED_SECONDS:.0f} s of CPU time |",
        "|---|---|---|---|",
    ]
    for strategy, found in compared.items():
        reached = "reached" if found and found[0] <= COMPARED_SECONDS else "missed"
        lines.append(
            f"| {strategy} | {cell(found)} | {f'{found[2]:.2f} s' if found else '–'} | {reached} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "kinds", nargs="*", choices=[[], *KINDS, "norms", "micro_batches", "compare"]
    )
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--write", metavar="FOLDER")
    arguments = parser.parse_args()
    kinds = arguments.kinds or [*KINDS, "micro_batches", "compare"]
    compares = "compare" in kinds
    kinds = [kind for kind in kinds if kind != "compare"]
    makers = {**KINDS, "norms": norms, "micro_batches": microBatches}
    if arguments.write:
        for kind in kinds:
            for size in arguments.sizes or SIZES:
                print(" ".join(write(arguments.write, makers[kind], size)))
        return 0
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            wanted = arguments.sizes or (MICRO_BATCHES if kind == "micro_batches" else SIZES)
            results[kind] = measureKind(makers[kind], wanted, arguments.rounds, folder)
        microSizes = {
            count: planAndArena(folder, count)
            for count, found in results.get("micro_batches", {}).items()
            if found
        }
        compared = measureComparisons(arguments.rounds, folder) if compares else {}
    for kind, found in results.items():
        if growth(found):
            judge(
                growth(found) <= 4.5,
                ratio="4,000 / 1,000 operations",
                case=f"compile-{kind}",
                cpu=round(growth(found), 2),
                required=4.5,
            )
    micro = results.get("micro_batches", {})
    if micro.get(8) and micro.get(16) and micro.get(256):
        goals = [("CPU time", "8", micro[256][0] / micro[8][0], 1.0)]
        goals += [
            (what, "16", microSizes[256][i] / microSizes[16][i], most)
            for i, what, most in ((0, "plan", 1.5), (1, "arena", 1.3))
        ]
        for what, of, ratio, most in goals:
            judge(
                ratio <= most,
                ratio=f"256 / {of} micro-batches",
                case=what,
                now=round(ratio, 2),
                required=most,
            )
    if arguments.report:
        from driver import writeReport

        results.pop("micro_batches")
        writeReport(
            os.path.join(ROOT, "docs/benchmarks.md"),
            report(results, micro, microSizes, compared, arguments.rounds),
            "compile ",
        )
    return (
        1
        if MISSED
        or not all(found for kind in [*results.values(), compared] for found in kind.values())
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
