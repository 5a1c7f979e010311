"""The folder in which one test works: plans, runs, and what must be true after it."""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from process import DEATH, END, TRAINS, Process, Text, endAll, living, until

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODELS = HERE / "models"
BUILD = Path(os.environ.get("GRAPHC_BUILD", ROOT / "build/release")).resolve()
LONG = bool(os.environ.get("GRAPHC_LONG"))
FOREVER = 100000000  # steps of a run that something else ends
LOST = 138  # the exit status where another task was lost: the run may be started again
MLP = MODELS / "mlp.mlir"


def asFlags(task):
    """Of the task "worker-1"."""
    job, index = task.split("-")
    return ["--job_name", job, "--task_index", index]


def asName(task):
    job, index = task.split("-")
    return f"/job:{job}/task:{index}"


def servers(workers, ps, update="sync", **settings):
    """The cluster of a strategy parameter_server."""
    return {
        "worker": workers,
        "ps": ps,
        "strategy": {"name": "parameter_server", "update": update, **settings},
    }


class Plan(str):
    """A plan's file name; .err has what graphc said of it."""


class Box:
    # (model, cluster, flags, environment) → plan and what graphc said: the same in every test, byte
    # for byte (test/tools/graphc/same-plans.test)
    compiled = {}
    references = {}  # (model's text, micro-batches, arguments) → variables

    def __init__(self, name):
        self.folder = Path(tempfile.mkdtemp(prefix=f"graphc-{name[:24]}-"))
        for inner in ("tmp", "state", "said"):
            (self.folder / inner).mkdir()
        # Plans have no machine code of a toolkit that happens to be here.
        self.environment = {
            **os.environ,
            "XDG_STATE_HOME": str(self.folder / "state"),
            "TMPDIR": str(self.folder / "tmp"),
            "CUDA_HOME": "",
        }
        self.environment.pop("TF_CONFIG", None)
        self.processes = []
        self.kept = False  # a test that has this folder has failed

    def withSim(self):
        """From now on graphc and graphrun are those that know the simulated device."""
        self.environment["PATH"] = os.pathsep.join([str(BUILD / "sim"), self.environment["PATH"]])

    def copied(self, model):
        """The model with its micro-batches written out: something is wanted of the first alone, and
        has no sums."""
        text, wanted = (
            model.read_text(),
            '  %first = graph.convert %loss : (tensor<f32>) -> tensor<bf16>\n  graph.summary "first", %first {reduction = "first_replica"} : tensor<bf16>\n',
        )
        assert text.count("  graph.return %loss") == 1
        return self.write(
            "copied.mlir", text.replace("  graph.return %loss", wanted + "  graph.return %loss")
        )

    def withFakeCuda(self, gpus=1):
        """From now on each machine has so many GPUs, by a driver that runs PTX on the CPU."""
        self.environment["LD_LIBRARY_PATH"] = str(BUILD / "test/cuda")
        self.environment["GRAPHC_FAKE_GPUS"] = str(gpus)

    def __truediv__(self, name):
        return self.folder / name

    def write(self, name, text):
        """As a whole or not at all: a run may be reading what stands there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(path.name + ".new")
        (beside.write_bytes if isinstance(text, bytes) else beside.write_text)(
            text if isinstance(text, (bytes, str)) else json.dumps(text)
        )
        beside.rename(path)
        return path

    def json(self, name):
        return json.loads((self.folder / name).read_text())

    def file(self, name):
        """A file's text, for patterns."""
        return Text(self.folder / name, name)

    # Processes.

    def start(self, *command, name=None, env=None, cwd=None, **streams):
        """In the background."""
        number = len(self.processes)
        name = name or Path(str(command[0])).name
        process = Process(
            command,
            self.folder / "said" / f"{number}-{name.replace('/', '.')}",
            name,
            cwd=self.folder / (cwd or "."),
            env={**self.environment, **(env or {})},
            **streams,
        )
        self.processes.append(process)
        return process

    def run(self, *command, status=0, seconds=END, **how):
        """To its end, with this exit status."""
        __tracebackhide__ = True
        return self.start(*command, **how).ends(status, seconds)

    def launch(self, *arguments, **how):
        return self.start("graphrun", *arguments, **how)

    def trains(self, *arguments, **how):
        """A run that makes steps by now, until something else ends it."""
        __tracebackhide__ = True
        run = self.launch(*arguments, "--steps", FOREVER, **how)
        run.err.waitFor(TRAINS)
        return run

    def task(self, name, *arguments, **how):
        """One by hand: "worker-1"."""
        return self.launch(*arguments, *asFlags(name), **{"name": name, **how})

    def graphrun(self, *arguments, **how):
        __tracebackhide__ = True
        return self.run("graphrun", *arguments, **how)

    def graphc(self, *arguments, **how):
        __tracebackhide__ = True
        return self.run("graphc", *arguments, **how)

    def refused(self, pattern, *arguments, status=2, **how):
        """graphrun does not run: exit status, words, and one line of them."""
        __tracebackhide__ = True
        process = self.graphrun(*arguments, status=status, **how)
        process.expect(pattern)
        process.oneError()
        return process

    def preload(self, name, source):
        """The environment in which a library of this C comes before the others."""
        __tracebackhide__ = True
        self.write(f"{name}.c", source)
        self.run(
            os.environ.get("CC", "clang-22"),
            "-O1",
            "-shared",
            "-fPIC",
            "-w",
            "-o",
            f"{name}.so",
            f"{name}.c",
            "-ldl",
        )
        return {"LD_PRELOAD": str(self.folder / f"{name}.so")}

    @property
    def last(self):
        """The process that was started last."""
        return self.processes[-1]

    # Plans.

    def compile(self, name, cluster, model=MLP, flags=()):
        """NAME.json and NAME.plan of a cluster: {"worker": 2, "strategy": …}."""
        __tracebackhide__ = True
        path = self.folder / model
        self.write(f"{name}.json", cluster)
        key = (
            str(path) if path.is_relative_to(ROOT) else (path.name, path.read_text()),
            json.dumps(cluster),
            tuple(flags),
            tuple(sorted(self.compilerEnvironment().items())),
        )
        if key not in Box.compiled:
            done = self.graphc(
                "--partition",
                f"{name}.json",
                path,
                *flags,
                "-o",
                f"{name}.plan",
                name=f"graphc-{name}",
            )
            Box.compiled[key] = (self.folder / f"{name}.plan").read_bytes(), done.err.text(), name
        data, said, first = Box.compiled[key]
        # What graphc says names both files; the plan names neither.
        names = rf"\b{re.escape(first)}\.(json|plan)\b"
        said = re.sub(names, lambda found: f"{name}.{found[1]}", said)
        self.write(f"{name}.plan", data)
        plan = Plan(f"{name}.plan")
        plan.err = Text(said, f"graphc of {name}")
        return plan

    def compilerEnvironment(self):
        """What a plan may depend on: which graphc, its libraries, and what it has measured."""
        return {
            name: value
            for name, value in self.environment.items()
            if name in ("CUDA_HOME", "HOME", "LD_LIBRARY_PATH", "PATH", "XDG_CACHE_HOME")
            or (name.startswith("GRAPHC_") and name != "GRAPHC_SIM_SEED")
        }

    def mlp(self, units):
        """The name of models/mlp.mlir with so many units between, which are 64 there."""
        return self.write(
            f"mlp-{units}.mlir",
            MLP.read_text().replace("x64x", f"x{units}x").replace("<64x", f"<{units}x"),
        ).name

    def servers(self, name, workers, ps, update="sync", model=MLP, **settings):
        __tracebackhide__ = True
        return self.compile(name, servers(workers, ps, update, **settings), model)

    def oneDevice(self, name, microBatches, model=MLP):
        __tracebackhide__ = True
        return self.compile(
            name,
            {"worker": 1, "strategy": {"name": "one_device", "micro_batches": microBatches}},
            model,
        )

    def show(self, name, what, cluster, model=MLP, flags=()):
        """What graphc --emit=… prints, for patterns; of a plan that was compiled before, with the
        same code objects in full."""
        __tracebackhide__ = True
        if what == "plan-text":
            plan = self.compile(name, cluster, model, flags)
            return self.run(BUILD / "test/bin/plan-text", plan).out
        self.write(f"{name}.json", cluster)
        return self.graphc(
            "--partition", f"{name}.json", self.folder / model, f"--emit={what}", *flags
        ).out

    # Runs and what they leave.

    def weights(self, plan, *arguments, to=None, **how):
        """Runs a plan to its end; the folder of its variables."""
        __tracebackhide__ = True
        to = to or f"weights-{len(self.processes)}"
        self.graphrun(plan, *arguments, "--dump_variables", to, **how)
        return self.folder / to

    def reference(self, microBatches, *arguments, model=MLP):
        """The variables that one device has after a run with so many micro-batches, and what it
        printed: made once."""
        __tracebackhide__ = True
        path = self.folder / model
        key = (
            str(path) if path.is_relative_to(ROOT) else path.read_text(),
            microBatches,
            tuple(map(str, arguments)),
        )
        name = f"one-{len(Box.references)}"
        if key not in Box.references:
            folder = self.weights(self.oneDevice(name, microBatches, model), *arguments, to=name)
            Box.references[key] = (
                name,
                {file.name: file.read_bytes() for file in folder.iterdir()},
                self.processes[-1].out.text(),
            )
        name, files, printed = Box.references[key]
        for file, data in files.items():
            self.write(f"{name}/{file}", data)
        return self.folder / name, Text(printed, "one device")

    def checkpoint(self, folder, there=None):
        """Waits for one there, whole (what is being written has another name), while there() says
        that somebody may write it: a process of the test."""
        __tracebackhide__ = True
        there = there or (lambda: any(p.running for p in self.processes))
        until(
            lambda: list((self.folder / folder).glob("step-*[0-9]/manifest.json")) or not there(),
            f"a checkpoint in {folder}",
        )
        if not list((self.folder / folder).glob("step-*[0-9]/manifest.json")):
            pytest.fail(f"all processes have ended without a checkpoint in {folder}")

    def dies(self, plan, task, *arguments, folder="ckpt"):
        """A task is killed while a plan trains with checkpoints; the run ends and names it."""
        __tracebackhide__ = True
        run = self.launch(
            plan,
            "--steps",
            FOREVER,
            "--checkpoint_dir",
            folder,
            "--save_checkpoint_steps",
            50,
            *arguments,
        )
        self.checkpoint(folder)
        self.killed(run, task)
        run.err.expect(f"--checkpoint_dir {folder}")
        return run

    def killed(self, run, task):
        """kill -9 of a task of this launcher: the run ends soon and names it, and nothing is
        left."""
        __tracebackhide__ = True
        os.kill(run.pidOf(task), 9)
        run.ends(LOST, DEATH)
        run.err.expect(
            rf"^graphrun: {asName(task)} \(process [0-9]+ on .*\) was killed by signal 9"
        )
        self.nothingLeft()

    def nothingLeft(self):
        """No process of this test (with it go its sockets and memory), no temporary file."""
        __tracebackhide__ = True
        until(
            lambda: not living(self.folder),
            lambda: f"all processes end, but there are {living(self.folder)}",
        )
        if left := os.listdir(self.folder / "tmp"):
            pytest.fail(f"files are left behind: {left}")

    def clearSockets(self):
        """Whoever is killed while it makes a socket leaves the folder around that, and maybe the
        socket (docs/open.md)."""
        for folder in (self.folder / "tmp").glob("graphc-??????"):
            for left in folder.iterdir():
                assert left.is_socket(), f"{left} is left behind"
                left.unlink()
            folder.rmdir()

    def close(self):
        """At the end: ends what runs. After tests that have passed nothing may; the folder of
        others is kept."""
        running = [process.name for process in self.processes if process.running]
        passed, self.kept = not self.kept, True
        try:
            if passed:
                assert not running, f"{running} still run at the end of the test"
                self.nothingLeft()
                self.kept = False
        finally:
            for process in self.processes:
                process.end()
            endAll(lambda: living(self.folder))
        if not self.kept:
            shutil.rmtree(self.folder)


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


