"""Every op with hostile shapes and attributes is refused by one error that has a place, or
compiles, within bounds of memory and time.

usage: hostile_ops.py ROOT FOLDER [--every N] [--compile N] [--only REGEX]
The ops are those of test/dialects/graph/*-ops.mlir, in MLIR's generic form. Of each, variants are
made by rule: sizes of 0 to 2^64 for one dimension, for all of a size, for two sizes at once; other
ranks and element types; integers, floats, texts and lists in attributes; operands more and fewer.
graph-opt verifies hundreds in a process. What it takes graphc compiles, with the operands as
arguments, as constants (which fold) and as variables of a model that trains. Takes each N-th
variant, and of what is accepted each N-th. An op that is neither tried nor in LEFT_OUT is an error.
"""

import argparse
import bisect
import glob
import itertools
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Bytes of addresses; of one compilation on a busy machine; bytes of a plan.
MEMORY, SECONDS, PLAN = 4 << 30, 300, 64 << 20
NEVER = re.compile(
    r"Stack dump|PLEASE submit|terminate called|Assertion|internal error|see current operation|std::|llvm::|LLVM ERROR|"
    r"UNREACHABLE|bad_alloc|please report"
)
OP = re.compile(
    r'^\s*(?:%\w+(?::\d+)? = )?"(graph\.\w+)"\(([^()]*)\)(?: <(\{.*\})>)?(?: (\{.*\}))? : \(([^()]*)\) -> (.*)$'
)
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")
SIZES = (0, 1, 2**31 - 1, 2**31, 2**32, 2**36, 2**37, 2**62, 2**63 - 1, 2**64)
# Of two sizes: what is between operands and results may be larger than both.
TOGETHER = (2**12, 2**18, 2**24, 2**30)
INTEGERS = (
    -(2**63),
    -(2**62),
    -(2**31),
    -1,
    0,
    1,
    2**31 - 1,
    2**31,
    2**37,
    2**62,
    2**63 - 1,
    2**63,
)
REALS = (
    "0x7FF8000000000000",
    "0x7FF0000000000000",
    "0xFFF0000000000000",
    "0.0",
    "-1.0",
    "1.0",
    "1.0e308",
    "5.0e-324",
)
TEXTS = ('""', '"a\\00b"', '"\\FF"', '"' + "a" * 100000 + '"')
KINDS = (
    "i1",
    "i8",
    "ui8",
    "i32",
    "ui32",
    "i64",
    "bf16",
    "f32",
    "f64",
    "f16",
    "i128",
    "complex<f32>",
    "index",
)
SHAPES = ("", "1x" * 17, "?x", "*x", "2x" * 16, "4611686018427387904x" * 2, "4294967296x" * 2)
# They name symbols, have regions or have no result.
LEFT_OUT = {
    f"graph.{name}"
    for name in """
    apply_adagrad apply_adam apply_momentum apply_rmsprop apply_sgd apply_sgd_rows assign assign_add
    assign_moving_average call dataset func gradient_squares gradients metric minimize next_batch read repeat return
    scope summary variable yield""".split()
}
MADE_BY_PASSES = {"graph.metric_sums"}  # verify-model refuses it in a model


