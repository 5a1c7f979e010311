"""How each kind of test is run, and the tally. See run_tests.py."""

import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

import sanitizers


class Runner:
    """Collects results; safe to use from several threads."""

    def __init__(self, root, only, long):
        self.root, self.long = root, long
        self.only = re.compile(only) if only else None
        self.results = []  # (name, outcome, seconds, detail)
        self.lock = threading.Lock()
        self.start = time.time()

    def wanted(self, name):
        return not self.only or self.only.search(name)

    def record(self, name, outcome, seconds, detail=""):
        with self.lock:
            self.results.append((name, outcome, seconds, detail))
            if outcome == "failed":
                print(f"FAILED {name} ({seconds:.1f} s)", flush=True)
                lines = detail.strip().splitlines()
                for line in lines if len(lines) <= 90 else [*lines[:30], "…", *lines[-60:]]:
                    print(f"    {line}", flush=True)

    def say(self, text):
        with self.lock:
            print(f"  {text} ({time.time() - self.start:.0f} s)", flush=True)

    def summary(self, before):
        """Prints the outcome; `before`: seconds that set-up and builds took."""
        count = {
            outcome: sum(1 for r in self.results if r[1] == outcome)
            for outcome in ("passed", "failed", "skipped")
        }
        print("\nthe ten slowest tests:")
        for name, _, seconds, _ in sorted(self.results, key=lambda r: -r[2])[:10]:
            print(f"  {seconds:7.1f} s  {name}")
        print("the twenty groups of tests with the most CPU time:")
        for label, seconds in sorted(CPU_SECONDS.items(), key=lambda item: -item[1])[:20]:
            print(f"  {seconds:7.1f} s  {label}")
        if count["skipped"]:
            print("skipped:")
            for name, outcome, _, detail in self.results:
                if outcome == "skipped":
                    print(f"  {name}: {detail or 'no reason given'}")
        if count["failed"]:
            print("failed:")
            for name, outcome, _, detail in self.results:
                if outcome == "failed":
                    print(f"  {name}: {whyOf(detail)}")
        if not count["passed"]:
            print("nothing passed: that is a failure of the run itself")
            count["failed"] += 1
        line = f"{count['passed']} passed, {count['failed']} failed"
        tests = time.time() - self.start
        cpu = sum(CPU_SECONDS.values())
        print(
            f"\n{line}, {count['skipped']} skipped, tests {tests:.0f} s ({cpu:.0f} s of CPU time), in all {before + tests:.0f} s"
        )
        print(line, flush=True)  # last and alone: machines read it
        return 1 if count["failed"] else 0


def whyOf(detail):
    """The line of a failure that says most, for the list at the end; what CI keeps of a long output
    may lack the rest."""
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if re.search(r"runtime error:|^SUMMARY:|^==\d+==ERROR|: Failure$", line)
    ]
    return (telling or lines or ["no reason given"])[0][:300]


def execute(command, timeout, environment=None, cwd=None, label="other"):
    """Runs a command. Returns (exit status or None, output, seconds, what it left behind). Its CPU
    time counts for `label`.

    Whatever the command leaves running is a finding, and is ended.
    """
    start = time.time()
    mark = f"{os.getpid()}.{next(COUNTER)}"
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {}), MARK: mark},
                cwd=cwd,
                start_new_session=True,
            )
        except OSError as error:
            return 127, f"{command[0]}: {error.strerror}", 0.0, ""
        status, cpu = waitFor(process, timeout)
        if status is not None:
            deadline = time.time() + 2
            while startedBy(process.pid, mark) and time.time() < deadline:
                time.sleep(0.05)
        left = "; ".join(startedBy(process.pid, mark).values()) if status is not None else ""
        deadline = time.time() + 20
        # What they start meanwhile ends too.
        while (members := startedBy(process.pid, mark)) and time.time() < deadline:
            for member in members:
                try:
                    os.kill(member, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.poll()
        if status is None:
            process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
    with LOCK:
        CPU_SECONDS[label] = CPU_SECONDS.get(label, 0.0) + cpu
    return status, text, time.time() - start, left


def waitFor(process, timeout):
    """Waits until a process ends. Returns its exit status (None after `timeout` seconds) and the
    CPU seconds of it and its children."""
    deadline, pause = time.time() + timeout, 0.005
    while time.time() < deadline:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)
    return None, 0.0


