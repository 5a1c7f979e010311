"""Models whose ops name symbols, hold regions or have no result, with one thing wrong, are refused
by one error that has a place, or compile, within bounds of memory and time.

usage: hostile_models.py FOLDER [--every N] [--compile N] [--only REGEX]
The ops are those that hostile_ops.py leaves out. In MLIR's generic form each line that has one, or
declares a symbol, is changed by rule: symbols that are not there, of another kind, its own; types,
sizes of 0 to 2^64 in one place and in all; numbers, texts, lists and other attributes in place of
each attribute; attributes that belong elsewhere; operands fewer and more; the line left out, twice,
at the top of the module. graph-opt verifies hundreds in a process; what it takes graphc compiles.
Takes each N-th variant, and of what is accepted each N-th. An op of LEFT_OUT that no model has is
an error.
"""

import os
import re
import subprocess
import sys

from hostile_ops import INTEGERS, KINDS, LEFT_OUT, REALS, SHAPES, SIZES, TEXTS, settings, sweep

STEP = """
graph.variable @w : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @b : tensor<5xf32> = #graph.uniform<low = -0.5, high = 0.5, seed = 9> {graph.device = #graph.device<"/job:worker">}
graph.variable @m : tensor<5xf32> = #graph.normal<stddev = 0.02, truncated = true> {trainable = false, aggregation = "mean"}
graph.variable @n : tensor<i64> = #graph.value<dense<3> : tensor<i64>> {trainable = false, aggregation = "sum", graph.device_rule = "balanced"}
graph.dataset @d : (tensor<3xf32>, tensor<i32>) = #graph.synthetic<samples = 100, seed = 7, limits = [0, 5]> {shuffle = true, seed = 11}
graph.dataset @t : (tensor<3xf32>) = #graph.csv<file = "t.csv", columns = ["a", 3, "b"], missing = -1.0, separator = ";">
graph.func private @layer(%x: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %w = graph.read @w : tensor<3x5xf32>
  %b = graph.read @b : tensor<5xf32>
  %p = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %y = graph.bias_add %p, %b : tensor<4x5xf32>, tensor<5xf32>
  graph.return %y : tensor<4x5xf32>
}
graph.func @train_step() -> (tensor<f32> {graph.name = "loss", graph.reduction = "mean"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @d {batch = 4, classes = [0, 5]} : tensor<4x3xf32>, tensor<4xi32>
  %z = graph.call @layer(%x) {graph.name = "first", graph.device = #graph.device<"/job:worker">} : (tensor<4x3xf32>) -> tensor<4x5xf32>
  %s = graph.scope -> (tensor<4x5xf32>) attributes {graph.device = #graph.device<"/job:worker/cpu:0">} {
    %r = graph.relu %z : tensor<4x5xf32>
    graph.yield %r : tensor<4x5xf32>
  }
  %loss = graph.softmax_cross_entropy %s, %y : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  %gw, %gb = graph.gradients %loss, [@w, @b] : (tensor<f32>) -> (tensor<3x5xf32>, tensor<5xf32>)
  graph.summary "bias", %gb {reduction = "sum"} : tensor<5xf32>
  graph.summary "weights", %gw : tensor<3x5xf32>
  %mean = graph.reduce_mean %s dimensions = [0] : (tensor<4x5xf32>) -> tensor<5xf32>
  graph.assign_moving_average @m, %mean {momentum = 0.9} : tensor<5xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @n, %one : tensor<i64>
  graph.minimize %loss {optimizer = #graph.adamw<learning_rate = #graph.linear_warmup<steps = 3, learning_rate = 0.1>, weight_decay = #graph.weight_decay<rate = 0.25, exclude = ["b"]>>, clip_global_norm = 1.0, clip_value = 0.5, frozen = ["w"], moving_average = 0.9, learning_rate_summary = "rate", variables = [@w, @b]} : tensor<f32>
  graph.return %loss : tensor<f32>
}
graph.func @eval_step(%u: tensor<4xf32> {graph.name = "u"}) attributes {role = #graph.role<eval>, moving_averages} {
  %x, %valid = graph.next_batch @t {batch = 4, pad_last} : tensor<4x3xf32>, tensor<4xi1>
  %s = graph.reduce_sum %x dimensions = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  %b = graph.read @b : tensor<5xf32>
  %e = graph.reduce_sum %b dimensions = [0] : (tensor<5xf32>) -> tensor<f32>
  %f = graph.broadcast_in_dim %e broadcast_dimensions = [] : (tensor<f32>) -> tensor<4xf32>
  %g = graph.add %f, %u : tensor<4xf32>
  %v = graph.add %s, %g : tensor<4xf32>
  graph.metric "sum", %v, %valid : tensor<4xf32>, tensor<4xi1>
  graph.return
}
"""
UPDATES = """
graph.variable @w : tensor<4x3xf32> = #graph.zeros
graph.variable @a : tensor<4x3xf32> = #graph.zeros {trainable = false, graph.slot_of = @w}
graph.variable @s : tensor<4x3xf32> = #graph.zeros {trainable = false, graph.slot_of = @w}
graph.variable @t : tensor<4x3xf32> = #graph.zeros {trainable = false, drawn_as = "w"}
graph.variable @v : tensor<4x3xf32> = #graph.zeros {trainable = false}
graph.variable @k : tensor<4xf64> = #graph.zeros {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.func @train_step() attributes {role = #graph.role<train>} {
  %g = graph.read @v : tensor<4x3xf32>
  %step = graph.read @global_step : tensor<i64>
  %r = graph.learning_rate %step {schedule = #graph.polynomial_decay<initial_learning_rate = 1.0, decay_steps = 10>}
  %c = graph.bias_correction %step {decay = 0.9}
  %q = graph.gradient_squares @w, %g : (tensor<4x3xf32>) -> tensor<4xf64>
  graph.assign @k, %q : tensor<4xf64>
  graph.apply_sgd @w, %g rate %r scale %c average @a {clip_value = 1.0, weight_decay = 0.01, average_decay = 0.99} : tensor<4x3xf32>
  %rows = graph.constant dense<0.5> : tensor<2x3xf32>
  %numbers = graph.constant dense<2> : tensor<2xi32>
  graph.apply_sgd_rows @w, %rows at %numbers {learning_rate = 0.1, clip_value = 1.0} : tensor<2x3xf32>, tensor<2xi32>
  graph.apply_momentum @w, @s, %g rate %r {momentum = 0.9, nesterov} : tensor<4x3xf32>
  graph.apply_adam @w, @s, @t, %g, %c, %c {learning_rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-08, decoupled, weight_decay = 0.01} : tensor<4x3xf32>
  graph.apply_adagrad @w, @t, %g scale %c {learning_rate = 0.01, epsilon = 1.0e-10} : tensor<4x3xf32>
  graph.apply_rmsprop @w, @t centered @s momentum @a, %g {learning_rate = 0.001, rho = 0.9, epsilon = 1.0e-08, momentum = 0.9} : tensor<4x3xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
"""
LOOP = """
graph.variable @w : tensor<3xf32> = #graph.zeros {trainable = false, aggregation = "sum"}
graph.dataset @d : (tensor<3xf32>) = #graph.synthetic<samples = 100>
graph.func @train_step() attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 2} : tensor<2x3xf32>
  %s = graph.reduce_sum %x dimensions = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  graph.assign @w, %s : tensor<3xf32>
  graph.return
}
"""
SOURCES = """
graph.dataset @idx : (tensor<4x4x3xf32>, tensor<i32>) = #graph.idx<files = ["x.gz", "y.gz"], scale = 0.5, offset = -1.0> {transforms = [#graph.random_crop<padding = 1, dimension = 0>, #graph.random_flip<dimension = 1>, #graph.normalize<mean = [0.5], stddev = [0.25]>]}
graph.dataset @npy : (tensor<8x8xf32>, tensor<i64>) = #graph.npy<files = ["d.npz:images", "labels.npy"], scale = 0.0625>
graph.dataset @csv : (tensor<2xf64>, tensor<i1>) = #graph.csv<file = "t.csv.gz", header = false>
graph.dataset @text : (tensor<64xi32>, tensor<64xi32>) = #graph.text<file = "c.txt", vocabulary = "t.txt", stride = 1, begin = 5, end = 1000>
graph.dataset @cifar : (tensor<3x32x32xf32>, tensor<i32>) = #graph.cifar10<files = ["a.bin", "b.bin"], offset = 1.0>
graph.func @eval_step() attributes {role = #graph.role<eval>} {
  %a, %b, %va = graph.next_batch @idx {batch = 2, pad_last} : tensor<2x4x4x3xf32>, tensor<2xi32>, tensor<2xi1>
  %c, %d, %vc = graph.next_batch @npy {batch = 2, pad_last} : tensor<2x8x8xf32>, tensor<2xi64>, tensor<2xi1>
  %e, %f, %ve = graph.next_batch @csv {batch = 2, pad_last} : tensor<2x2xf64>, tensor<2xi1>, tensor<2xi1>
  %g, %h, %vg = graph.next_batch @text {batch = 2, pad_last} : tensor<2x64xi32>, tensor<2x64xi32>, tensor<2xi1>
  %i, %j, %vi = graph.next_batch @cifar {batch = 2, pad_last} : tensor<2x3x32x32xf32>, tensor<2xi32>, tensor<2xi1>
  graph.metric "f", %f, %ve : tensor<2xi1>, tensor<2xi1>
  graph.return
}
"""
# Errors: a change in all of a module is several mistakes, and functions are verified side by side.
SEVERAL = 8
TENSOR = re.compile(r"tensor<(?:\d+x)*\w+>")
HERE = re.compile(r'"graph\.(\w+)"')
TYPES = (
    [f"tensor<{shape}f32>" for shape in SHAPES]
    + [f"tensor<3x{kind}>" for kind in KINDS]
    + [
        "tensor<0xf32>",
        "tensor<4611686018427387904xf32>",
        "f32",
        "none",
        "() -> ()",
        "vector<4xf32>",
        "memref<4xf32>",
        "tuple<>",
        "tensor<3x5xf64>",
        "tensor<f32>",
    ]
)
ATTRIBUTES = [
    "unit",
    "1 : i64",
    "-1 : i64",
    "0 : i32",
    "1.0 : f64",
    "true",
    '"x"',
    "[]",
    '[1, "a", @w]',
    "{}",
    "@w",
    "@w::@b",
    "f32",
    "#graph.zeros",
    "#graph.role<eval>",
    "#graph.sgd<learning_rate = 0.1>",
    "#graph.synthetic<samples = 1>",
    "#graph.random_flip",
    "dense<1> : tensor<1xi64>",
    "array<i64: 1>",
    "affine_map<() -> ()>",
    "loc(unknown)",
    "[@w, @w]",
    "[{}, {}]",
    "tensor<f32>",
    "() -> ()",
    '"a\\00b"',
]
STRAY = [
    'graph.device = 1 : i64',
    'graph.device = #graph.device<"/job:nowhere/task:9">',
    'graph.name = ""',
    'graph.name = 1 : i64',
    "graph.colocate_with = @nowhere",
    "graph.colocate_with = @d",
    "graph.slot_of = @w",
    "graph.slot_of = @nowhere",
    'graph.device_rule = "pin"',
    'graph.stage = "placed"',
    "graph.kept",
    'graph.reduction = "sum"',
    "zzz = 1 : i64",
    "graph.part_of = 1 : i64",
    'graph.part_of = #graph.part<of = "w", row = 4611686018427387904, type = tensor<3x5xf32>>',
    "dist.flops = 1 : i64",
    "graph.placement = []",
]


