"""device.sh time: what a step takes, here and in the peers, on the same GPU one after the other."""

import json
import os
import sys

SECONDS = 2.0  # of one measurement
LONGEST, LONGEST_PEER = 120, 150  # seconds of a run, and of a peer with all its cases
PEERS = ("jax", "torch")
# Dense TFLOP/s as NVIDIA's data sheets have them (SXM): what a share of peak is of.
PEAKS = {
    "H100": {"ieee": 67, "tf32": 494.7, "bf16": 989.4},
    "H200": {"ieee": 67, "tf32": 494.7, "bf16": 989.4},
    "A100": {"ieee": 19.5, "tf32": 156, "bf16": 312},
}
# What is aimed at: (case, what, at most or at least)
MOST_NULL_US, LEAST_TO_JAX = 10, 1.5


class Times:
    def __init__(self, machine, cases, results):
        self.machine, self.cases, self.results = machine, cases["time"], results
        self.found = {}  # (case, peer) → [row]

    def keep(self, case, row):
        """A row of either: case, peer, mean_us of steps that follow each other, synced_us where
        each is waited for."""
        self.found.setdefault((case["name"], row["peer"]), []).append(row)
        self.results.write(kind="time", case=case["name"], simulated=self.machine.simulated, **row)

    def steps(self, case, steps):
        """The statistics of so many, or what went wrong."""
        stats = os.path.join(self.machine.folder(), "stats.json")
        command = [
            self.machine.graphrun,
            *self.machine.plan(case),
            "--steps",
            str(steps),
            "--stats",
            stats,
        ]
        status, said = self.results.run(command, LONGEST)
        if status != 0:
            return None, self.machine.failure(status, said)
        with open(stats) as file:
            return next(iter(json.load(file)["tasks"].values())), ""

    def ours(self, case, core):
        name = f"graphc {case['name']}"
        self.results.attempt(name, lambda: self.measured(case, name, core), core)

    def measured(self, case, name, core):
        if self.machine.simulated and case["flops"] > 1e6:
            return self.results.skipped(name, "too large for the simulated driver")
        stats, wrong = self.steps(case, 3 if self.machine.simulated else 30)
        if stats and not self.machine.simulated:
            stats, wrong = self.steps(
                case, min(500_000, max(30, int(SECONDS * stats["steps_per_s"])))
            )
        if not stats:
            return self.results.failed(name, wrong, core=core)
        if self.machine.simulated:
            return self.results.passed(name, "ran; simulated driver, no figure", core=core)
        mean = 1e6 / stats["steps_per_s"]
        self.keep(
            case,
            {
                "peer": "graphc",
                "mean_us": mean,
                "median_us": stats["step_ms"]["median"] * 1e3,
                "first_s": stats["first_step_s"],
                "steps": stats["steps"],
            },
        )
        self.results.passed(name, f"{mean:.2f} µs a step", core=core)

    def peer(self, peer):
        if self.machine.simulated:
            return self.results.skipped(peer, "simulated driver")
        return self.results.attempt(peer, lambda: self.measuredPeer(peer))

    def measuredPeer(self, peer):
        named = {case["name"]: case for case in self.cases}

        def line(text):
            if not text.startswith("{"):
                return
            row = json.loads(text)
            case = named[row.pop("case")]
            if "why" in row:
                self.results.skipped(f"{row['peer']} {case['name']}", row["why"])
            else:
                self.keep(case, row)
                self.results.passed(
                    f"{row['peer']} {case['name']}", f"{row['mean_us']:.2f} µs a step"
                )

        here = os.path.dirname(os.path.abspath(__file__))
        status, said = self.results.run(
            [
                sys.executable,
                "-B",
                os.path.join(here, "peers", f"{peer}_gpu.py"),
                os.path.join(self.machine.bundle, "cases.json"),
                "--seconds",
                str(SECONDS),
            ],
            LONGEST_PEER,
            {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONUNBUFFERED": "1"},
            line,
        )
        if status != 0:
            self.results.skipped(
                peer,
                f"ended early: {f'longer than {LONGEST_PEER} s' if status is None else (said.strip().splitlines() or ['no word'])[-1]}",
            )

    def mean(self, case, peer):
        rows = self.found.get((case, peer), ())
        return sum(row["mean_us"] for row in rows) / len(rows) if rows else None

    def table(self):
        peers = sorted({peer for _, peer in self.found} - {"graphc"})
        self.results.say("")
        self.results.say(
            f"µs a step, steps one behind the other; share of the data sheet's peak; a peer's time to graphc's ({self.machine.gpu['name']})"
        )
        peak = next(
            (peaks for name, peaks in PEAKS.items() if name in self.machine.gpu["name"]), {}
        )
        self.results.say(
            f" {'case':28} {'precision':9} {'graphc':>11} {'of peak':>8}"
            + "".join(f" {peer:>14} {'ratio':>6}" for peer in peers)
        )
        for case in self.cases:
            own, line = (
                self.mean(case["name"], "graphc"),
                f" {case['name']:28} {case['precision']:9}",
            )
            most = peak.get(case["precision"])
            share = (
                f"{case['flops'] / (own * 1e-6) / (most * 1e12):.1%}"
                if own and most and case["flops"] > 1e6
                else "-"
            )
            line += f" {f'{own:.2f}' if own else '-':>11} {share:>8}"
            for peer in peers:
                theirs = self.mean(case["name"], peer)
                line += f" {f'{theirs:.2f}' if theirs else '-':>14} {f'{theirs / own:.2f}' if theirs and own else '-':>6}"
            self.results.say(line)
        self.aims()

    def aims(self):
        null, mlp, jax = (
            self.mean("null", "graphc"),
            self.mean("mlp", "graphc"),
            self.mean("mlp", "jax"),
        )
        for text, value, reached in (
            (f"null: at most {MOST_NULL_US} µs", null, null and null <= MOST_NULL_US),
            (
                f"mlp: at least {LEAST_TO_JAX} times as fast as JAX",
                mlp and jax and jax / mlp,
                mlp and jax and jax / mlp >= LEAST_TO_JAX,
            ),
        ):
            word = (
                "not measured"
                if not value
                else f"{value:.2f}, {'reached' if reached else 'missed'}"
            )
            self.results.write(kind="aim", text=text, value=value or None, reached=bool(reached))
            self.results.say(f" aim: {text}: {word}")


def run(machine, cases, results):
    """Here, the peers, and here again, so that what the machine does meanwhile is seen."""
    times = Times(machine, cases, results)
    for case in times.cases:
        times.ours(case, case["core"])
    for peer in PEERS:
        times.peer(peer)
    if not machine.simulated:
        for case in times.cases:
            times.ours(case, False)
        times.table()