LOCK = threading.Lock()
CPU_SECONDS = {}  # label of a command → CPU seconds of all runs of it
COUNTER = itertools.count()
MARK = "GRAPHC_TEST_COMMAND"  # in the environment of all that a command starts, also in sessions of their own


def startedBy(session, mark):
    """The live processes that a command has started, id → command line: of its session, or with its
    mark."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if fields[0] not in "ZX" and (int(fields[3]) == session or has(entry, mark)):
                with open(f"/proc/{entry}/cmdline") as line:
                    found[int(entry)] = line.read().replace("\0", " ").strip()
        except OSError:
            pass
    return found


def has(entry, mark):
    with open(f"/proc/{entry}/environ", "rb") as environ:
        return f"{MARK}={mark}".encode() in environ.read().split(b"\0")


def ending(status, timeout):
    if status is None:
        return f"ran past {timeout} s and was ended"
    if status < 0:
        return f"died of signal {-status} ({signal.Signals(-status).name})"
    return f"exit status {status}"


def baseEnvironment(runner, preset="release", level=""):
    """What a test of a preset's build finds in its environment; with `level`, a name such as
    x86-64-v3, as on a CPU of that level."""
    # Under a sanitizer a tenth of what is repeated with other numbers; the release build does it
    # all.
    fewer = (
        {}
        if preset == "release" or runner.long
        else {"GRAPHC_SIM_SEEDS": "100", "GRAPHC_MUTANTS": "150"}
    )
    path = os.pathsep.join(
        [
            os.path.join(runner.root, "build", preset, "bin"),
            "/usr/lib/llvm-22/bin",
            os.environ["PATH"],
        ]
    )
    return {
        **fewer,
        **({"GRAPHC_MAX_CPU_ISA": level} if level else {}),
        "GRAPHC_BUILD": os.path.join(runner.root, "build", preset),
        "GRAPHC_ROOT": runner.root,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": path,
        **sanitizers.environment(runner.root),
    }


def ctestCommands(runner, preset):
    """(GoogleTest commands, other commands) that CTest knows, as (name, command, environment)."""
    build = os.path.join(runner.root, "build", preset)
    try:
        shown = subprocess.run(
            ["ctest", "--test-dir", build, "--show-only=json-v1"],
            capture_output=True,
            text=True,
            check=True,
        )
        tests = json.loads(shown.stdout)["tests"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as error:
        runner.record(f"ctest list of build/{preset}", "failed", 0.0, str(error))
        return [], []
    gtests, others = [], []
    for test in tests:
        environment = baseEnvironment(runner, preset)
        for entry in test.get("properties", []):
            if entry["name"] == "ENVIRONMENT":
                environment.update(item.split("=", 1) for item in entry["value"])
        if "command" not in test:
            runner.record(f"{preset} {test['name']}", "failed", 0.0, "the binary was not built")
            continue
        row = (test["name"], test["command"], environment)
        (gtests if f"{build}/test/bin/" in test["command"][0] else others).append(row)
    if not gtests:
        runner.record(f"GoogleTest binaries of build/{preset}", "failed", 0.0, "there is none")
    return gtests, others


def readXml(runner, path, prefix):
    """Adds the cases of a JUnit-like file; returns how many, or None where the file is
    unreadable."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return None
    for case in cases:
        name = f"{prefix} {case.get('classname', '')}.{case.get('name', '')}"
        seconds = float(case.get("time", 0) or 0)
        skipped, failures = case.find("skipped"), case.findall("failure") + case.findall("error")
        if failures:
            detail = "\n".join((f.get("message") or "") + "\n" + (f.text or "") for f in failures)
            runner.record(name, "failed", seconds, detail)
        elif skipped is not None or case.get("status") == "notrun":
            reason = (
                (skipped.get("message") or skipped.text or "")
                if skipped is not None
                else "disabled"
            )
            runner.record(name, "skipped", seconds, " ".join(reason.split()))
        else:
            runner.record(name, "passed", seconds)
    return len(cases)


