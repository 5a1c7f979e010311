"""One part of device.sh, from its command line to its exit status. Python's standard library only,
as all of this folder but peers/."""

import argparse
import json
import os
import sys
import tempfile

import check
import memory
import timing
from machine import Machine
from results import Results

PARTS = {"check": check.run, "time": timing.run, "memory": memory.run}


def main():
    parser = argparse.ArgumentParser(prog="device.sh")
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("results", help="a folder")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--bundle", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        with open(os.path.join(arguments.bundle, "cases.json")) as file:
            cases = json.load(file)
    except FileNotFoundError:
        print(
            f"device.sh: {arguments.bundle} has no cases.json; make a bundle first: test/cuda/bundle.sh OUT, then OUT/device.sh",
            file=sys.stderr,
        )
        return 2
    with tempfile.TemporaryDirectory(prefix="graphc-trial-") as scratch:
        machine = Machine(arguments.bundle, scratch)
        with Results(
            arguments.results,
            arguments.part,
            arguments.minutes * 60,
            machine,
            machine.describe(cases["made"]),
        ) as results:
            if old := machine.tooOld(cases["made"]):
                results.failed("this machine", old)
            elif not machine.gpus:
                results.failed("a GPU", f"none: {machine.why}")
            else:
                PARTS[arguments.part](machine, cases, results)
            return results.status()


if __name__ == "__main__":
    sys.exit(main())
