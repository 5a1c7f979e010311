"""Random small graphs under random placements give the bits of one device.

usage: random_graphs.py FOLDER [--graphs N] [--seed S] [--only INDEX] [--gpu]
Each graph: a few variables, 8 to 20 ops of mixed shapes and types, assigns, and for half of them a
loss that is minimised. The placed copy puts every op and variable on a random one of two or three
tasks (strategy in_graph), the other names no device and is compiled for one; some take several
micro-batches of data a step, with a sum of a random shape, which the placed copy often writes out
and one device computes in a loop where there are many: 50 graphs or more have one with a loop.
After three steps every variable of both must have the same bytes; and so must those of two towers
where the sum's shape fits two, of which some have loops that send to each other. With --gpu the
graph without devices runs on a GPU instead, and must have the CPU's bits, but of products that a
library makes there, which it leaves out; a NaN is a NaN there, whatever its bits. A failing graph
stays in FOLDER.
"""

import argparse
import array
import filecmp
import json
import os
import random
import re
import struct
import subprocess
import sys

from random_network_ops import NETWORK_OPS
from random_ops import FLOATS, INTEGERS, NARROW, OPS, REALS, dense, text

STEPS = 3
GRAPHS = {"CPU": 30, "GPU": 25}  # of an ordinary run, from each seed on
LOOPS, TOWERS = 30, 50  # so many graphs have a loop among them, so many one of two towers


def seeds(kind, graphs):
    """The first of each row of graphs that are tried."""
    return [1, 1 + graphs, 10001, 10001 + graphs] if kind == "CPU" else [20001]


