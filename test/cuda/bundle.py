"""The plans of a bundle (bundle.sh), the bits that a CPU gives, and cases.json, which device.sh
goes by.

usage: bundle.py OUT --tree NAME --glibc VERSION
"""

import argparse
import concurrent.futures
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "test/run"), os.path.join(ROOT, "test/run/values"), HERE]

import check as values  # noqa: E402
import models  # noqa: E402
from random_graphs import STEPS, Graph  # noqa: E402
from strategies import FILES, ROWS, clusterOf, nameOf  # noqa: E402

ON_GPU = {"worker": 1, "devices": {"worker": ["GPU:0"]}, "strategy": "one_device"}
LARGEST_FILE = 1 << 18  # of expected bits; of larger ones the digest is kept


def run(*command, **environment):
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}
    )
    if done.returncode:
        sys.exit(
            f"bundle.py: {' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}"
        )
    return done.stdout


class Bundle:
    def __init__(self, out, small, scratch):
        self.out, self.small, self.scratch = out, small, scratch
        self.sources = {}  # plan → what graphc made it of
        self.cases = {"checks": [], "time": [], "memory": []}
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.work = []
        for folder in "plans", "expected", "data":
            os.makedirs(os.path.join(out, folder))

    def write(self, name, text):
        path = os.path.join(self.scratch, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def compile(self, name, model, cluster, machineCode=False):
        """The path of a plan, made beside others; a model is its path. On another machine, so not
        for the CPU at hand. Most leave it to the driver to compile their PTX: machine code of three
        architectures is large."""
        plan = f"plans/{name}.plan"
        self.sources[plan] = [
            "--target_cpu=x86-64-v3",
            "--partition",
            self.write(f"{name}.json", json.dumps(cluster)),
            model,
        ]
        environment = {} if machineCode else {"CUDA_HOME": ""}
        self.work.append(self.pool.submit(self.pack, plan, environment))
        return plan

    def pack(self, plan, environment):
        """Compiles it, and keeps it packed: PTX and machine code shrink to a fifth."""
        path = os.path.join(self.out, plan)
        run("graphc", *self.sources[plan], "-o", path, **environment)
        with (
            open(path, "rb") as file,
            open(f"{path}.gz", "wb") as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed,
        ):
            shutil.copyfileobj(file, packed)
        os.remove(path)

    def expect(self, name, model, arguments, strategy="one_device"):
        """The variables that a CPU has after the run, in a folder of expected/."""

        def make():
            plan, made, folder = (
                os.path.join(self.scratch, f"{name}.cpu{end}") for end in (".plan", "", ".expected")
            )
            run(
                "graphc",
                "--strategy",
                json.dumps(strategy) if isinstance(strategy, dict) else strategy,
                model,
                "-o",
                plan,
            )
            run("graphrun", plan, *arguments, "--dump_variables", made)
            os.makedirs(folder)
            for file in os.listdir(made):
                source = os.path.join(made, file)
                if os.path.getsize(source) <= LARGEST_FILE:
                    shutil.copy(source, folder)
                    continue
                with (
                    open(source, "rb") as data,
                    open(os.path.join(folder, f"{file}.sha256"), "w") as digest,
                ):
                    digest.write(hashlib.sha256(data.read()).hexdigest())
            shutil.move(folder, os.path.join(self.out, "expected", name))

        self.work.append(self.pool.submit(make))
        return f"expected/{name}"

    def check(self, name, model, cluster, arguments, machineCode=False, **more):
        self.cases["checks"].append(
            {
                "name": name,
                "plan": self.compile(name.replace(" ", "-"), model, cluster, machineCode),
                "arguments": arguments,
                **more,
            }
        )

    def finish(self, made):
        for each in self.work:
            each.result()
        for case in self.cases["memory"]:
            case["bytes"] = self.planned(case["plan"])
        with open(os.path.join(self.out, "cases.json"), "w") as file:
            json.dump({"made": made, **self.cases}, file, indent=1)

    def planned(self, plan):
        """Bytes of the GPU's memory that a plan of one task takes, as graphc's table has them."""
        header, *rows = (
            re.split(r" {2,}", line.strip())
            for line in run("graphc", *self.sources[plan], "--emit=table").splitlines()
        )
        return next(int(row[header.index("memory")]) for row in rows if "device:GPU:0" in row[0])

    # What is checked.

    def ops(self):
        """Every op, special values among the inputs: the models of test/run/values. Once more with
        machine code, where it can be had here."""
        home = os.environ.get("CUDA_HOME")
        ptxas = home != "" and shutil.which("ptxas", path=home and os.path.join(home, "bin"))
        if not ptxas:
            print(
                "bundle.py: no ptxas here (CUDA_HOME, PATH), so no plan has machine code",
                file=sys.stderr,
            )
        for element, make in (
            ("f32", values.floatCases),
            ("f64", values.floatCases),
            ("i32", values.integerCases),
            ("i64", values.integerCases),
            ("i1", values.truthCases),
        ):
            name, arguments = f"ops {element}", ["--steps", "1"]
            # A large convolution and attention of f32 are a library's on a CPU: other bits than the
            # loops of a GPU.
            cases = [
                case
                for case in make(element)
                if element != "f32" or not re.search("convolution.*_large|attention", case.name)
            ]
            if self.small:  # all of them are compared on the tests' driver by test/run/values
                cases = [
                    case for at, case in enumerate(cases) if at % 5 == 0 or case.name == "divide"
                ]
            model = self.write(f"ops-{element}.mlir", values.model(cases, False))
            expected = self.expect(f"ops-{element}", model, arguments)
            self.check(
                name,
                model,
                ON_GPU,
                arguments,
                expected=expected,
                core=True,
                sanitize=element in ("f32", "i64"),
            )
            if ptxas and element in ("f32", "f64"):
                self.check(
                    f"{name} as machine code",
                    model,
                    ON_GPU,
                    arguments,
                    expected=expected,
                    machineCode=True,
                )

    def sums(self):
        """Sums, softmax and elementwise work of the size for which GPUs are made, over rows,
        columns and all."""
        rows, columns = (24, 40) if self.small else (8192, 1024)
        arguments = ["--steps", "2"]
        model = self.write("sums.mlir", models.sums(rows, columns))
        self.check(
            "sums",
            model,
            ON_GPU,
            arguments,
            expected=self.expect("sums", model, arguments),
            core=True,
            large=not self.small,
        )

    def randomGraphs(self):
        for seed in range(30001, 30003 if self.small else 30031):
            graph = Graph(seed, library=False)
            model = self.write(f"random-{seed}.mlir", graph.render(lambda: ""))
            strategy, arguments = {"name": "one_device", **graph.strategy}, ["--steps", str(STEPS)]
            self.check(
                f"random graph {seed}",
                model,
                {**ON_GPU, "strategy": strategy},
                arguments,
                expected=self.expect(f"random-{seed}", model, arguments, strategy),
            )

    def loops(self):
        """Micro-batches, of which all but the last are a loop: leaves of several, and one each."""
        model, arguments = os.path.join(ROOT, "test/run/models/squares.mlir"), ["--steps", "6"]
        for count, leaves in ((6, 2),) if self.small else ((6, 2), (8, 8), (48, 16)):
            strategy = {"name": "one_device", "micro_batches": count, "sum_leaves": leaves}
            self.check(
                f"loop of {count}",
                model,
                {**ON_GPU, "strategy": strategy},
                arguments,
                expected=self.expect(f"loop-{count}", model, arguments, strategy),
                core=True,
                sanitize=count == 6,
            )

    def strategies(self):
        """Every row that a GPU takes, all tasks on the one that there is."""
        ones, arguments = set(), ["--steps", "20"]

        def one(model, replicas):
            name = f"one GPU {model} {replicas}"
            if name not in ones:
                ones.add(name)
                strategy = {"name": "one_device", "micro_batches": replicas}
                more = (
                    {
                        "expected": self.expect(
                            f"one-{model}-{replicas}", FILES[model], arguments, strategy
                        ),
                        "core": True,
                    }
                    if model == "linear-regression"
                    else {}
                )
                self.check(
                    name,
                    FILES[model],
                    {**ON_GPU, "strategy": strategy},
                    arguments,
                    sanitize=bool(more) and replicas == 1,
                    repeat=(model, replicas) == ("linear-regression" if self.small else "mlp", 1),
                    **more,
                )
            return name

        one("linear-regression", 1)
        if not self.small:
            one("mlp", 1)
        for row in ROWS.values():
            if "gpu" in row.get("notOn", {}) or (
                self.small and row["name"] not in ("ps-sync", "in-graph")
            ):
                continue
            for model in (
                ("linear-regression",) if self.small else ("linear-regression", "mlp", "bottleneck")
            ):
                for onHost in [(), ("ps",)] if "ps" in row["clusters"][0] else [()]:
                    cluster = row["clusters"][-1]
                    devices = {job: ["CPU:0" if job in onHost else "GPU:0"] for job in cluster}
                    name = f"{row['name']} {model} {nameOf(cluster)}" + "".join(
                        f" {job} on CPU" for job in onHost
                    )
                    replicas = row.get("replicas", 1)
                    config = clusterOf({**row, "devices": devices}, model, cluster)
                    if "inexact" in row:  # the same in every run
                        self.check(name, FILES[model], config, arguments)
                        self.check(f"{name} again", FILES[model], config, arguments, same_as=name)
                    else:
                        reference = one(
                            model, cluster[replicas] if isinstance(replicas, str) else replicas
                        )
                        self.check(
                            name,
                            FILES[model],
                            config,
                            arguments,
                            same_as=reference,
                            repeat=(row["name"], model, onHost) == ("ps-sync", "mlp", ()),
                        )

    def examples(self, data):
        for name, job in (("distributed-matmul", "ps"), ("in-graph-matmul", "worker")):
            model = os.path.join(ROOT, "examples", name, "model.mlir")
            with open(os.path.join(ROOT, "examples", name, "cluster.json")) as file:
                cluster = json.load(file)
            arguments = ["--steps", "5"]
            cluster = {
                **cluster,
                "devices": {"ps": ["GPU:0"], "worker": ["GPU:0"]}
                if job == "ps"
                else {"worker": ["GPU:0"]},
            }
            self.check(
                f"example {name}",
                model,
                cluster,
                arguments,
                expected=self.expect(name, model, arguments),
            )
        model, cluster = (
            FILES["fashion-mnist"],
            {
                "ps": 1,
                "worker": 2,
                "devices": {"ps": ["GPU:0"], "worker": ["GPU:0"]},
                "strategy": "parameter_server",
            },
        )
        idx(os.path.join(self.out, "data"), data)
        arguments = ["--data_dir", "@DATA@", *(["--epochs", "5"] if data else ["--steps", "8"])]
        promised = {"says": ["test accuracy 0.8"]} if data else {"says": ["test accuracy"]}
        if not self.small:
            self.check("example fashion-mnist", model, cluster, arguments, large=True, **promised)
            self.check(
                "example fashion-mnist again",
                model,
                cluster,
                arguments,
                large=True,
                same_as="example fashion-mnist",
            )

    # What is timed, with what the peers need to do the same.

    def times(self):
        def case(name, kind, text, precision="ieee", core=False, memory=False, **more):
            key = name.replace(" ", "-").replace(",", "")
            model = self.write(f"time-{key}.mlir", text)
            made = {
                "name": name,
                "kind": kind,
                "precision": precision,
                "core": core,
                "arguments": [],
                "plan": self.compile(f"time-{key}", model, ON_GPU, machineCode=True),
                **more,
            }
            self.cases["time"].append(made)
            if memory:
                self.cases["memory"].append(
                    {
                        "name": name,
                        "plan": made["plan"],
                        "arguments": ["--steps", memory],
                        "large": made["flops"] > 1e6,
                    }
                )

        with open(os.path.join(ROOT, "test/bench/models/null.mlir")) as file:
            case(
                "null",
                "null",
                file.read(),
                core=True,
                memory="5" if self.small else "20000",
                flops=0,
            )
        layers, batch = ([8, 16, 4], 4) if self.small else ([784, 512, 10], 128)
        for name, fed in (("mlp", True), ("mlp, data there", False)):
            case(
                name,
                "mlp",
                models.perceptron(layers, batch, fed),
                core=True,
                memory=fed and ("5" if self.small else "2000"),
                layers=layers,
                batch=batch,
                fed=fed,
                flops=models.flops(layers, batch),
            )
        precisions = models.PRECISIONS
        wide = (
            ()
            if self.small
            else (
                (([784, 2048, 2048, 10], 256), ("ieee",)),
                (([1024, 4096, 4096, 10], 512), precisions),
            )
        )
        for (layers, batch), chosen in wide:
            for precision in chosen:
                name = f"perceptron {'-'.join(map(str, layers))} b{batch}" + (
                    "" if precision == "ieee" else f" {precision}"
                )
                case(
                    name,
                    "mlp",
                    models.perceptron(layers, batch, False, precision),
                    precision,
                    memory="30" if precision == "ieee" else False,
                    layers=layers,
                    batch=batch,
                    fed=False,
                    flops=models.flops(layers, batch),
                )
        for n in (16,) if self.small else (1024, 4096, 8192):
            for precision in precisions:
                case(
                    f"matmul {n} {precision}",
                    "matmul",
                    models.product(n, precision),
                    precision,
                    n=n,
                    flops=2 * n**3,
                    memory=n == 8192 and precision == "ieee" and "5",
                )


def idx(folder, data):
    """The files of Fashion-MNIST, or some of that form: noise, of which nothing can be learned."""
    pick = random.Random(7)
    for name, count in (("train", 1024), ("t10k", 200)):
        for kind, head, size, least in (
            ("images-idx3", struct.pack(">4I", 0x803, count, 28, 28), 784, 256),
            ("labels-idx1", struct.pack(">2I", 0x801, count), 1, 10),
        ):
            file = f"{name}-{kind}-ubyte.gz"
            if data:
                shutil.copy(os.path.join(data, file), folder)
                continue
            with (
                open(os.path.join(folder, file), "wb") as raw,
                gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out,
            ):
                out.write(head + bytes(pick.randrange(least) for _ in range(count * size)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--tree", required=True)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--data")
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bundle = Bundle(arguments.out, arguments.small, scratch)
        bundle.ops()
        bundle.sums()
        bundle.loops()
        bundle.strategies()
        bundle.examples(arguments.data)
        bundle.randomGraphs()
        bundle.times()
        bundle.cases["equal_runs"] = 3 if arguments.small else 100
        bundle.finish({"tree": arguments.tree, "glibc": arguments.glibc})


if __name__ == "__main__":
    main()
