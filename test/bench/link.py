"""Large tensors over gRPC with mutual TLS between two machines (network namespaces) whose link is
shaped to RATE, beside what iperf3 gets out of the same link.

test/bench/run.sh link [--rounds N]   RATE=1gbit

One JSON object a line: mbit_s is of payload, of one direction (both ways: of the slower one); the
last lines are ratios.
"""

import argparse
import json
import os
import shutil
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../run"))

import pytest  # noqa: E402
from box import Box, asFlags, tls  # noqa: E402
from machines import Machines  # noqa: E402
from process import ended, until  # noqa: E402

HOSTS = ["--worker_hosts", "10.77.0.1:2222,10.77.0.2:2222"]
CASES = {"link-one-way": [], "link-both-ways": ["--bidir"]}


def iperf(box, machines, case):
    server = machines.start(2, "iperf3", "--server", "--one-off")
    until(
        lambda: "LISTEN" in machines.start(2, "ss", "-Hltn", "sport = :5201").ends().out.text(),
        "iperf3 listens",
    )
    end = json.loads(
        machines.start(1, "iperf3", "--client", "10.77.0.2", "--time", 10, "--json", *CASES[case])
        .ends()
        .out.text()
    )["end"]
    server.ends()
    sums = [end[name] for name in ("sum_received", "sum_received_bidir_reverse") if name in end]
    return {
        "peer": "iperf3",
        "case": case,
        "bytes": None,
        "mean_ms": None,
        "mbit_s": round(min(s["bits_per_second"] for s in sums) / 1e6, 1),
    }


def graphc(box, machines, case):
    tasks = [
        machines.start(
            n, "graphrun", f"{case}.plan", *asFlags(name), *HOSTS, *tls(name), "--steps", 20, *more
        )
        for n, name, more in ((2, "worker-1", ()), (1, "worker-0", ("--stats", "stats.json")))
    ]
    ended(tasks, seconds=600)
    stats = box.json("stats.json")["tasks"].values()
    step = max(1 / task["steps_per_s"] for task in stats)
    moved = max(task["bytes_sent"] / task["steps"] for task in stats)
    return {
        "peer": "graphc",
        "case": case,
        "bytes": int(moved),
        "mean_ms": round(step * 1e3, 2),
        "mbit_s": round(moved * 8e-6 / step, 1),
    }


def measure(box, machines, rounds):
    machines.add(2)
    # What leaves each machine; more than 20 ms of it waiting is dropped, as a switch would.
    for n in (1, 2):
        machines.start(
            n,
            "tc",
            "qdisc",
            "add",
            "dev",
            "eth0",
            "root",
            "tbf",
            "rate",
            os.environ.get("RATE", "1gbit"),
            "burst",
            "256kb",
            "latency",
            "20ms",
        ).ends()
    box.graphrun("certs", *HOSTS)
    for case in CASES:
        box.compile(
            case,
            {"worker": ["10.77.0.1:2222", "10.77.0.2:2222"], "strategy": "in_graph"},
            os.path.join(HERE, f"models/{case}.mlir"),
        )
    rates = {}
    for _ in range(rounds):
        for case in CASES:
            for peer in iperf, graphc:
                row = peer(box, machines, case)
                print(json.dumps(row), flush=True)
                rates.setdefault(case, {}).setdefault(row["peer"], []).append(row["mbit_s"])
    for case, peers in rates.items():
        rate = statistics.median_high(peers["graphc"]) / statistics.median_high(peers["iperf3"])
        print(
            json.dumps(
                {
                    "ratio": "graphc / iperf3",
                    "case": case,
                    "rate": round(rate, 3),
                    "required": 0.85,
                    "reached": rate >= 0.85,
                }
            ),
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(prog="link")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if not shutil.which("iperf3"):
        print("skipped: iperf3 is missing (apt-get install iperf3)")
        sys.exit(77)
    box = Box("link")
    try:
        machines = Machines(box)
        measure(box, machines, arguments.rounds)
        machines.close()
    except pytest.skip.Exception as why:
        print(f"skipped: {why}")
        sys.exit(77)
    finally:
        box.close()


if __name__ == "__main__":
    main()