class Graph:
    """Lines with a marker where a device goes; render() fills it in."""

    DEVICE = "@DEVICE@"

    def __init__(self, seed, library=True):
        """library: with products that are the CPU's library's."""
        self.library = library
        self.random = random.Random(seed)
        # Of some a step has several micro-batches, which one device computes in a loop and several
        # each for itself.
        micro = random.Random(seed + 2000000)
        leaves = micro.choice((1, 2, 3, 4, 5, 6, 8))
        self.strategy = (
            {
                "micro_batches": leaves
                * micro.choice((1, 2, 3, 5, 9) if library else (1, 2, 3, 5)),
                "sum_leaves": leaves,
            }
            if micro.random() < 0.4
            else {}
        )
        self.top, self.body, self.values, self.variables = [], [], [], []
        self.build()

    def pick(self, wanted=lambda shape, element: True):
        found = [v for v in self.values if wanted(v[1], v[2])]
        return self.random.choice(found) if found else None

    def emit(self, op, shape, element, types=None):
        name = f"%v{len(self.values)}"
        types = types or text(shape, element)
        # A constant: its attributes stand behind the type, which belongs to the value.
        constant = op.startswith("constant")
        self.body.append(
            f"{name} = graph.{op} : {types} {{{self.DEVICE}}}"
            if constant
            else f"{name} = graph.{op} {{{self.DEVICE}}} : {types}"
        )
        self.values.append((name, tuple(shape), element))
        return self.values[-1]

    def emitSeveral(self, op, operands, results):
        """An op of several results, each (shape, element); the first."""
        names = [f"%v{len(self.values) + i}" for i in range(len(results))]
        types = [", ".join(text(*v[-2:]) for v in values) for values in (operands, results)]
        self.body.append(
            f"{', '.join(names)} = graph.{op} {{{self.DEVICE}}} : ({types[0]}) -> ({types[1]})"
        )
        self.values += [
            (name, tuple(shape), element) for name, (shape, element) in zip(names, results)
        ]
        return self.values[-len(results)]

    def shape(self):
        return tuple(
            self.random.choice((1, 2, 3, 5, 8, 17))
            for _ in range(self.random.choice((0, 1, 1, 2, 2, 2, 3)))
        )

    def number(self, element):
        if element in REALS:
            return f"{self.random.uniform(-2, 2):.3f}"
        return str(self.random.randint(0 if element in ("ui8", "ui32") else -3, 3))

    def variable(self, element, shape, trainable):
        name = f"@var{len(self.variables)}"
        if element in FLOATS and self.random.random() < 0.7:
            start = f"#graph.uniform<low = -1.0, high = 1.0, seed = {self.random.randint(1, 99)}>"
        else:
            start = f"#graph.value<dense<{self.number(element)}> : {text(shape, element)}>"
        flags = "" if trainable else "trainable = false, " + self.aggregation(element)
        self.top.append(
            f"graph.variable {name} : {text(shape, element)} = {start} {{{flags}{self.DEVICE}}}"
        )
        self.variables.append((name, shape, element, trainable))
        self.emit(f"read {name}", shape, element)

    def aggregation(self, element):
        """What an assignment means where several micro-batches make a value each."""
        if not self.strategy:
            return ""
        return (
            'aggregation = "sum", '
            if element in FLOATS + INTEGERS
            else 'aggregation = "first_replica", '
        )

    def build(self):
        pick = self.random
        if self.strategy:
            for i, element in enumerate(FLOATS):
                sample, batch = self.shape(), pick.choice((1, 2, 5))
                self.top.append(
                    f"graph.dataset @data{i} : ({text(sample, element)}) = #graph.synthetic<samples = 97, seed = {pick.randint(1, 99)}>"
                )
                self.emit(f"next_batch @data{i}", (batch, *sample), element)
                self.body[-1] = self.body[-1].replace("{", "{batch = %d, " % batch, 1)
        for _ in range(pick.randint(2, 3)):
            self.variable(pick.choice(FLOATS), self.shape(), True)
        for _ in range(pick.randint(1, 2)):
            self.variable(
                pick.choice(INTEGERS + FLOATS + INTEGERS + FLOATS + NARROW), self.shape(), False
            )
        made, tries = 0, 0
        wanted = pick.randint(8, 20)
        while made < wanted and tries < 200:
            tries += 1
            op = pick.choice(NETWORK_OPS if pick.random() < 0.3 else OPS)
            made += bool((self.library or op != dense) and op(self))
        for name, shape, element, trainable in self.variables:
            value = None if trainable else self.pick(lambda s, e: (s, e) == (shape, element))
            if value:
                self.body.append(
                    f"graph.assign {name}, {value[0]} {{{self.DEVICE}}} : {text(shape, element)}"
                )
        self.sinks()
        if pick.random() < 0.5:
            self.minimise()

    def sinks(self):
        """Values that nothing reads are kept alive, and compared, by variables of their own."""
        used = "\n".join(line.split("=", 1)[-1] for line in self.body) + " "
        for name, shape, element in list(self.values):
            if f"{name} " not in used and f"{name}," not in used:
                # What has no sum is a loop's in the first micro-batch alone.
                if self.strategy and element in NARROW and self.random.random() < 0.9:
                    wide = "f32" if element == "bf16" else "i64"
                    name, _, element = self.emit(
                        f"convert {name}",
                        shape,
                        wide,
                        f"({text(shape, element)}) -> {text(shape, wide)}",
                    )
                sink = f"@sink{len(self.top)}"
                self.top.append(
                    f"graph.variable {sink} : {text(shape, element)} = #graph.zeros {{trainable = false, {self.aggregation(element)}{self.DEVICE}}}"
                )
                self.body.append(
                    f"graph.assign {sink}, {name} {{{self.DEVICE}}} : {text(shape, element)}"
                )

    def minimise(self):
        element = self.random.choice([e for _, _, e, trainable in self.variables if trainable])
        terms = [v for v in self.values if v[2] == element and v[0] in self.readsOfTrainable()]
        other = self.pick(lambda s, e: e == element)
        loss = None
        for value in terms + [other]:
            bounded = self.emit(f"tanh {value[0]}", value[1], element)
            if bounded[1]:
                dims = ", ".join(map(str, range(len(bounded[1]))))
                bounded = self.emit(
                    f"reduce_mean {bounded[0]} dimensions = [{dims}]",
                    (),
                    element,
                    f"({text(bounded[1], element)}) -> {text((), element)}",
                )
            loss = (
                bounded if loss is None else self.emit(f"add {loss[0]}, {bounded[0]}", (), element)
            )
        names = ", ".join(n for n, _, e, trainable in self.variables if trainable and e == element)
        optimizer = self.random.choice(
            (
                "#graph.sgd<learning_rate = 0.1>",
                "#graph.momentum<learning_rate = 0.1, momentum = 0.9>",
            )
        )
        self.body.append(
            f"graph.minimize {loss[0]} {{optimizer = {optimizer}, variables = [{names}]}} : {text((), element)}"
        )

    def readsOfTrainable(self):
        trainable = {name for name, _, _, t in self.variables if t}
        return {
            line.split(" = ")[0]
            for line in self.body
            if " = graph.read " in line and line.split("graph.read ")[1].split()[0] in trainable
        }

    def render(self, device):
        """`device`: called for each op; returns an attribute or ''."""
        minimised = any("graph.minimize" in line for line in self.body)
        lines = list(self.top)
        body = list(self.body)
        if not minimised:
            lines.append(
                "graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false, @DEVICE@}"
            )
            body += [
                "%one = graph.constant dense<1> : tensor<i64> {@DEVICE@}",
                "graph.assign_add @global_step, %one {@DEVICE@} : tensor<i64>",
            ]

        def place(line):
            while self.DEVICE in line:
                # What touches a variable stands where the variable does; another device for it is
                # refused.
                stateful = any(op in line for op in ("graph.read ", "graph.assign", "graph.apply"))
                line = line.replace(self.DEVICE, "" if stateful else device(), 1)
            return line.replace(", }", "}").replace(" {}", "")

        inside = "\n".join("  " + place(line) for line in body)
        return "\n".join(place(line) for line in lines) + (
            "\n\ngraph.func @train_step() attributes {role = #graph.role<train>} {\n"
            + inside
            + "\n  graph.return\n}\n"
        )