def isOfInterest(line):
    found = HERE.search(line)
    return bool(found) and (f"graph.{found[1]}" in LEFT_OUT or "@" in line)


def generic(text):
    done = subprocess.run(
        ["graph-opt", "--mlir-print-op-generic"], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout.splitlines()


def properties(line):
    """(begin, end) of each attribute's value, of what is between braces alone."""
    for found in re.finditer(r"(?<=[{,] )?\b[\w.]+ = ", line):
        depth, at, quoted = 0, found.end(), False
        while at < len(line):
            c = line[at]
            if quoted:
                at += c == "\\"
                quoted = c != '"'
            elif c == '"':
                quoted = True
            elif c in "<([{":
                depth += 1
            elif c in ")]}" or (c == ">" and line[at - 1] != "-"):
                if depth == 0:
                    break
                depth -= 1
            elif c == "," and depth == 0:
                break
            at += 1
        yield found.start(), found.end(), at


def changed(line, symbols):
    """(what, line)"""

    def each(what, pattern, values):
        for number, found in enumerate(re.finditer(pattern, line)):
            for value in values:
                if str(value) != found[0]:
                    yield (
                        f"{what} {number} is {str(value)[:40]}",
                        line[: found.start()] + str(value) + line[found.end() :],
                    )

    others = [f"@{name}" for name in symbols]
    yield from each(
        "symbol",
        r"@(?:\w+|\"[^\"]*\")",
        [*others, "@nowhere", '@""', "@w::@b", '@"a\\00"', "@" + "a" * 100000],
    )
    yield from each(
        "name",
        r'(?<=sym_name = )"[^"]*"',
        [*(f'"{name}"' for name in symbols), '"global_step"', *TEXTS],
    )
    yield from each("type", TENSOR.pattern, TYPES)
    yield from each("dimension", r"(?<=[<x])\d+(?=x)", SIZES)
    yield from each("integer", r"(?<![\w.#<])-?\d+(?= : i\d+|[,\]>])", INTEGERS)
    yield from each("float", r"-?\d+\.\d+(?:e[+-]\d+)?", REALS)
    yield from each("text", r'(?<!^)(?<!  )"(?!graph\.)[^"]*"', TEXTS)
    for number, (begin, value, end) in enumerate(properties(line)):
        for other in ATTRIBUTES:
            yield f"attribute {number} is {other}", line[:value] + other + line[end:]
        left = line[:begin] + line[end:].removeprefix(", ")
        yield f"without attribute {number}", left.replace(", }", "}")
    if "<{" in line:
        for stray in STRAY:
            yield (
                f"with {stray}",
                line.replace("}> :", f"}}> {{{stray}}} :", 1)
                if "}> :" in line
                else line.replace("<{", f"<{{{stray}, ", 1),
            )
            yield f"in braces, {stray}", line.replace("<{", f"<{{{stray}, ", 1)
    operands = re.search(r'"graph\.\w+"\(([^()]*)\).* : \(([^()]*)\) ->', line)
    if operands and operands[1]:
        names, types = operands[1].split(", "), re.findall(r"tensor<[^<>]*>", operands[2])
        for n in range(len(names)):
            for what, keep in (
                ("without", lambda all: all[:n] + all[n + 1 :]),
                ("twice", lambda all: all[: n + 1] + all[n:]),
                ("10,000 times", lambda all: all[:n] + all[n : n + 1] * 10000 + all[n + 1 :]),
            ):
                end = line[operands.start(2) :].replace(operands[2], ", ".join(keep(types)), 1)
                yield (
                    f"operand {n} {what}",
                    line[: operands.start(1)]
                    + ", ".join(keep(names))
                    + line[operands.end(1) : operands.start(2)]
                    + end,
                )
    yield "left out", ""
    yield "twice", f"{line}\n{line}"


def variants(name, text):
    lines = generic(text)
    symbols = sorted(set(re.findall(r'sym_name = "([^"]*)"', "\n".join(lines))))
    join = lambda given: "\n".join(given) + "\n"
    for at, line in enumerate(lines):
        if not isOfInterest(line):
            continue
        for what, new in changed(line, symbols):
            yield (
                f"{name}, line {at + 1} ({HERE.search(line)[0]}), {what}",
                join(lines[:at] + [new] + lines[at + 1 :]),
            )
        if "({" not in line:
            yield (
                f"{name}, line {at + 1} at the top",
                join(lines[:1] + [line] + lines[1:at] + lines[at + 1 :]),
            )
            yield (
                f"{name}, line {at + 1} in a scope",
                join(
                    lines[:at]
                    + ['"graph.scope"() ({', line, '"graph.yield"() : () -> ()', "}) : () -> ()"]
                    + lines[at + 1 :]
                ),
            )
            yield (
                f"{name}, line {at + 1} in a loop",
                join(
                    lines[:at]
                    + [
                        '"graph.repeat"() <{count = 3 : i64}> ({',
                        line,
                        '"graph.yield"() : () -> ()',
                        "}) : () -> ()",
                    ]
                    + lines[at + 1 :]
                ),
            )
    whole = join(lines)
    for old in sorted(set(re.findall(r"(?<=[<x])\d+(?=x)", whole))):
        for size in SIZES:
            yield f"{name}, {old} is {size}", re.sub(rf"(?<=[<x]){old}(?=x)", str(size), whole)
    for old in sorted(set(TENSOR.findall(whole))):
        for kind in TYPES:
            yield f"{name}, {old} is {kind}", whole.replace(old, kind)


def replicated(folder, text):
    """With the loop that replicate makes of many micro-batches."""
    path = os.path.join(folder, "micro-batches.mlir")
    with open(path, "w") as file:
        file.write(text)
    flags = ["--strategy", '{"name": "one_device", "micro_batches": 32}', "--emit=replicated"]
    return subprocess.run(
        ["graphc", *flags, path], check=True, capture_output=True, text=True
    ).stdout


def broken(folder, name, text):
    """Why a model is none as it is; "" where it is one."""
    path = os.path.join(folder, f"{name}.mlir")
    with open(path, "w") as file:
        file.write(text)
    done = subprocess.run(["graphc", path, "-o", f"{path}.plan"], capture_output=True, text=True)
    return f"{name} as it is: {done.stderr[:1000]}" if done.returncode else ""


def main():
    arguments = settings("folder")
    models = {
        "step": STEP,
        "updates": UPDATES,
        "loop": replicated(arguments.folder, LOOP),
        "sources": SOURCES,
    }
    cases = {
        text: what
        for name, model in models.items()
        for what, text in variants(name, model)
        if re.search(arguments.only, what)
    }
    cases = [(what, text) for text, what in cases.items()][:: arguments.every]
    wrong = [
        each for name, text in models.items() if (each := broken(arguments.folder, name, text))
    ]
    compiled = sweep(
        arguments, cases, lambda text: text, lambda what, text: [(what, text)], wrong, (SEVERAL,)
    )
    had = set(re.findall(r"\bgraph\.\w+", re.sub(r"#graph\.\w+", "", "".join(models.values()))))
    if lacking := LEFT_OUT - had:
        wrong.append(f"no model has {sorted(lacking)}")
        print(wrong[-1])
    print(f"{len(LEFT_OUT)} ops, {len(cases)} variants, {compiled} compiled, {len(wrong)} wrong")
    return 1 if wrong or not cases or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