def runGtest(runner, prefix, command, environment, timeout=900):
    name = f"{prefix} {os.path.basename(command[0])}"
    if not runner.wanted(name):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.xml")
        status, output, seconds, left = execute(
            command + [f"--gtest_output=xml:{path}"], timeout, environment, folder, name
        )
        before = len(runner.results)
        count = readXml(runner, path, prefix)
    if count is None:
        # It crashed: what had passed until then counts, the test that was running is named.
        for passed in re.findall(r"^\[       OK \] (\S+)", output, re.M):
            runner.record(f"{prefix} {passed}", "passed", 0.0)
        running = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        runner.record(
            name,
            "failed",
            seconds,
            "\n".join(output.splitlines()[-40:])
            + f"\nin {running[-1] if running else 'start-up'}: {ending(status, timeout)}",
        )
    elif count == 0:
        runner.record(name, "failed", seconds, "it has no test")
    elif status != 0 and not any(r[1] == "failed" for r in runner.results[before:]):
        runner.record(
            f"{name} (at its end)", "failed", seconds, output + "\n" + ending(status, timeout)
        )
    if left:
        runner.record(f"{name} leaves nothing behind", "failed", seconds, f"still running: {left}")
    runner.say(f"{name}: {count if count is not None else 'crashed'} tests, {seconds:.1f} s")


def pytestGroups(runner):
    """The end-to-end tests: group → node ids; those of a group run one after the other, in one
    process."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "groups.json")
        status, output, seconds, _ = execute(
            [*PYTEST, "--collect-only", f"--groups={path}"],
            120,
            baseEnvironment(runner),
            pytestFolder(runner),
        )
        try:
            with open(path) as file:
                groups = json.load(file)
        except (OSError, ValueError):
            groups = {}
    if status != 0 or not groups:
        runner.record(
            "pytest collects test/run", "failed", seconds, output + "\n" + ending(status, 120)
        )
    return groups


PYTEST = ["pytest-3", "-q"]  # the distribution's, whatever other Python is first on the path


def pytestFolder(runner):
    return os.path.join(runner.root, "test/run")


def labelOf(kind, level):
    """How results of a kind of test begin: "pytest", or "x86-64-v3 pytest" for those that run as on
    a CPU of a level."""
    return f"{level} {kind}".strip()


def pytestName(node, level=""):
    """test_stop.py::test_resumed[shm] → pytest test_stop.test_resumed[shm], as readXml has it."""
    return labelOf("pytest", level) + " " + node.replace(".py::", ".", 1).replace("::", ".")


def runPytest(runner, group, nodes, timeout, level=""):
    label = labelOf("pytest", level)
    nodes = [node for node in nodes if runner.wanted(pytestName(node, level))]
    if not nodes:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.xml")
        environment = baseEnvironment(runner, level=level)
        status, output, seconds, left = execute(
            [*PYTEST, "-vv", f"--junitxml={path}", *nodes],
            timeout,
            environment,
            pytestFolder(runner),
            f"{label} {group}",
        )
        count = readXml(runner, path, label)
    names = {pytestName(node, level) for node in nodes}
    failed = any(name in names and outcome == "failed" for name, outcome, _, _ in runner.results)
    if count is None:  # it was ended: what had passed until then counts
        for node in re.findall(r"^(\S+) PASSED", output, re.M):
            runner.record(pytestName(node, level), "passed", 0.0)
    if count is None or count < len(nodes) or (status != 0 and not failed):
        runner.record(
            f"{label} {group}",
            "failed",
            seconds,
            f"{count or 0} of {len(nodes)} tests have a result\n{output}\n{ending(status, timeout)}",
        )
    if left:
        runner.record(
            f"{label} {group} leaves nothing behind", "failed", seconds, f"still running: {left}"
        )
    runner.say(f"{label} {group}: {len(nodes)} tests, {seconds:.1f} s")


def litName(file, level=""):
    """tools/graphc/budget.test → lit graphc.tools/graphc.budget.test, as readXml has it."""
    folder, name = os.path.split(file)
    return f"{labelOf('lit', level)} graphc{'.' * bool(folder)}{folder}.{name}"


def runLit(runner, build, jobs, pattern="", level=""):
    """The tests of lit whose file's path below test/ matches the regular expression `pattern`."""
    label = labelOf("lit", level)
    environment = baseEnvironment(runner, level=level)
    # Outputs of a level are apart from those of the other tests, which may run at the same time.
    lit = [
        "/usr/lib/llvm-22/bin/lit",
        f"--param=build={build}",
        *([f"--param=level={level}"] if level else []),
    ]
    status, shown, seconds, _ = execute([*lit, "--show-tests", "test"], 120, environment)
    files = [
        file for file in re.findall(r"^ *graphc :: (\S+)$", shown, re.M) if re.search(pattern, file)
    ]
    if status != 0 or not files:
        runner.record(f"{label} finds tests", "failed", seconds, f"{shown}\n{ending(status, 120)}")
    chosen = [f"test/{file}" for file in files if runner.wanted(litName(file, level))]
    if not chosen:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lit.xml")
        status, output, seconds, left = execute(
            [*lit, "-sv", f"-j{jobs}", f"--xunit-xml-output={path}", *chosen],
            1800,
            environment,
            label=label,
        )
        count = readXml(runner, path, label)
    if left:
        runner.record(f"{label} leaves nothing behind", "failed", seconds, f"still running: {left}")
    if count != len(chosen):
        runner.record(
            label,
            "failed",
            seconds,
            f"{ending(status, 1800)}; {count or 0} of {len(chosen)} tests have a result\n{output}",
        )
    elif status != 0 and not any(
        r[0].startswith(f"{label} ") and r[1] == "failed" for r in runner.results
    ):
        runner.record(label, "failed", seconds, output)
    runner.say(f"{label}: {count or 0} tests, {seconds:.1f} s")