def opsOfTests(kind):
    """The names of the ops of an ordinary run's graphs on CPUs, or on a GPU."""
    graphs = GRAPHS[kind]
    texts = (
        Graph(seed, library=kind == "CPU").render(lambda: "")
        for first in seeds(kind, graphs)
        for seed in range(first, first + graphs)
    )
    return {
        name
        for each in texts
        for name in re.findall(r"\bgraph\.(\w+)", re.sub(r"#graph\.\w+", "", each))
    }


def command(words, what):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{what}: exit status {done.returncode}\n{done.stderr.strip()[-1500:]}")
    return done.stdout


def hasLoop(flags, path):
    """Whether a step has a loop."""
    return "graph.repeat " in command(
        ["graphc", *flags, path, "--emit=replicated"], "graphc, replicated"
    )


def sameValues(a, b):
    """Two .npy files: all bytes, or floats of which those that differ are NaN in both."""
    with open(a, "rb") as first, open(b, "rb") as second:
        a, b = first.read(), second.read()
    if a == b or len(a) != len(b):
        return a == b
    start = 10 + struct.unpack_from("<H", a, 8)[0]
    code = "d" if b"<f8" in a[:start] else "f" if b"<f4" in a[:start] else None
    if not code or a[:start] != b[:start]:
        return False
    a, b = array.array(code, a[start:]), array.array(code, b[start:])
    return all(
        (x != x and y != y) or a[i : i + 1].tobytes() == b[i : i + 1].tobytes()
        for i, (x, y) in enumerate(zip(a, b))
    )


