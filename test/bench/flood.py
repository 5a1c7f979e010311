"""What a neighbour's flood of a port costs a run that trains by hand over gRPC on this machine: one
parameter server, two workers, the chief's port flooded by one process that does not know the
secret.   test/bench/run.sh flood [--rounds N]   STEPS=4000

One JSON object a line: the mean step without (none) and with each flood, and beside a process that
only computes (busy), since any neighbour takes a part of the cores; the last lines are ratios.
"""

import argparse
import json
import os
import statistics
import sys

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../run")
sys.path.insert(0, RUN)

from box import Box  # noqa: E402
from ports import Ports  # noqa: E402

KINDS = ["none", "busy", "big", "resets", "idle", "garbage", "calls"]


def measure(box, plan, kind):
    """The run's mean step in milliseconds."""
    ports = Ports()
    hosts = [
        "--ps_hosts",
        f"127.0.0.1:{ports[0]}",
        "--worker_hosts",
        f"127.0.0.1:{ports[1]},127.0.0.1:{ports[2]}",
    ]
    tasks = [
        box.task(
            name,
            plan,
            *hosts,
            "--transport",
            "grpc",
            "--steps",
            os.environ.get("STEPS", 4000),
            *more,
        )
        for name, more in (("worker-0", ("--stats", "stats.json")), ("worker-1", ()), ("ps-0", ()))
    ]
    flood = None
    if kind == "busy":
        flood = box.start("sh", "-c", "while :; do :; done")
    elif kind != "none":
        flood = box.start(sys.executable, os.path.join(RUN, "neighbour.py"), kind, ports[1], 60)
    tasks[0].ends(seconds=60)
    if flood:
        assert flood.running, f"{kind} goes on until the run ends"
        flood.end()
    for task in tasks:
        task.ends()
    ports.held.close()
    mean = max(1e3 / task["steps_per_s"] for task in box.json("stats.json")["tasks"].values())
    print(
        json.dumps({"peer": "graphc", "case": "flood", "beside": kind, "mean_ms": round(mean, 4)}),
        flush=True,
    )
    return mean


def main():
    parser = argparse.ArgumentParser(prog="flood")
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    box = Box("flood")
    try:
        plan = box.servers("two", 2, 1)
        means = {kind: [] for kind in KINDS}
        for _ in range(rounds):
            for kind in KINDS:
                means[kind].append(measure(box, plan, kind))
    finally:
        box.close()
    middle = {kind: statistics.median(found) for kind, found in means.items()}
    for kind in KINDS[2:]:
        print(
            json.dumps(
                {
                    "ratio": f"flood {kind}",
                    "to_none": round(middle[kind] / middle["none"], 2),
                    "to_busy": round(middle[kind] / middle["busy"], 2),
                    "required_to_none": 2,
                }
            )
        )


if __name__ == "__main__":
    main()
