"""Random small graphs under random placements give the bits of one device.

usage: random_graphs.py FOLDER [--graphs N] [--seed S] [--only INDEX] [--gpu]
Each graph: a few variables, 8 to 20 ops of mixed shapes and types, assigns, and for half of them a loss that is minimised.
The placed copy puts every op and variable on a random one of two or three tasks (strategy in_graph), the other names no
device and is compiled for one; some take several micro-batches of data a step, with a sum of a random shape, which the placed copy often writes
out and one device computes in a loop where there are many: 50 graphs or more have one with a loop. After three steps every variable of both
must have the same bytes; and so must those of two towers where the sum's shape fits two, of which some have loops that send to each other. With --gpu the graph without devices runs on a GPU instead, and must have the CPU's bits, but of products that a library makes there, which it leaves out; a NaN is a NaN there,
whatever its bits. A failing graph stays in FOLDER.
"""
import argparse
import array
import filecmp
import json
import os
import random
import struct
import subprocess
import sys

FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i64")
STEPS = 3


def text(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


class Graph:
    """Lines with a marker where a device goes; render() fills it in."""

    DEVICE = "@DEVICE@"

    def __init__(self, seed, library=True):
        """library: with products that are the CPU's library's."""
        self.library = library
        self.random = random.Random(seed)
        # Of some a step has several micro-batches, which one device computes in a loop and several each for itself.
        micro = random.Random(seed + 2000000)
        leaves = micro.choice((1, 2, 3, 4, 5, 6, 8))
        self.strategy = {"micro_batches": leaves * micro.choice((1, 2, 3, 5, 9) if library else (1, 2, 3, 5)), "sum_leaves": leaves} if micro.random() < 0.4 else {}
        self.top, self.body, self.values, self.variables = [], [], [], []
        self.build()

    def pick(self, wanted=lambda shape, element: True):
        found = [v for v in self.values if wanted(v[1], v[2])]
        return self.random.choice(found) if found else None

    def emit(self, op, shape, element, types=None):
        name = f"%v{len(self.values)}"
        types = types or text(shape, element)
        constant = op.startswith("constant")  # its attributes stand behind the type, which belongs to the value
        self.body.append(f"{name} = graph.{op} : {types} {{{self.DEVICE}}}" if constant else f"{name} = graph.{op} {{{self.DEVICE}}} : {types}")
        self.values.append((name, tuple(shape), element))
        return self.values[-1]

    def shape(self):
        return tuple(self.random.choice((1, 2, 3, 5, 8, 17)) for _ in range(self.random.choice((0, 1, 1, 2, 2, 2, 3))))

    def number(self, element):
        return f"{self.random.uniform(-2, 2):.3f}" if element in FLOATS else str(self.random.randint(-3, 3))

    def variable(self, element, shape, trainable):
        name = f"@var{len(self.variables)}"
        if element in FLOATS and self.random.random() < 0.7:
            start = f"#graph.uniform<low = -1.0, high = 1.0, seed = {self.random.randint(1, 99)}>"
        else:
            start = f"#graph.value<dense<{self.number(element)}> : {text(shape, element)}>"
        flags = "" if trainable else "trainable = false, " + self.aggregation(element)
        self.top.append(f"graph.variable {name} : {text(shape, element)} = {start} {{{flags}{self.DEVICE}}}")
        self.variables.append((name, shape, element, trainable))
        self.emit(f"read {name}", shape, element)

    def aggregation(self, element):
        """What an assignment means where several micro-batches make a value each."""
        if not self.strategy:
            return ""
        return 'aggregation = "first_replica", ' if element == "i1" else 'aggregation = "sum", '

    def build(self):
        pick = self.random
        if self.strategy:
            for i, element in enumerate(FLOATS):
                sample, batch = self.shape(), pick.choice((1, 2, 5))
                self.top.append(f"graph.dataset @data{i} : ({text(sample, element)}) = #graph.synthetic<samples = 97, seed = {pick.randint(1, 99)}>")
                self.emit(f"next_batch @data{i}", (batch, *sample), element)
                self.body[-1] = self.body[-1].replace("{", "{batch = %d, " % batch, 1)
        for _ in range(pick.randint(2, 3)):
            self.variable(pick.choice(FLOATS), self.shape(), True)
        for _ in range(pick.randint(1, 2)):
            self.variable(pick.choice(INTEGERS + FLOATS), self.shape(), False)
        made, tries = 0, 0
        wanted = pick.randint(8, 20)
        while made < wanted and tries < 200:
            tries += 1
            op = pick.choice(OPS)
            made += bool((self.library or op != dense) and op(self))
        for name, shape, element, trainable in self.variables:
            value = None if trainable else self.pick(lambda s, e: (s, e) == (shape, element))
            if value:
                self.body.append(f"graph.assign {name}, {value[0]} {{{self.DEVICE}}} : {text(shape, element)}")
        self.sinks()
        if pick.random() < 0.5:
            self.minimise()

    def sinks(self):
        """Values that nothing reads are kept alive, and compared, by variables of their own."""
        used = "\n".join(line.split("=", 1)[-1] for line in self.body) + " "
        for name, shape, element in list(self.values):
            if f"{name} " not in used and f"{name}," not in used:
                sink = f"@sink{len(self.top)}"
                self.top.append(f"graph.variable {sink} : {text(shape, element)} = #graph.zeros {{trainable = false, {self.aggregation(element)}{self.DEVICE}}}")
                self.body.append(f"graph.assign {sink}, {name} {{{self.DEVICE}}} : {text(shape, element)}")

    def minimise(self):
        element = self.random.choice([e for _, _, e, trainable in self.variables if trainable])
        terms = [v for v in self.values if v[2] == element and v[0] in self.readsOfTrainable()]
        other = self.pick(lambda s, e: e == element)
        loss = None
        for value in terms + [other]:
            bounded = self.emit(f"tanh {value[0]}", value[1], element)
            if bounded[1]:
                dims = ", ".join(map(str, range(len(bounded[1]))))
                bounded = self.emit(f"reduce_mean {bounded[0]} dimensions = [{dims}]", (), element,
                                    f"({text(bounded[1], element)}) -> {text((), element)}")
            loss = bounded if loss is None else self.emit(f"add {loss[0]}, {bounded[0]}", (), element)
        names = ", ".join(n for n, _, e, trainable in self.variables if trainable and e == element)
        optimizer = self.random.choice(("#graph.sgd<learning_rate = 0.1>", "#graph.momentum<learning_rate = 0.1, momentum = 0.9>"))
        self.body.append(f"graph.minimize {loss[0]} {{optimizer = {optimizer}, variables = [{names}]}} : {text((), element)}")

    def readsOfTrainable(self):
        trainable = {name for name, _, _, t in self.variables if t}
        return {line.split(" = ")[0] for line in self.body if " = graph.read " in line and line.split("graph.read ")[1].split()[0] in trainable}

    def render(self, device):
        """`device`: called for each op; returns an attribute or ''."""
        minimised = any("graph.minimize" in line for line in self.body)
        lines = list(self.top)
        body = list(self.body)
        if not minimised:
            lines.append("graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false, @DEVICE@}")
            body += ["%one = graph.constant dense<1> : tensor<i64> {@DEVICE@}", "graph.assign_add @global_step, %one {@DEVICE@} : tensor<i64>"]

        def place(line):
            while self.DEVICE in line:
                # What touches a variable stands where the variable does; another device for it is refused.
                stateful = any(op in line for op in ("graph.read ", "graph.assign", "graph.apply"))
                line = line.replace(self.DEVICE, "" if stateful else device(), 1)
            return line.replace(", }", "}").replace(" {}", "")

        inside = "\n".join("  " + place(line) for line in body)
        return "\n".join(place(line) for line in lines) + (
            "\n\ngraph.func @train_step() attributes {role = #graph.role<train>} {\n" + inside + "\n  graph.return\n}\n")


# ---- ops: each adds one to the graph, or returns None where nothing fits


def unary(g):
    op = g.random.choice(("negate", "abs", "sign", "tanh", "exponential", "logistic", "relu", "sqrt", "log", "rsqrt"))
    floats = op not in ("negate", "abs", "sign")
    value = g.pick(lambda s, e: e in FLOATS or (not floats and e in INTEGERS))
    if not value:
        return None
    if op in ("sqrt", "log", "rsqrt"):  # of numbers above zero, so that no step ends in NaN
        value = g.emit(f"exponential {g.emit(f'tanh {value[0]}', *value[1:])[0]}", *value[1:])
    if op == "exponential":
        value = g.emit(f"tanh {value[0]}", *value[1:])
    return g.emit(f"{op} {value[0]}", *value[1:])


def binary(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    op = g.random.choice(("add", "subtract", "multiply", "maximum", "minimum"))
    return b and g.emit(f"{op} {a[0]}, {b[0]}", *a[1:])


def choose(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    test = g.emit(f"compare {g.random.choice(('eq', 'lt', 'ge'))}, {a[0]}, {b[0]}", a[1], "i1", text(a[1], a[2]))
    return g.emit(f"select {test[0]}, {a[0]}, {b[0]}", *a[1:])


def convert(g):
    a = g.pick(lambda s, e: e in INTEGERS or e == "f32")
    to = g.random.choice(("f32", "f64"))
    return a and a[2] != to and g.emit(f"convert {a[0]}", a[1], to, f"({text(*a[1:])}) -> {text(a[1], to)}")


def constant(g):
    shape, element = g.shape(), g.random.choice(FLOATS + INTEGERS)
    return g.emit(f"constant dense<{g.number(element)}>", shape, element)


def reduce(g):
    op = g.random.choice(("reduce_sum", "reduce_max", "reduce_mean"))
    a = g.pick(lambda s, e: s and e != "i1" and (op != "reduce_mean" or e in FLOATS))
    if not a:
        return None
    dims = sorted(g.random.sample(range(len(a[1])), g.random.randint(1, len(a[1]))))
    shape = tuple(d for i, d in enumerate(a[1]) if i not in dims)
    return g.emit(f"{op} {a[0]} dimensions = [{', '.join(map(str, dims))}]", shape, a[2], f"({text(*a[1:])}) -> {text(shape, a[2])}")


def transpose(g):
    a = g.pick(lambda s, e: len(s) > 1)
    if not a:
        return None
    order = g.random.sample(range(len(a[1])), len(a[1]))
    shape = tuple(a[1][i] for i in order)
    return g.emit(f"transpose {a[0]} permutation = [{', '.join(map(str, order))}]", shape, a[2], f"({text(*a[1:])}) -> {text(shape, a[2])}")


def reshape(g):
    a = g.pick(lambda s, e: len(s) > 1)
    if not a:
        return None
    count = 1
    for d in a[1]:
        count *= d
    return g.emit(f"reshape {a[0]}", (count,), a[2], f"({text(*a[1:])}) -> {text((count,), a[2])}")


def broadcast(g):
    a = g.pick(lambda s, e: len(s) < 3)
    if not a:
        return None
    lead = g.random.choice((2, 3, 5))
    shape = (lead,) + a[1]
    dims = ", ".join(str(i + 1) for i in range(len(a[1])))
    return g.emit(f"broadcast_in_dim {a[0]} broadcast_dimensions = [{dims}]", shape, a[2], f"({text(*a[1:])}) -> {text(shape, a[2])}")


def slice_(g):
    a = g.pick(lambda s, e: s)
    if not a:
        return None
    starts = [g.random.randrange(d) for d in a[1]]
    limits = [g.random.randint(b + 1, d) for b, d in zip(starts, a[1])]
    strides = [g.random.choice((1, 1, 1, 2, 3)) for _ in a[1]]
    shape = tuple((e - b - 1) // s + 1 for b, e, s in zip(starts, limits, strides))
    return g.emit(f"slice {a[0]} start_indices = {starts} limit_indices = {limits} strides = {strides}", shape, a[2],
                  f"({text(*a[1:])}) -> {text(shape, a[2])}")


def concatenate(g):
    a = g.pick(lambda s, e: s)
    if not a:
        return None
    along = g.random.randrange(len(a[1]))
    rest = lambda s: s[:along] + s[along + 1:]
    pieces = [a]
    for _ in range(g.random.randint(1, 3)):
        pieces.append(g.pick(lambda s, e: e == a[2] and len(s) == len(a[1]) and rest(s) == rest(a[1])))
    shape = a[1][:along] + (sum(p[1][along] for p in pieces),) + a[1][along + 1:]
    if shape[along] > 200:
        return None
    return g.emit(f"concatenate {', '.join(p[0] for p in pieces)} dimension = {along}", shape, a[2],
                  f"({', '.join(text(*p[1:]) for p in pieces)}) -> {text(shape, a[2])}")


def matmul(g):
    a = g.pick(lambda s, e: len(s) == 2 and e != "i1")
    if not a:
        return None
    rows, inner = a[1]
    small = lambda columns: g.library or a[2] != "f32" or rows * inner * columns < 4096
    b = g.pick(lambda s, e: len(s) == 2 and e == a[2] and s[0] == inner and small(s[1]))
    if not b:
        b = g.emit(f"constant dense<{g.number(a[2])}>", (inner, g.random.choice((1, 4, 7))), a[2])
    if not small(b[1][1]):
        return None
    shape = (rows, b[1][1])
    return g.emit(f"matmul {a[0]}, {b[0]}", shape, a[2], f"({text(*a[1:])}, {text(*b[1:])}) -> {text(shape, a[2])}")


def softmax(g):
    a = g.pick(lambda s, e: s and e in FLOATS)
    return a and g.emit(f"{g.random.choice(('softmax', 'log_softmax'))} {a[0]}", *a[1:])


def dense(g):
    """A product that is the library's business, with its last steps; each op may be placed apart from the others."""
    rows, inner, columns = g.random.choice((8, 17)), g.random.choice((24, 33)), g.random.choice((24, 40))
    make = lambda *shape: g.emit(f"constant dense<{g.number('f32')}>", shape, "f32")
    a = g.pick(lambda s, e: e == "f32" and len(s) == 2 and s[0] * s[1] * columns >= 4096) or make(rows, inner)
    rows, inner = a[1]
    start = g.pick(lambda s, e: e == "f32" and s == ())
    b = make(inner, columns)
    if start:  # not a constant, so that nothing folds
        wide = g.emit(f"broadcast_in_dim {start[0]} broadcast_dimensions = []", b[1], "f32", f"({text((), 'f32')}) -> {text(b[1], 'f32')}")
        ramp = g.emit("iota dimension = 1", b[1], "f32")
        b = g.emit(f"tanh {g.emit(f'add {wide[0]}, {ramp[0]}', b[1], 'f32')[0]}", b[1], "f32")
    product = g.emit(f"matmul {a[0]}, {b[0]}", (rows, columns), "f32", f"({text(*a[1:])}, {text(*b[1:])}) -> {text((rows, columns), 'f32')}")
    bias = make(columns)
    biased = g.emit(f"bias_add {product[0]}, {bias[0]}", (rows, columns), "f32", f"{text(*product[1:])}, {text(*bias[1:])}")
    return g.emit(f"relu {biased[0]}", *biased[1:])


def divide(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    if a[2] in FLOATS:  # by numbers above zero
        b = g.emit(f"exponential {g.emit(f'tanh {b[0]}', *b[1:])[0]}", *b[1:])
    return g.emit(f"divide {a[0]}, {b[0]}", *a[1:])


def power(g):
    a = g.pick(lambda s, e: e in FLOATS)
    if not a:
        return None
    exponent = g.emit(f"constant dense<{g.random.choice((2.0, 3.0, -1.0, 0.5, 2.5))}>", *a[1:])
    base = g.emit(f"exponential {g.emit(f'tanh {a[0]}', *a[1:])[0]}", *a[1:])
    return g.emit(f"power {base[0]}, {exponent[0]}", *a[1:])


def truth(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    p, q = (g.emit(f"compare {g.random.choice(('ne', 'le', 'gt'))}, {x}, {y}", a[1], "i1", text(*a[1:])) for x, y in ((a[0], b[0]), (b[0], a[0])))
    r = g.emit(f"{g.random.choice(('and', 'or'))} {p[0]}, {q[0]}", *p[1:])
    return g.emit(f"select {g.emit(f'not {r[0]}', *r[1:])[0]}, {a[0]}, {b[0]}", *a[1:])


def largest(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    dim = g.random.randrange(len(a[1]))
    shape = a[1][:dim] + a[1][dim + 1:]
    return g.emit(f"argmax {a[0]} dimension = {dim}", shape, "i32", f"({text(*a[1:])}) -> {text(shape, 'i32')}")


def classes(g):
    a = g.pick(lambda s, e: e in INTEGERS and len(s) < 3)
    if not a:
        return None
    shape, element = a[1] + (4,), g.random.choice(FLOATS)
    return g.emit(f"one_hot {a[0]}", shape, element, f"({text(*a[1:])}) -> {text(shape, element)}")


def loss(g):
    a = g.pick(lambda s, e: len(s) == 2 and e in FLOATS)
    if not a:
        return None
    labels = g.emit("iota dimension = 0", a[1][:1], "i32")
    return g.emit(f"softmax_cross_entropy {a[0]}, {labels[0]}", (), a[2], f"({text(*a[1:])}, {text(*labels[1:])}) -> {text((), a[2])}")


OPS = (unary, unary, binary, binary, choose, convert, constant, reduce, transpose, reshape, broadcast, slice_, concatenate, matmul,
       softmax, dense,
       divide, power, truth, largest, classes, loss)


def command(words, what):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{what}: exit status {done.returncode}\n{done.stderr.strip()[-1500:]}")
    return done.stdout


def hasLoop(flags, path):
    """Whether a step has a loop."""
    return "graph.repeat " in command(["graphc", *flags, path, "--emit=replicated"], "graphc, replicated")


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
    return all((x != x and y != y) or a[i:i + 1].tobytes() == b[i:i + 1].tobytes() for i, (x, y) in enumerate(zip(a, b)))


def check(folder, seed, gpu=False):
    """(variables compared, whether one device has a loop, whether two towers have)"""
    graph, place = Graph(seed, library=not gpu), random.Random(seed + 1000000)
    tasks = 1 if gpu else place.choice((2, 3))
    path = lambda name: os.path.join(folder, f"{seed}-{name}")
    device = lambda: "" if gpu else f'graph.device = #graph.device<"/job:worker/task:{place.randrange(tasks)}/device:CPU:0">'
    with open(path("placed.mlir"), "w") as file:
        file.write(graph.render(device))
    with open(path("cluster.json"), "w") as file:
        devices = {"devices": {"worker": ["GPU:0"]}} if gpu else {}
        json.dump({"cluster": {"worker": tasks}, "strategy": {"name": "one_device" if gpu else "in_graph"} | graph.strategy} | devices, file)
    command(["graphc", "--partition", path("cluster.json"), path("placed.mlir"), "-o", path("placed.plan")], "graphc, placed")
    with open(path("one.mlir"), "w") as file:
        file.write(graph.render(lambda: ""))
    one = json.dumps({"name": "one_device"} | graph.strategy)
    command(["graphc", "--strategy", one, path("one.mlir"), "-o", path("one.plan")], "graphc, one device")
    loop = bool(graph.strategy) and hasLoop(["--strategy", one], path("one.mlir"))
    names, towers = ["placed", "one"], False
    if not gpu and graph.strategy.get("sum_leaves") in (2, 4, 8):
        with open(path("towers.json"), "w") as file:
            json.dump({"cluster": {"worker": 2}, "strategy": {"name": "mirrored"} | graph.strategy}, file)
        flags = ["--partition", path("towers.json")]
        command(["graphc", *flags, path("one.mlir"), "-o", path("towers.plan")], "graphc, towers")
        towers = hasLoop(flags, path("one.mlir"))
        names.append("towers")
    for name in names:
        os.makedirs(path(name), exist_ok=True)
        command(["graphrun", path(f"{name}.plan"), "--steps", str(STEPS), "--dump-variables", path(name)], f"graphrun, {name}")
    files = sorted(os.listdir(path("one")))
    if not files:
        raise RuntimeError("no variable was dumped")
    equal = sameValues if gpu else lambda a, b: filecmp.cmp(a, b, shallow=False)
    for name in names:
        if files != sorted(os.listdir(path(name))):
            raise RuntimeError(f"variables differ, {name}: {files} and {sorted(os.listdir(path(name)))}")
        differing = [f for f in files if not equal(os.path.join(path("one"), f), os.path.join(path(name), f))]
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
    seeds = [arguments.only] if arguments.only is not None else range(arguments.seed, arguments.seed + arguments.graphs)
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
    print(f"{len(seeds)} graphs, {loops} with a loop, {talks} with one of two towers, {compared} variables compared, {failed} failed")
    lacks = not loops or not (talks or arguments.gpu)
    if lacks and len(seeds) >= 50:
        print("none of them has a loop, or one of two towers")
    return 1 if failed or (lacks and len(seeds) >= 50) else 0


if __name__ == "__main__":
    sys.exit(main())