def check(folder, seed, gpu=False):
    """(variables compared, whether one device has a loop, whether two towers have)"""
    graph, place = Graph(seed, library=not gpu), random.Random(seed + 1000000)
    tasks = 1 if gpu else place.choice((2, 3))
    path = lambda name: os.path.join(folder, f"{seed}-{name}")
    device = lambda: (
        ""
        if gpu
        else f'graph.device = #graph.device<"/job:worker/task:{place.randrange(tasks)}/device:CPU:0">'
    )
    with open(path("placed.mlir"), "w") as file:
        file.write(graph.render(device))
    with open(path("cluster.json"), "w") as file:
        devices = {"devices": {"worker": ["GPU:0"]}} if gpu else {}
        json.dump(
            {
                "cluster": {"worker": tasks},
                "strategy": {"name": "one_device" if gpu else "in_graph"} | graph.strategy,
            }
            | devices,
            file,
        )
    command(
        [
            "graphc",
            "--partition",
            path("cluster.json"),
            path("placed.mlir"),
            "-o",
            path("placed.plan"),
        ],
        "graphc, placed",
    )
    with open(path("one.mlir"), "w") as file:
        file.write(graph.render(lambda: ""))
    one = json.dumps({"name": "one_device"} | graph.strategy)
    command(
        ["graphc", "--strategy", one, path("one.mlir"), "-o", path("one.plan")],
        "graphc, one device",
    )
    loop = bool(graph.strategy) and hasLoop(["--strategy", one], path("one.mlir"))
    names, towers = ["placed", "one"], False
    if not gpu and graph.strategy.get("sum_leaves") in (2, 4, 8):
        with open(path("towers.json"), "w") as file:
            json.dump(
                {"cluster": {"worker": 2}, "strategy": {"name": "mirrored"} | graph.strategy}, file
            )
        flags = ["--partition", path("towers.json")]
        command(["graphc", *flags, path("one.mlir"), "-o", path("towers.plan")], "graphc, towers")
        towers = hasLoop(flags, path("one.mlir"))
        names.append("towers")
    for name in names:
        os.makedirs(path(name), exist_ok=True)
        command(
            [
                "graphrun",
                path(f"{name}.plan"),
                "--steps",
                str(STEPS),
                "--dump-variables",
                path(name),
            ],
            f"graphrun, {name}",
        )
    files = sorted(os.listdir(path("one")))
    if not files:
        raise RuntimeError("no variable was dumped")
    equal = sameValues if gpu else lambda a, b: filecmp.cmp(a, b, shallow=False)
    for name in names:
        if files != sorted(os.listdir(path(name))):
            raise RuntimeError(
                f"variables differ, {name}: {files} and {sorted(os.listdir(path(name)))}"
            )
        differing = [
            f for f in files if not equal(os.path.join(path("one"), f), os.path.join(path(name), f))
        ]
        if differing:
            raise RuntimeError(f"bits differ, {name}: {differing}")
    for root, folders, names in os.walk(folder, topdown=False):
        for name in names:
            full = os.path.join(root, name)
            if os.path.relpath(full, folder).startswith(f"{seed}-"):
                os.remove(full)
    return len(files), loop, towers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--gpu", action="store_true")
    arguments = parser.parse_args()
    failed, compared, loops, talks = 0, 0, 0, 0
    seeds = (
        [arguments.only]
        if arguments.only is not None
        else range(arguments.seed, arguments.seed + arguments.graphs)
    )
    for seed in seeds:
        try:
            variables, loop, towers = check(arguments.folder, seed, arguments.gpu)
            compared += variables
            loops += loop
            talks += towers
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"graph {seed}: {error}", flush=True)
            if failed == 10:
                print("ten failures are enough")
                break
    print(
        f"{len(seeds)} graphs, {loops} with a loop, {talks} with one of two towers, {compared} variables compared, {failed} failed"
    )
    lacks = (not loops and len(seeds) >= LOOPS) or not (
        talks or arguments.gpu or len(seeds) < TOWERS
    )
    if lacks:
        print("none of them has a loop, or one of two towers")
    return 1 if failed or lacks else 0


if __name__ == "__main__":
    sys.exit(main())