def runScript(runner, command, timeout, name=None, environment=None):
    command = [os.path.join(runner.root, command)] if isinstance(command, str) else command
    name = name or f"sh {os.path.relpath(command[0], runner.root)}"
    if not runner.wanted(name):
        return
    status, output, seconds, left = execute(
        command, timeout, environment or baseEnvironment(runner), runner.root, name
    )
    last = (output.strip().splitlines() or [""])[-1]
    if status == 77:
        runner.record(name, "skipped", seconds, last)
    elif status != 0:
        runner.record(name, "failed", seconds, output + "\n" + ending(status, timeout))
    elif left:
        runner.record(name, "failed", seconds, f"still running after its end: {left}")
    else:
        runner.record(name, "passed", seconds)
    runner.say(f"{name}: {runner.results[-1][1]}, {seconds:.1f} s")


def fuzzTargets(root):
    folder = os.path.join(root, "build/asan/test/fuzz")
    # CMake keeps its own files there as well.
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.startswith("fuzz_")]


def runFuzz(runner, target, seconds):
    """From seed 1, so that what a run finds is of the change that it judges; with --long from one
    that libFuzzer draws and prints."""
    name = f"fuzz {os.path.basename(target)}"
    if not runner.wanted(name):
        return
    seeds = os.path.join(runner.root, "build/fuzz-seeds", os.path.basename(target))
    if not os.path.isdir(seeds) or not os.listdir(seeds):
        runner.record(
            name,
            "failed",
            0.0,
            f"no seeds in {os.path.relpath(seeds, runner.root)}; test/ci/fuzz_seeds.sh makes them",
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        status, output, took, _ = execute(
            [
                target,
                f"-max_total_time={seconds}",
                f"-seed={0 if runner.long else 1}",
                "-timeout=10",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                f"-artifact_prefix={folder}/",
                folder,
                seeds,
            ],
            seconds + 120,
            baseEnvironment(runner, "asan"),
            label=name,
        )
        coverage = re.findall(r"cov: (\d+) ft: (\d+)", output)
        runs = re.search(r"number_of_executed_units: (\d+)", output)
        detail = output
        if status != 0:  # the input that broke it, small ones in full
            for artifact in sorted(os.listdir(folder)):
                if artifact.startswith(("crash-", "timeout-", "oom-", "leak-")):
                    with open(os.path.join(folder, artifact), "rb") as file:
                        detail += f"\n{artifact}: {file.read(400).hex()}"
    if status == 0 and runs and int(runs.group(1)) == 0:
        status, detail = 1, "it ran no input"
    if status == 0 and not coverage:
        status, detail = 1, "it printed no coverage: built without -fsanitize=fuzzer?\n" + output
    runner.record(
        name,
        "passed" if status == 0 else "failed",
        took,
        detail + "\n" + ending(status, seconds + 120),
    )
    if coverage:
        runner.say(
            f"{name}: coverage {coverage[-1][0]} edges, {coverage[-1][1]} features, {runs.group(1) if runs else '?'} inputs"
        )