class Instance:
    """An op with operands' and results' types."""

    def __init__(self, op, attributes, operands, results):
        self.op, self.attributes, self.operands, self.results = (
            op,
            attributes or "",
            operands,
            results,
        )

    def line(self):
        values, names = (
            [f"%{letter}{i}" for i in range(len(types))]
            for letter, types in (("a", self.operands), ("r", self.results))
        )
        attributes = f" <{self.attributes}>" if self.attributes else ""
        return f'  {", ".join(names)} = "{self.op}"({", ".join(values)}){attributes} : ({", ".join(self.operands)}) -> ({", ".join(self.results)})\n'

    def returned(self):
        types = ", ".join(self.results)
        return f"  graph.return {', '.join(f'%r{i}' for i in range(len(self.results)))} : {types}\n}}\n"

    def predict(self):
        head = ", ".join(f"%a{i}: {t}" for i, t in enumerate(self.operands))
        return f"graph.func @f({head}) -> ({', '.join(self.results)}) attributes {{role = #graph.role<predict>}} {{\n{self.line()}{self.returned()}"

    def constants(self):
        one = lambda t: "1.0" if re.search(r"f\d+>$", t) else "true" if t.endswith("i1>") else "1"
        made = "".join(
            f"  %a{i} = graph.constant dense<{one(t)}> : {t}\n" for i, t in enumerate(self.operands)
        )
        return f"graph.func @f() -> ({', '.join(self.results)}) attributes {{role = #graph.role<predict>}} {{\n{made}{self.line()}{self.returned()}"

    def train(self):
        """None where nothing is trained."""
        isFloat = lambda t: t.endswith(("f32>", "f64>"))
        if not any(map(isFloat, self.operands)) or not isFloat(self.results[0]):
            return None
        top = "".join(
            f"graph.variable @v{i} : {t} = #graph.zeros{'' if isFloat(t) else ' {trainable = false}'}\n"
            for i, t in enumerate(self.operands)
        )
        reads = "".join(f"  %a{i} = graph.read @v{i} : {t}\n" for i, t in enumerate(self.operands))
        result, loss = self.results[0], "%r0"
        scalar, dimensions = "tensor<" + result[-4:], list(range(result.count("x")))
        total = ""
        if dimensions:
            total, loss = (
                f"  %l = graph.reduce_sum %r0 dimensions = {dimensions} : ({result}) -> {scalar}\n",
                "%l",
            )
        return (
            f"{top}graph.func @f() attributes {{role = #graph.role<train>}} {{\n{reads}{self.line()}{total}"
            f"  graph.minimize {loss} {{optimizer = #graph.sgd<learning_rate = 0.1>}} : {scalar}\n  graph.return\n}}\n"
        )


def replaceEach(text, pattern, values):
    """(number, value, text): each match replaced by each value."""
    for number, found in enumerate(re.finditer(pattern, text)):
        for value in values(found[0]) if callable(values) else values:
            yield number, value, text[: found.start()] + str(value) + text[found.end() :]


