"""Gradients of every differentiable op: f64 against central differences, f32 against f64, and bf16
against f64.

With --every, no op that implements DifferentiableOpInterface (as TableGen lists them) may lack a
case.

Each case is one model with one training step. It minimizes sum(op(x) * weights) by sgd at rate 1,
so that the variable loses exactly its gradient; and it evaluates the same function on variables
that are off by ± step in one element, and keeps the losses in variables of their own.
`graphrun --dump-variables` brings all of it back. In bf16 all cases are one model: its variables
are f32, and each case is computed behind a conversion of them and before one of its result, as
layers in bf16 are.

With --reference the model passes alone are on trial: graph-opt differentiates and decomposes, and
the interpreter of test/reference runs what comes out.

usage: check.py [--reference] [--every] [--graphc PATH] [--graphrun PATH] [--graph-opt PATH]
                [--only REGEX] [--keep DIR]
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "test", "reference"), os.path.join(ROOT, "tools")]
import interpret  # noqa: E402
from cases import cases, values  # noqa: E402
from harness import count, execute, readNpy, tensor  # noqa: E402
from status_table import operations, traits  # noqa: E402


def dense(shape, numbers, element):
    """The initializer of a variable, or the value of a constant."""
    text = [f"{number:.17e}" for number in numbers]

    def nest(sizes):
        if not sizes:
            return text.pop(0)
        return "[" + ", ".join(nest(sizes[1:]) for _ in range(sizes[0])) + "]"

    return f"dense<{nest(list(shape))}> : {tensor(shape, element)}"


def perturbations(case):
    for name, (shape, numbers) in case.variables.items():
        for index in range(count(shape)):
            for sign in (1, -1):
                moved = list(numbers)
                moved[index] += sign * case.step
                yield name, index, sign, moved


def model(case, element, differences):
    """The text of the case's model. With differences: with the losses at every perturbation."""
    _, weights = values(case.name + "w", case.out, 0.25, 2.0)
    head, body = [], [case.constants]
    body.append(f"%weights = graph.constant {dense(case.out, weights, element)}")

    def evaluate(suffix, reads):
        """Appends the loss as %loss<suffix>; `reads` says which variable each name is read from."""
        for name, (shape, _) in case.variables.items():
            body.append(f"%{name}{suffix} = graph.read @{reads.get(name, name)} : {tensor(shape)}")
        shared = set(re.findall(r"%(\w+) =", case.constants))
        body.append(
            re.sub(
                r"%(\w+)",
                lambda m: m.group(0) if m.group(1) in shared else m.group(0) + suffix,
                case.text,
            )
        )
        body.append(
            f"%weighted{suffix} = graph.multiply %out{suffix}, %weights : {tensor(case.out)}"
        )
        every = list(range(len(case.out)))
        body.append(
            f"%loss{suffix} = graph.reduce_sum %weighted{suffix} dimensions = {every} : "
            f"({tensor(case.out)}) -> {tensor(())}"
        )

    for name, (shape, numbers) in case.variables.items():
        head.append(
            f"graph.variable @{name} : {tensor(shape)} = #graph.value<{dense(shape, numbers, element)}>"
        )
    if differences:
        for number, (name, _, _, moved) in enumerate(perturbations(case)):
            shape = case.variables[name][0]
            head.append(
                f"graph.variable @moved{number} : {tensor(shape)} = "
                f"#graph.value<{dense(shape, moved, element)}> {{trainable = false}}"
            )
            head.append(
                f"graph.variable @loss{number} : {tensor(())} = #graph.zeros {{trainable = false}}"
            )
            evaluate(f"_{number}", {name: f"moved{number}"})
            body.append(f"graph.assign @loss{number}, %loss_{number} : {tensor(())}")
    evaluate("_", {})
    body.append(
        f"graph.minimize %loss_ {{optimizer = #graph.sgd<learning_rate = 1.0>}} : {tensor(())}"
    )
    body.append(f"graph.return %loss_ : {tensor(())}")
    text = (
        "\n".join(
            [
                *head,
                f'graph.func @step() -> ({tensor(())} {{graph.name = "loss"}}) '
                "attributes {role = #graph.role<train>} {",
                *body,
                "}",
            ]
        )
        + "\n"
    )
    return text.replace("ELEMENT", element).replace("OTHER", {"f64": "f32", "f32": "f64"}[element])


