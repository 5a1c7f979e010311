#!/usr/bin/env python3
"""Runs what test/run.sh built and adds up. Python's standard library only.

Sources of tests, in this order; a thing that is missing or crashes is a failure, never a silence:
  lint    tools/lint.sh
  lit     every .mlir and .test under test/ (LLVM's lit)
  gtest   every GoogleTest binary that CTest knows in build/release (each test counted)
  pytest  the end-to-end tests test/run/test_*.py, each counted; a group of them (see test/run/conftest.py) in one process
  sh      every executable test/tools/*.sh: exit 0 passed, 77 skipped (last line says why)
  asan, tsan   the GoogleTest binaries of those builds, and with pytest graphrun of each: test_sanitizers.py
  x86-64-v3 …  some of lit, pytest and gtest again, as on a CPU without AVX-512, where this one has it: levels.py
  fuzz    every libFuzzer target of the asan build, 5 s each (GRAPHC_FUZZ_SECONDS; with --long 600), its coverage printed
"""

import argparse
import concurrent.futures
import os
import re
import sys

import levels
import sanitizers
from suites import (
    Runner,
    baseEnvironment,
    ctestCommands,
    fuzzTargets,
    labelOf,
    pytestGroups,
    runFuzz,
    runGtest,
    runLit,
    runPytest,
    runScript,
)


def parseArguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument(
        "--build", action="append", default=[], help="PRESET:passed|failed:SECONDS, as built"
    )
    parser.add_argument("--only", help="regular expression on test names")
    parser.add_argument(
        "--before", type=int, default=0, help="seconds that set-up and builds took, for the total"
    )
    parser.add_argument("--long", action="store_true")
    return parser.parse_args()


def inParallel(workers, calls):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(*call) for call in calls]:
            future.result()


def scripts(root, folder):
    path = os.path.join(root, folder)
    for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
        if name.endswith(".sh") and os.access(os.path.join(path, name), os.X_OK):
            yield os.path.join(folder, name)


def callsOfLevel(runner, level, groups, gtests, limit):
    """The tests that run again as on a CPU of the level; see levels.py."""
    lit, pytest = (
        (levels.LIT_LONG, levels.PYTEST_LONG) if runner.long else (levels.LIT, levels.PYTEST)
    )
    calls = [(runLit, runner, "build/release", 1, lit, level)]
    calls += [
        (runPytest, runner, group, nodes, limit, level)
        for group, nodes in groups.items()
        if re.search(pytest, group)
    ]
    calls += [
        (
            runGtest,
            runner,
            labelOf("gtest", level),
            command,
            {**environment, **baseEnvironment(runner, level=level)},
        )
        for _, command, environment in gtests
        if os.path.basename(command[0]) in levels.GTESTS
    ]
    return calls


def main():
    arguments = parseArguments()
    root = arguments.root
    os.chdir(root)
    runner = Runner(root, arguments.only, arguments.long)
    for build in arguments.build:
        preset, outcome, seconds = build.split(":")
        runner.record(
            f"build {preset}",
            outcome,
            0.0 if outcome == "passed" else float(seconds),
            f"see build/{preset}/build.log",
        )
    presets = [build.split(":")[0] for build in arguments.build]
    jobs = int(os.environ.get("GRAPHC_JOBS", "2"))

    limit = 3600 if arguments.long else 900
    if os.path.exists("tools/lint.sh"):
        tidy = ["--tidy" if arguments.long else "--tidy-changed"] if "release" in presets else []
        runScript(runner, [os.path.join(root, "tools/lint.sh"), *tidy], limit)
    if "release" in presets:
        runLit(runner, "build/release", jobs)
    # Everything else is one pile: what waits leaves the cores to what computes. One more at once
    # than there are cores.
    calls = []
    if "release" in presets:
        # The group "test_sanitizers tsan" is graphrun of that build.
        unbuilt = set(sanitizers.PRESETS) - set(presets)
        groups = pytestGroups(runner)
        calls += [
            (runPytest, runner, group, nodes, limit)
            for group, nodes in groups.items()
            if not unbuilt & set(group.split())
        ]
        calls += [(runScript, runner, script, limit) for script in scripts(root, "test/tools")]
        gtests, others = ctestCommands(runner, "release")
        calls += [
            (runScript, runner, command, 600, f"ctest {name}", environment)
            for name, command, environment in others
        ]
        calls += [
            (runGtest, runner, "gtest", command, environment) for _, command, environment in gtests
        ]
        for level in levels.levelsOf(levels.cpuFlags(), arguments.long):
            calls += callsOfLevel(runner, level, groups, gtests, limit)
    for preset in sanitizers.PRESETS:
        if preset in presets:
            gtests, _ = ctestCommands(runner, preset)
            calls += [
                (runGtest, runner, preset, command, environment)
                for _, command, environment in gtests
            ]
    if "asan" in presets:
        seconds = int(os.environ.get("GRAPHC_FUZZ_SECONDS", "600" if arguments.long else "5"))
        targets = fuzzTargets(root)
        if targets:
            runScript(runner, "test/ci/fuzz_seeds.sh", 300, name="fuzz seeds")
        calls += [(runFuzz, runner, target, seconds) for target in targets]
    inParallel(jobs + 1, calls)
    return runner.summary(arguments.before)


if __name__ == "__main__":
    sys.exit(main())