def variants(one):
    """(what is changed, instance)"""
    tensors = one.operands + one.results

    def of(changed, attributes=None):
        return Instance(
            one.op,
            one.attributes if attributes is None else attributes,
            changed[: len(one.operands)],
            changed[len(one.operands) :],
        )

    def sized(sizes, value):
        alternatives = "|".join(sizes)
        changed = [re.sub(rf"(?<=[<x])({alternatives})(?=x)", str(value), t) for t in tensors]
        yield f"{alternatives} is {value}", of(changed)
        yield (
            f"{alternatives} is {value}, in attributes too",
            of(
                changed, re.sub(rf"(?<![\w.])({alternatives})(?![\w.])", str(value), one.attributes)
            ),
        )

    def replaced(i, new):
        return of(tensors[:i] + [new] + tensors[i + 1 :])

    dimensions = [TENSOR.match(t)[1].split("x")[:-1] for t in tensors]
    kinds = [TENSOR.match(t)[2] for t in tensors]
    sizes = sorted(set(itertools.chain(*dimensions)))
    for size, value in itertools.product(sizes, SIZES):
        yield from sized([size], value)
    for pair, value in itertools.product(itertools.combinations(sizes, 2), TOGETHER):
        yield from sized(pair, value)
    for i, shape in enumerate(dimensions):
        for j, value in itertools.product(range(len(shape)), SIZES):
            yield (
                f"dimension {j} of tensor {i} is {value}",
                replaced(
                    i,
                    "tensor<"
                    + "".join(f"{d}x" for d in (*shape[:j], value, *shape[j + 1 :]))
                    + kinds[i]
                    + ">",
                ),
            )
        for new in [f"tensor<{shape}{kinds[i]}>" for shape in SHAPES] + [
            f"tensor<{TENSOR.match(tensors[i])[1]}{kind}>" for kind in KINDS
        ]:
            yield f"tensor {i} is {new}", replaced(i, new)
    for was, kind in itertools.product(sorted(set(kinds)), KINDS):
        changed = [re.sub(rf"{was}>$", kind + ">", t) for t in tensors]
        yield f"{was} is {kind}", of(changed)
        for size, value in itertools.product(sizes, TOGETHER if kind == "f64" else ()):
            yield (
                f"{was} is {kind}, {size} is {value}",
                of([re.sub(rf"(?<=[<x]){size}(?=x)", str(value), t) for t in changed]),
            )
    lists = lambda found: [
        "array<i64>" if not new else f"array<i64: {', '.join(new)}>"
        for old in [re.findall(r"-?\d+", found[len("array<i64") :])]
        for new in ([], old + ["0"], old * 2, ["1"] * 100000, (old[:1] or ["0"]) * max(2, len(old)))
    ]
    for what, pattern, values in (
        ("integer", r"(?<![\w.#])-?\d+(?= : i\d+|[,\]>])", INTEGERS),
        ("float", r"-?\d+\.\d+(?:e[+-]\d+)?", REALS),
        ("text", r'"[^"]*"', TEXTS),
        ("list", r"array<i64(?:: [^>]*)?>", lists),
    ):
        for number, value, text in replaceEach(one.attributes, pattern, values):
            yield f"{what} {number} is {str(value)[:40]}", of(tensors, text)
    for n in range(len(one.operands)):
        yield (
            f"without operand {n}",
            Instance(one.op, one.attributes, one.operands[:n] + one.operands[n + 1 :], one.results),
        )
        yield (
            f"operand {n} twice",
            Instance(one.op, one.attributes, one.operands[: n + 1] + one.operands[n:], one.results),
        )
    yield (
        "10,000 operands",
        Instance(one.op, one.attributes, one.operands + one.operands[-1:] * 10000, one.results),
    )
    yield (
        "one result more",
        Instance(one.op, one.attributes, one.operands, one.results + one.results[:1]),
    )


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def readInstances(root):
    found, named = {}, set()
    for path in sorted(
        set(glob.glob(os.path.join(root, "test/dialects/graph/*-ops.mlir")))
        - {os.path.join(root, "test/dialects/graph/unknown-ops.mlir")}
    ):
        done = subprocess.run(
            ["graph-opt", "--mlir-print-op-generic", "--split-input-file", path],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (
            f"graph-opt {path}: exit status {done.returncode}\n{done.stderr[:2000]}"
        )
        named.update(re.findall(r'"(graph\.\w+)"\(', done.stdout))
        for line in done.stdout.splitlines():
            match = OP.match(line)
            if not match or "@" in line or "#graph<" in (match[4] or ""):
                continue
            operands, results = (
                [t[0] for t in re.finditer(r"tensor<[^<>]*>", text)]
                for text in (match[5], match[6])
            )
            if results and len(operands) == len(
                [name for name in match[2].split(",") if name.strip()]
            ):
                found.setdefault(match[1], []).append(
                    Instance(match[1], match[3], operands, results)
                )
    return found, named - set(found)


def verify(texts, most=1):
    """For each text: None where it is accepted, else what is wrong with how it is refused, or "".
    Of errors it may have `most`."""
    starts, line = [], 1
    for text in texts:
        starts.append(line)
        line += text.count("\n") + 2
    done = subprocess.run(
        [
            "graph-opt",
            "-",
            "--split-input-file",
            "--mlir-print-op-on-diagnostic=false",
            "--mlir-disable-threading",
            "-o",
            "/dev/null",
        ],
        input="\n// -----\n".join(texts),
        capture_output=True,
        text=True,
        errors="replace",
        preexec_fn=limited,
    )
    if done.returncode not in (0, 1) or NEVER.search(done.stderr):
        if len(texts) > 1:
            half = len(texts) // 2
            return verify(texts[:half], most) + verify(texts[half:], most)
        return [f"graph-opt: exit status {done.returncode}\n{done.stderr[:2000]}"]
    errors = [[] for _ in texts]
    for each in re.findall(r"^.*\berror: .*$", done.stderr, re.M):
        place = re.match(r"<stdin>:(\d+):\d+: error: ", each)
        errors[bisect.bisect_right(starts, int(place[1])) - 1 if place else 0] += [each[:300]] * (
            1 if place else most + 1
        )
    return [
        None
        if not found
        else ""
        if len(found) <= most
        else f"{len(found)} errors, or one without a place\n" + "\n".join(found)
        for found in errors
    ]


def compile(folder, number, text):
    """What is wrong; "" where nothing is."""
    model, plan = os.path.join(folder, f"{number}.mlir"), os.path.join(folder, f"{number}.plan")
    with open(model, "w") as file:
        file.write(text)
    try:
        done = subprocess.run(
            ["graphc", model, "-o", plan],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            preexec_fn=limited,
        )
    except subprocess.TimeoutExpired:
        return f"longer than {SECONDS} s"
    size = os.path.getsize(plan) if os.path.exists(plan) else None
    if size is not None:
        os.remove(plan)
    errors = re.findall(r"^(.*)error: (.*)$", done.stderr, re.M)
    why = ""
    if done.returncode not in (0, 1) or NEVER.search(done.stderr):
        why = f"exit status {done.returncode}"
    elif (size is None) == (done.returncode == 0) or len(errors) != done.returncode:
        why = f"exit status {done.returncode}, {len(errors)} errors, plan of {size} bytes"
    elif errors and not re.match(re.escape(model) + r":\d+:\d+: ", errors[0][0]):
        why = "an error without a place"
    elif errors and any(name not in text for name in re.findall(r"'(graph\.\w+)'", errors[0][1])):
        why = "names an op that nobody wrote"
    elif size and size > PLAN:
        why = f"a plan of {size} bytes"
    os.remove(model)
    return f"{why}\n{done.stderr[:1000]}" if why else ""


def settings(*positional):
    """What both sweeps are told: which of the variants are made, and how many of the models that
    they are."""
    parser = argparse.ArgumentParser()
    for name in positional:
        parser.add_argument(name)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--compile", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    return arguments


def sweep(arguments, cases, textOf, modelsOf, wrong, flags=()):
    """Verifies each case and compiles a share of those that are models; how many these are. What is
    wrong goes to the list."""
    batches, todo = [cases[i : i + 200] for i in range(0, len(cases), 200)], []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for batch, verdicts in zip(
            batches,
            pool.map(lambda batch: verify([textOf(each) for _, each in batch], *flags), batches),
        ):
            for (what, each), verdict in zip(batch, verdicts):
                if verdict:
                    wrong.append(f"{what}: {verdict}\n{textOf(each)[:600]}")
                elif verdict is None:
                    todo += modelsOf(what, each)
        todo = todo[:: arguments.compile]
        for (what, text), why in zip(
            todo,
            pool.map(lambda each: compile(arguments.folder, each[0], each[1][1]), enumerate(todo)),
        ):
            if why:
                wrong.append(f"{what}: {why}\n{text[:600]}")
    for each in wrong[:20]:
        print(each, end="\n\n")
    return len(todo)


def main():
    arguments = settings("root", "folder")
    cases, seen, wrong = [], set(), []
    found, leftOut = readInstances(arguments.root)
    for op, instances in found.items():
        for number, one in enumerate(instances if re.search(arguments.only, op) else ()):
            for what, variant in variants(one):
                if (text := variant.predict()) not in seen:
                    seen.add(text)
                    cases.append((f"{op}, its instance {number}, {what}", variant))
    cases = cases[:: arguments.every]

    def models(what, variant):
        return [
            (f"{what}, {make.__name__}", text)
            for make in (variant.predict, variant.constants, variant.train)
            if (text := make())
        ]

    compiled = sweep(arguments, cases, lambda variant: variant.predict(), models, wrong)
    if leftOut != LEFT_OUT | MADE_BY_PASSES:
        wrong.append(
            f"left out are {sorted(leftOut)}, expected {sorted(LEFT_OUT | MADE_BY_PASSES)}"
        )
        print(wrong[-1])
    print(f"{len(found)} ops, {len(cases)} variants, {compiled} compiled, {len(wrong)} wrong")
    return 1 if wrong or not cases or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