def run(tools, folder, case, element, differences):
    """Gradients by variable, and the losses at the perturbations, of one compiled and executed
    model."""
    base = os.path.join(folder, f"{case.name}.{element}")
    with open(base + ".mlir", "w") as file:
        file.write(model(case, element, differences))
    if tools.reference:
        state = interpret.run(
            execute(
                tools.graph_opt,
                base + ".mlir",
                "--simplify",
                "--differentiate",
                "--simplify",
                "--decompose",
                "--cse",
                "--mlir-print-op-generic",
            )
        )
        after = {name: tensor.flat for name, tensor in state.items()}.__getitem__
    else:
        execute(tools.graphc, base + ".mlir", "-o", base + ".plan")
        execute(tools.graphrun, base + ".plan", "--steps", "1", "--dump-variables", base)

        def after(name):
            return readNpy(f"{base}/{name}.npy")

    gradients = {
        name: [old - new for old, new in zip(numbers, after(name), strict=True)]
        for name, (_, numbers) in case.variables.items()
    }
    losses = (
        [after(f"loss{number}")[0] for number, _ in enumerate(perturbations(case))]
        if differences
        else []
    )
    return gradients, losses


def compare(what, got, expected, allowed, scale):
    """A message for the worst element beyond what is allowed, relative to `scale`."""
    worst, index = max(
        (abs(a - b) / scale, i) for i, (a, b) in enumerate(zip(got, expected, strict=True))
    )
    if worst <= allowed:
        return []
    return [
        f"{what} element {index}: {got[index]!r}, expected {expected[index]!r}; off by {worst:.2e} of {scale:.3g}, "
        f"allowed {allowed:.0e}"
    ]


def bfloatModel(chosen):
    """The text of the model that has all cases in bf16. Names of case 7 begin with c7_."""
    head, body = [], []
    for number, case in enumerate(chosen):
        own = lambda text, number=number: (
            re.sub(r"%(\w+)", rf"%c{number}_\1", text)
            .replace("ELEMENT", "bf16")
            .replace("OTHER", "f32")
        )
        add = lambda text, own=own: body.append(own(text))
        _, weights = values(case.name + "w", case.out, 0.25, 2.0)
        add(case.constants)
        for name, (shape, numbers) in case.variables.items():
            assert all(interpret.rounded("bf16", v) == v for v in numbers), (
                f"{case.name}: bf16 does not have {name}'s values"
            )
            wide = tensor(shape, "f32")
            head.append(
                f"graph.variable @c{number}_{name} : {wide} = #graph.value<{dense(shape, numbers, 'f32')}>"
            )
            add(
                f"%{name}_wide = graph.read @c{number}_{name} : {wide}\n%{name} = graph.convert %{name}_wide : ({wide}) -> {tensor(shape)}"
            )
        wide = tensor(case.out, "f32")
        add(
            f"{case.text}\n%wide = graph.convert %out : ({tensor(case.out)}) -> {wide}\n"
            f"%weights = graph.constant {dense(case.out, weights, 'f32')}\n%weighted = graph.multiply %wide, %weights : {wide}\n"
            f"%loss = graph.reduce_sum %weighted dimensions = {list(range(len(case.out)))} : ({wide}) -> tensor<f32>"
        )
        if number:
            body.append(f"%sum{number} = graph.add {total}, %c{number}_loss : tensor<f32>")
        total = f"%sum{number}" if number else "%c0_loss"
    body += [
        f"graph.minimize {total} {{optimizer = #graph.sgd<learning_rate = 1.0>}} : tensor<f32>",
        "graph.return",
    ]
    return (
        "\n".join(
            [*head, "graph.func @step() attributes {role = #graph.role<train>} {", *body, "}"]
        )
        + "\n"
    )


