"""device.sh check: bits."""

import array
import hashlib
import os
import shutil
import struct

from results import OutOfTime

LONGEST = 120  # seconds of one run
SUITE = "the device's own tests"
SANITIZERS = ("memcheck", "racecheck", "synccheck")


def canonical(data):
    """An .npy file's bytes, where each NaN has the same bits."""
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    code = "d" if b"<f8" in data[:start] else "f" if b"<f4" in data[:start] else None
    if not code:
        return data
    values = array.array(code, data[start:])
    nan = array.array(code, [float("nan")])[0]
    for i, value in enumerate(values):
        if value != value:
            values[i] = nan
    return data[:start] + values.tobytes()


def difference(name, expected, got):
    """What to say of two files of one name, "" where they are equal. `expected` may be a digest."""
    if expected == got:
        return ""
    got = canonical(got)
    if isinstance(expected, str):
        return "" if hashlib.sha256(got).hexdigest() == expected else f"{name} has other bits"
    expected = canonical(expected)
    if expected == got:
        return ""
    if len(expected) != len(got):
        return f"{name} has {len(got)} bytes, not {len(expected)}"
    start = 10 + struct.unpack_from("<H", got, 8)[0]
    where = [i for i, (a, b) in enumerate(zip(expected, got)) if a != b]
    return f"{name} differs in {len(where)} bytes, the first at byte {where[0] - start} of its data: {expected[where[0] & ~7 :][:8].hex()} expected, {got[where[0] & ~7 :][:8].hex()} found"


def read(folder):
    """{name: bytes}, or a digest where only that is kept."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        files[name.removesuffix(".sha256")] = (
            data.decode().strip() if name.endswith(".sha256") else data
        )
    return files


def compare(expected, got):
    if not expected:
        return "nothing to compare with"
    if sorted(expected) != sorted(got):
        return f"the variables are {', '.join(sorted(got))}, not {', '.join(sorted(expected))}"
    return "; ".join(
        filter(None, (difference(name, expected[name], got[name]) for name in expected))
    )


class Checks:
    def __init__(self, machine, cases, results):
        self.machine, self.cases, self.results = machine, cases, results
        self.folders = {}  # name of a case → what it left, right or to be compared with
        self.seed = 0

    def leaves(self, case, wrapper=(), environment=None):
        """(what went wrong, the folder of its variables)"""
        folder = self.machine.folder()
        self.seed += 1  # of the simulated driver alone
        command = [
            *wrapper,
            self.machine.graphrun,
            *self.machine.plan(case),
            "--dump_variables",
            os.path.join(folder, "variables"),
        ]
        status, said = self.results.run(
            command, LONGEST, {"GRAPHC_SIM_SEED": str(self.seed), **(environment or {})}
        )
        if status != 0:
            return self.machine.failure(status, said), None
        for text in case.get("says", ()):
            if text not in said:
                return f"does not say '{text}': {said.strip()[-600:]}", None
        return "", os.path.join(folder, "variables")

    def one(self, case):
        self.results.attempt(case["name"], lambda: self.compared(case), case.get("core", False))

    def compared(self, case):
        if self.machine.simulated and case.get("large"):
            self.results.skipped(
                case["name"], "too large for the simulated driver", core=case.get("core", False)
            )
            return
        wrong, folder = self.leaves(case)
        if not wrong and "expected" in case:
            wrong = compare(read(os.path.join(self.machine.bundle, case["expected"])), read(folder))
        elif not wrong and "same_as" in case:
            reference = self.folders.get(case["same_as"])
            wrong = (
                compare(read(reference), read(folder))
                if reference
                else f"there is no run of {case['same_as']} to compare with"
            )
        if folder and "same_as" not in case:
            self.folders[case["name"]] = folder
        elif folder:
            shutil.rmtree(os.path.dirname(folder))
        self.results.record(
            "FAILED" if wrong else "ok", case["name"], wrong, core=case.get("core", False)
        )

    def deviceSuite(self):
        """The tests that every device has, on the driver that is here."""
        self.results.attempt(SUITE, self.suite, core=True)

    def suite(self):
        program = os.path.join(self.machine.bundle, "bin/device_test")
        libraries = os.pathsep.join(
            filter(
                None,
                [
                    os.environ.get("LD_LIBRARY_PATH"),
                    os.path.join(self.machine.bundle, "lib/graphc"),
                ],
            )
        )
        status, said = self.results.run(
            [program, "--gtest_filter=*/Devices.*/Cuda", "--gtest_brief=1"],
            LONGEST,
            {"GRAPHC_TEST_DRIVER": "installed", "LD_LIBRARY_PATH": libraries},
        )
        wrong = status != 0 or " 0 tests" in said or "PASSED" not in said
        self.results.record("FAILED" if wrong else "ok", SUITE, said if wrong else "", core=True)

    def sanitizer(self):
        tool = shutil.which("compute-sanitizer") or shutil.which(
            "compute-sanitizer", path="/usr/local/cuda/bin"
        )
        chosen = [case for case in self.cases["checks"] if case.get("sanitize")]
        for kind in SANITIZERS:
            for case in chosen:
                name = f"compute-sanitizer {kind}: {case['name']}"
                if self.machine.simulated or not tool:
                    self.results.skipped(
                        name,
                        "simulated driver"
                        if self.machine.simulated
                        else "no compute-sanitizer on this machine",
                    )
                else:
                    self.results.attempt(
                        name,
                        lambda: self.sanitized(
                            name,
                            case,
                            [
                                tool,
                                f"--tool={kind}",
                                "--target-processes=all",
                                "--error-exitcode=9",
                            ],
                        ),
                    )

    def sanitized(self, name, case, wrapper):
        wrong, folder = self.leaves(case, wrapper)
        self.results.record("FAILED" if wrong else "ok", name, wrong)
        if folder:
            shutil.rmtree(os.path.dirname(folder))

    def equalRuns(self):
        """The same plan again and again; as many as there is time for, which is said."""
        chosen = [case for case in self.cases["checks"] if case.get("repeat")]
        wanted = self.cases["equal_runs"]
        done = {case["name"]: 0 for case in chosen}
        first, wrong = {}, {}
        for _ in range(wanted):
            for case in chosen:
                name = case["name"]
                if self.results.left <= 0 or wrong.get(name):
                    continue
                try:
                    said, folder = self.leaves(case)
                except OutOfTime:
                    continue
                found = None if said else read(folder)
                wrong[name] = said or compare(first.setdefault(name, found), found)
                done[name] += 1
                if folder:
                    shutil.rmtree(os.path.dirname(folder))
        for name, runs in done.items():
            text = f"{wanted} runs with equal bits: {name}"
            if wrong.get(name):
                self.results.failed(text, f"run {runs}: {wrong[name]}", runs=runs)
            elif runs == wanted:
                self.results.passed(text, runs=runs)
            else:
                self.results.skipped(text, f"out of time after {runs}", runs=runs)


def run(machine, cases, results):
    checks = Checks(machine, cases, results)
    checks.deviceSuite()
    for case in cases["checks"]:
        checks.one(case)
    checks.sanitizer()
    checks.equalRuns()