def differences(one, other):
    """The files in which two folders differ."""
    one, other = files(one), files(other)
    return sorted(name for name in {**one, **other} if one.get(name) != other.get(name))


def same(one, other):
    """Two folders have the same files, one at least, byte for byte."""
    __tracebackhide__ = True
    if not files(one):
        pytest.fail(f"{one} has no file")
    if found := differences(one, other):
        pytest.fail(f"{Path(one).name} and {Path(other).name} differ in {found}")


def accuracy(said):
    """The line of the test's accuracy, digit by digit."""
    (line,) = said.matches("^test accuracy.*")
    return line


def steps(run):
    """With --fetch loss: steps printed so far, a line each."""
    return run.out.source.read_bytes().count(b"\n")


def goesOn(run, more, when=""):
    """It makes so many more."""
    __tracebackhide__ = True
    before = steps(run)
    until(lambda: steps(run) >= before + more, f"{more} more steps {when}")


def hasCpu(flag):
    """Whether code for CPUs with this flag of /proc/cpuinfo runs here. GRAPHC_MAX_CPU_ISA, which
    makes all tests run as on an older CPU, counts too."""
    newer = {
        "x86-64-v2": ("avx", "amx", "fma"),
        "x86-64-v3": ("avx512", "amx"),
        "x86-64-v4": ("amx",),
    }
    return flag in Path("/proc/cpuinfo").read_text().split() and not flag.startswith(
        newer.get(os.environ.get("GRAPHC_MAX_CPU_ISA"), ("none",))
    )


def delay(**microseconds):
    """The environment in which a worker's steps take longer: delay(worker0=3000)."""
    return {
        "GRAPHC_TEST_DELAY_US": ",".join(
            f"{task[:-1]}:{task[-1]}={n}" for task, n in microseconds.items()
        )
    }


def tls(task, folder="certs"):
    """The flags of a task, "ps-0", whose files `graphrun certs` has made."""
    return [
        "--tls_cert",
        f"{folder}/{task}.crt",
        "--tls_key",
        f"{folder}/{task}.key",
        "--tls_ca",
        f"{folder}/ca.crt",
    ]


def apart(workers):
    """Addresses of workers on hosts of their own: what graphc compiles for several hosts. graphrun
    starts all here, for it sees none."""
    return [f"host{i}:2222" for i in range(1, workers + 1)]


def hosts(number, each):
    """The same of so many workers in a row on each of so many hosts."""
    return [f"host{i}:{port}" for i in range(1, number + 1) for port in range(2222, 2222 + each)]
