"""Writes docs/status.md: for each op of the graph dialect what it has and what is tested. Called by
tools/docs.sh.

usage: status_table.py JSON ROOT   (JSON: llvm-tblgen --dump-json dialects/graph/GraphOps.td)
"""

import functools
import json
import os
import re
import sys

HEAD = """<!-- Written by tools/docs.sh; don't edit -->

# Status of the graph dialect

- **verifier**: `types` by type constraints alone, `inference` by the op's type inference too, `own` by a verifier of its own,
  `symbols` by a verifier of the symbols it names.
- **fold**: the op has folds or canonicalisations.
- **gradient**: the op builds its gradient; *checked*: f64 against central differences within 1e-6 and f32 against f64
  within 2e-5 and bf16 within 4 * 2^-8 (softmax 8 * 2^-8), all of the largest gradient of the case (`test/run/gradients`; an op with a gradient and no case fails
  the test).
- **f32 … ui32**: what the op computes is compared with its definition in this type, edge cases included, on a CPU
  (`test/run/values`).
- **CPU**, **GPU code**: what runs the op's code and compares what it computes. On a CPU, native code; GPU code is proven [on the tests' driver](cuda.md#the-simulated-driver), which
  runs PTX instruction by instruction on the CPU. `values`: each element with the op's definition (`test/run/values/check.py`; on GPUs `test_values` of
  test/run/test_gpu.py). `graphs`: random graphs with one device's bits, on GPUs with a CPU's (`test/run/test_random_graphs.py`). `runs`: the models of the
  [strategies](#status-of-the-strategies), under each. Each op that has code must be compared on both; a library's call, where a CPU has one, is on a GPU code like any other.
- **GPU run**: on a GPU, and not on the tests' driver: on none [so far](cuda.md).
- **tests**: kinds of lit tests in `test/dialects/graph` that name the op.
- An empty cell: not so, or not for this op. What has an empty one under GPU code is no code: structure, and what `differentiate`, `replicate` or `partition` puts others in place of.
  Messages, metrics, data sets and loops have runs of their own in `test/run`.

| op | verifier | fold | gradient | f32 | f64 | i32 | i64 | i1 | bf16 | i8 | ui8 | ui32 | CPU | GPU code | GPU run | tests |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def operations(records):
    for name in records["!instanceof"]["Op"]:
        record = records[name]
        if record.get("opDialect", {}).get("def") == "Graph_Dialect":
            yield record["opName"], record


def traits(record, records):
    """Names of the op's traits and interfaces, lists flattened."""
    names, todo = set(), [trait["def"] for trait in record["traits"]]
    while todo:
        trait = records[todo.pop()]
        names |= {trait["!name"], str(trait.get("trait")), str(trait.get("cppInterfaceName"))}
        todo += [inner["def"] for inner in trait.get("traits", []) if isinstance(inner, dict)]
    return names


def verifier(record, names):
    kinds = []
    if any("InferType" in name for name in names) or "SameOperandsAndResultType" in names:
        kinds.append("inference")
    if record["hasVerifier"]:
        kinds.append("own")
    if "SymbolUserOpInterface" in names:
        kinds.append("symbols")
    return ", ".join(kinds) or "types"


def hasCode(names):
    """Whether the op is computed by code of its own, or of what it is made of."""
    return bool(
        names & {"StructuredOpInterface", "ExplicitLoopsOpInterface", "DecomposableOpInterface"}
    )


def comparedIn(root):
    """{kind of device: {test: its text}}, of what the tests run: with the words by which they call
    it, and without the names of attributes."""
    import check
    import random_graphs
    import strategies

    def values(name, pattern):
        """The models that check.py makes for each call of it in a test."""
        with open(os.path.join(root, "test", "run", name)) as file:
            calls = [
                list(filter(None, re.split(r'[\s",]+', words)))
                for words in re.findall(pattern, file.read())
            ]
        return {
            element: "\n".join(
                check.model(check.chosenCases(check.arguments(words), element), False)
                for words in calls
            )
            for element in check.ELEMENTS
        }

    def models(names):
        texts = []
        for name in names:
            with open(strategies.FILES[name]) as file:
                texts.append(re.sub(r"//.*", "", file.read()))
        return "\n".join(texts)

    onCpus = values("values.test", r"(?m)^RUN: python3 %root/test/run/values/check\.py(.*)$")
    onGpus = values("test_gpu.py", r"HERE / \"values/check\.py\"((?:, \"--[^\"]*\")*)")
    graphs = {
        kind: "\n".join(f"graph.{op} " for op in sorted(random_graphs.opsOfTests(kind)))
        for kind in random_graphs.GRAPHS
    }
    return onCpus, {
        "CPU": {
            "values": "\n".join(onCpus.values()),
            "graphs": graphs["CPU"],
            "runs": models(strategies.FILES.keys() - strategies.ON_GPUS),
        },
        "GPU": {
            "values": "\n".join(onGpus.values()),
            "graphs": graphs["GPU"],
            "runs": models([*strategies.ON_DEVICES, *strategies.ON_GPUS]),
        },
    }


def main():
    source, root = sys.argv[1:]
    with open(source) as file:
        records = json.load(file)
    for folder in ("reference", "run", "run/gradients", "run/values"):
        sys.path.append(os.path.join(root, "test", folder))
    from cases import cases

    gradients = "\n".join(case.text for case in cases())
    sys.path.remove(os.path.join(root, "test", "run/gradients"))
    values, compared = comparedIn(root)
    folder, lit = os.path.join(root, "test", "dialects", "graph"), {}
    for name in sorted(os.listdir(folder)):
        kind = re.search(r"-(ops|invalid|canonicalize)\.mlir$", name)
        if kind:
            with open(os.path.join(folder, name)) as file:
                lit[kind.group(1)] = lit.get(kind.group(1), "") + file.read()

    @functools.cache
    def named(text):
        return set(re.findall(r"(?<![\w#])graph\.(\w+)", text))

    def has(text, op):
        return op in named(text)

    lines, lacking = [], []
    for op, record in sorted(operations(records)):
        names = traits(record, records)
        gradient = (
            ""
            if "DifferentiableOpInterface" not in names
            else "checked"
            if has(gradients, op)
            else "yes"
        )
        folds = record["hasFolder"] or record["hasCanonicalizer"] or record["hasCanonicalizeMethod"]
        cells = [f"`{op}`", verifier(record, names), "yes" if folds else "", gradient]
        cells += ["yes" if has(values[element], op) else "" for element in values]
        for kind, tests in compared.items():
            found = [test for test, text in tests.items() if has(text, op)]
            cells.append(", ".join(found))
            if hasCode(names) and not found:
                lacking.append(
                    f"no test compares what graph.{op} computes on a {kind}; test/run/values wants a case"
                )
        cells.append("never" if hasCode(names) else "")
        cells.append(
            ", ".join(kind for kind in ("ops", "invalid", "canonicalize") if has(lit[kind], op))
        )
        lines.append("| " + " | ".join(cells) + " |")
    print(HEAD + "\n".join(lines))
    if lacking:
        sys.exit("\n".join(lacking))


if __name__ == "__main__":
    main()
