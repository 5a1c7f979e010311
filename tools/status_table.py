"""Writes docs/status.md: for each op of the graph dialect what it has and what is tested. Called by tools/docs.sh.

usage: status_table.py JSON ROOT   (JSON: llvm-tblgen --dump-json dialects/graph/GraphOps.td)
"""
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
  within 2e-5, both of the largest gradient of the case (`test/run/gradients`; an op with a gradient and no case fails
  the test).
- **f32 … ui32**: what the op computes is compared with its definition in this type, edge cases included
  (`test/run/values`).
- **tests**: kinds of lit tests in `test/dialects/graph` that name the op.
- All of it is of CPUs. For GPUs these values (`test_values` of test/run/test_gpu.py) and random graphs are compared with a CPU, on a driver that runs PTX on the CPU; on a real GPU
  nothing has ever run ([GPUs](cuda.md)).
- An empty cell: not so, or not for this op. State and training ops (`apply_*`, `assign*`, `next_batch`, …) have no values of
  their own to compare; the runs of `test/run` do (test_sync_bits.py, test_random_graphs.py, test_examples.py).

| op | verifier | fold | gradient | f32 | f64 | i32 | i64 | i1 | bf16 | i8 | ui8 | ui32 | tests |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
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


def main():
    source, root = sys.argv[1:]
    with open(source) as file:
        records = json.load(file)
    for folder in ("reference", "run/gradients", "run/values"):
        sys.path.append(os.path.join(root, "test", folder))
    from cases import cases
    gradients = "\n".join(case.text for case in cases())
    sys.path.remove(os.path.join(root, "test", "run/gradients"))
    import check
    values = {element: "\n".join(case.text for case in make(element)) for element, make in check.ELEMENTS.items()}
    folder, tests = os.path.join(root, "test", "dialects", "graph"), {}
    for name in sorted(os.listdir(folder)):
        kind = re.search(r"-(ops|invalid|canonicalize)\.mlir$", name)
        if kind:
            with open(os.path.join(folder, name)) as file:
                tests[kind.group(1)] = tests.get(kind.group(1), "") + file.read()

    def has(text, op):
        return re.search(rf"\bgraph\.{op}\b(?!_)", text)

    lines = []
    for op, record in sorted(operations(records)):
        names = traits(record, records)
        gradient = "" if "DifferentiableOpInterface" not in names else "checked" if has(gradients, op) else "yes"
        folds = record["hasFolder"] or record["hasCanonicalizer"] or record["hasCanonicalizeMethod"]
        cells = [f"`{op}`", verifier(record, names), "yes" if folds else "", gradient]
        cells += ["yes" if has(values[element], op) else "" for element in check.ELEMENTS]
        cells.append(", ".join(kind for kind in ("ops", "invalid", "canonicalize") if has(tests[kind], op)))
        lines.append("| " + " | ".join(cells) + " |")
    print(HEAD + "\n".join(lines))


if __name__ == "__main__":
    main()
