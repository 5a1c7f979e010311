#!/usr/bin/env python3
"""How long an asynchronous worker is away after kill -9, and what the other one does meanwhile. See
run.sh for the build.

`test/bench/returns.py [--rounds N]`: of a parameter server and two workers, each round a run of its
own; prints the medians of each transport.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import measure

BEFORE = 1.5  # seconds of steps before the death


class Run:
    """graphrun, and when each worker's results came."""

    def __init__(self, folder, transport):
        self.times = {0: [], 1: []}
        self.said = []
        self.child = subprocess.Popen(
            [
                Path(measure.BIN) / "graphrun",
                folder / "async.plan",
                "--steps",
                "100000000",
                "--checkpoint_dir",
                folder / "ckpt",
                "--save_checkpoint_steps",
                "1000000000",
                "--max_restarts",
                "3",
                f"--transport={transport}",
                "--fetch",
                "loss",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.back = None
        for stream, take in ((self.child.stdout, self._result), (self.child.stderr, self._line)):
            threading.Thread(
                target=lambda stream=stream, take=take: [take(line) for line in stream], daemon=True
            ).start()

    def _result(self, line):
        for worker, times in self.times.items():
            if f"/job:worker/task:{worker} " in line:
                times.append(time.monotonic())

    def _line(self, line):
        self.said.append(line)
        if "is back" in line:
            self.back = time.monotonic()

    def pidOf(self, worker):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode().split("\0")
                parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
            if (
                parent == self.child.pid
                and "--job_name=worker" in words
                and f"--task_index={worker}" in words
            ):
                return int(process.name)
        raise SystemExit(f"worker {worker} has no process")


def once(folder, transport):
    """Seconds to the next process's first result; the other worker's steps a second before and
    meanwhile, and its longest step in either."""
    subprocess.run(["rm", "-rf", folder / "ckpt"], check=True)
    run = Run(folder, transport)
    while len(run.times[1]) < 20 or len(run.times[0]) < 20:
        time.sleep(0.01)
    time.sleep(BEFORE)
    pid = run.pidOf(1)
    killed = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    while run.back is None:
        time.sleep(0.001)
        if run.child.poll() is not None:
            raise SystemExit("".join(run.said))
    # Results of the process before may still have come behind its end.
    while run.times[1][-1] < run.back:
        time.sleep(0.001)
    time.sleep(0.5)
    first = next(at for at in run.times[1] if at > run.back)
    rate = lambda begin, end: sum(begin < at <= end for at in run.times[0]) / (end - begin)
    longest = lambda begin, end: max(
        b - a for a, b in zip(run.times[0], run.times[0][1:]) if a <= end and b >= begin
    )
    found = (
        first - killed,
        rate(killed - BEFORE, killed),
        rate(killed, first),
        longest(killed - BEFORE, killed),
        longest(killed, first),
    )
    run.child.send_signal(signal.SIGINT)
    run.child.wait()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    folder = Path(tempfile.mkdtemp(prefix="graphc-returns-"))
    (folder / "cluster.json").write_text(
        json.dumps(
            {"worker": 2, "ps": 1, "strategy": {"name": "parameter_server", "update": "async"}}
        )
    )
    subprocess.run(
        [
            Path(measure.BIN) / "graphc",
            "--partition",
            folder / "cluster.json",
            Path(__file__).parent / "models/mlp.mlir",
            "-o",
            folder / "async.plan",
        ],
        check=True,
        capture_output=True,
    )
    for transport in "shm", "grpc":
        away, before, meanwhile, longBefore, longMeanwhile = zip(
            *(once(folder, transport) for _ in range(rounds))
        )
        print(
            f"{transport}: {statistics.median(away):.3f} s from kill -9 to the first step of the next process (most {max(away):.3f} s); "
            f"the other worker {statistics.median(before):.4g} steps/s before, {statistics.median(meanwhile):.4g} meanwhile, "
            f"its longest step {statistics.median(longBefore) * 1e3:.3g} ms in {BEFORE} s before, {statistics.median(longMeanwhile) * 1e3:.3g} ms "
            f"meanwhile (most {max(longMeanwhile) * 1e3:.3g} ms; {rounds} rounds)",
            flush=True,
        )


if __name__ == "__main__":
    main()