def bfloatGradients(tools, folder, chosen):
    """Of each case by variable."""
    base = os.path.join(folder, "bf16")
    with open(base + ".mlir", "w") as file:
        file.write(bfloatModel(chosen))
    execute(tools.graphc, base + ".mlir", "-o", base + ".plan")
    execute(tools.graphrun, base + ".plan", "--steps", "1", "--dump-variables", base)
    return [
        {
            name: [
                old - new
                for old, new in zip(numbers, readNpy(f"{base}/c{number}_{name}.npy"), strict=True)
            ]
            for name, (_, numbers) in case.variables.items()
        }
        for number, case in enumerate(chosen)
    ]


def check(tools, folder, case, bfloat):
    """Messages of failure. `bfloat`: the gradients in bf16."""
    exact, losses = run(tools, folder, case, "f64", differences=True)
    numeric = {name: [0.0] * len(numbers) for name, (_, numbers) in case.variables.items()}
    for (name, index, sign, _), loss in zip(perturbations(case), losses, strict=True):
        numeric[name][index] += sign * loss / (2 * case.step)
    single, _ = run(tools, folder, case, "f32", differences=False)
    scale = max(1.0, *(abs(g) for gradient in exact.values() for g in gradient))
    messages = []
    for name in case.variables:
        messages += compare(
            f"{case.name}: f64 gradient by {name},",
            exact[name],
            numeric[name],
            case.tolerance,
            scale,
        )
        messages += compare(
            f"{case.name}: f32 gradient by {name},", single[name], exact[name], case.bound, scale
        )
        if bfloat:
            largest = max(abs(g) for gradient in exact.values() for g in gradient) or 1.0
            messages += compare(
                f"{case.name}: bf16 gradient by {name},",
                bfloat[name],
                exact[name],
                case.bfloat,
                largest,
            )
    if case.name != "sign" and all(g == 0 for gradient in exact.values() for g in gradient):
        messages.append(f"{case.name}: every gradient is zero, so nothing was checked")
    return messages


def without_case():
    """Differentiable ops that no case computes."""
    config = os.environ.get("LLVM_CONFIG", "llvm-config-22")
    binaries, include = execute(config, "--bindir").strip(), execute(config, "--includedir").strip()
    records = json.loads(
        subprocess.run(
            [
                os.path.join(binaries, "llvm-tblgen"),
                "--dump-json",
                f"-I{ROOT}",
                f"-I{include}",
                os.path.join(ROOT, "dialects", "graph", "GraphOps.td"),
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    covered = {op for case in cases() for op in re.findall(r"graph\.(\w+)", case.text)}
    wanted = {
        op
        for op, record in operations(records)
        if "DifferentiableOpInterface" in traits(record, records)
    }
    if len(wanted) < 20:
        raise RuntimeError(
            f"TableGen lists {len(wanted)} differentiable ops only: {sorted(wanted)}"
        )
    return sorted(wanted - covered)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphc", default="graphc")
    parser.add_argument("--graphrun", default="graphrun")
    parser.add_argument("--graph-opt", default="graph-opt")
    parser.add_argument("--reference", action="store_true", help="interpret instead of compiling")
    parser.add_argument("--every", action="store_true", help="no differentiable op may lack a case")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="leave models and results here")
    tools = parser.parse_args()
    chosen = [case for case in cases() if re.search(tools.only, case.name)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = tools.keep or scratch
        os.makedirs(folder, exist_ok=True)
        bfloat = (
            bfloatGradients(tools, folder, chosen)
            if chosen and not tools.reference
            else [None] * len(chosen)
        )
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(
                pool.map(lambda case, narrow: check(tools, folder, case, narrow), chosen, bfloat)
            )
    failures = [message for messages in results for message in messages]
    if tools.every:
        failures += [f"graph.{op} has a gradient and no case in cases.py" for op in without_case()]
    print("\n".join(failures))
    print(f"{len(chosen)} cases, {sum(map(bool, results))} failed")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
