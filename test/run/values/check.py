"""What each op computes, edge cases included, against its definition in Python.

One model an element type: inputs are variables, each op's result is assigned to a variable of its
own, one step is run and `graphrun --dump-variables` brings the results back. Ops that IEEE 754 or
integer arithmetic defines must agree bit by bit, those made of polynomials or sums within a stated
bound.

usage: check.py [--reference | --constants | --gpu] [--graphc PATH] [--graphrun PATH]
                [--graph-opt PATH] [--only REGEX] [--keep DIR]
With --constants the inputs are constants, so that what folds is computed by the folds.
With --gpu it runs on GPU:0 (LD_LIBRARY_PATH says by which driver), and all the same must hold.
With --reference the interpreter of test/reference runs the model after --decompose: the definitions
alone are on trial.
Over 900 lines: one table of all ops, each with its definition.
"""

import argparse
import json
import math
import os
import re
import struct
import sys
import tempfile

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference")
)
import interpret  # noqa: E402
from contraction import dotCases  # noqa: E402
import narrow  # noqa: E402
import primitives  # noqa: E402
from case import FLOATS, INF, INTEGERS, NAN, Case, pairs, rows  # noqa: E402
from harness import count, execute, readNpy, tensor  # noqa: E402
from indexing import indexingCases  # noqa: E402
from window_cases import convolutionCases, poolCases  # noqa: E402
from attention_values import attentions  # noqa: E402
from backward_values import backward  # noqa: E402
from norm_values import norms  # noqa: E402
from random_values import randomCases  # noqa: E402
from update_values import integerUpdates, stepCases, updates  # noqa: E402


def power(x, y):
    if y == 0:
        return 1.0
    if x != x or y != y:
        return NAN
    if x == 0:
        return 0.0 if y > 0 else INF
    if x < 0 and y != math.trunc(y):
        return NAN
    try:
        return math.pow(x, y)
    except OverflowError:
        return INF


def softmax(row):
    top = max(row)
    e = [math.exp(x - top) for x in row]
    return [x / math.fsum(e) for x in e]


def floatCases(element):
    f = interpret.ELEMENTWISE
    bound = {"f32": 3e-6, "f64": 1e-14}[element]
    n = len(FLOATS)
    a, b = pairs(FLOATS)

    def unary(op, function, values=FLOATS, bound=0.0):
        return Case(
            op,
            f"graph.{op} %a : RESULT",
            [((len(values),), element, values)],
            ((len(values),), element),
            lambda x: [function(v) for v in x],
            bound,
        )

    for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), element),
            lambda x, y, op=op: list(map(f[op], x, y)),
        )
    for op in ("negate", "abs", "sqrt"):
        yield unary(op, f[op])
    yield unary("relu", f["relu"])  # NaN and -0 become +0, here and as the library's last step
    if element == "f32":
        yield from libraryRelu()
    yield unary("sign", lambda x: x if x == 0 or x != x else math.copysign(1, x))
    # Near where the result overflows, is the least number, and is 0; the least of these is far from
    # exact.
    limits = {
        "f32": [88.7, 88.8, -87.3, -104.5, 1e38],
        "f64": [709.7, 709.8, -708.3, -746.0, 1e308],
    }[element]
    yield unary("exponential", f["exponential"], FLOATS + limits, bound=bound)
    tiny = {"f32": [1e-45, 1.2e-38, 3.4e38], "f64": [5e-324, 2.3e-308, 1.7e308]}[element]
    yield unary("log", f["log"], FLOATS + tiny, bound=bound)
    yield unary("tanh", math.tanh, FLOATS + tiny + limits + [1e-3, 0.624, 0.626, 9.5], bound=bound)
    yield unary(
        "logistic", lambda x: interpret.divide(1.0, 1 + interpret.exponential(-x)), bound=bound
    )
    yield unary("rsqrt", lambda x: interpret.divide(1.0, f["sqrt"](x)), bound=bound)
    # The error of exp(y log x) grows with the logarithm of the result.
    small = [x for x in FLOATS if x != x or x == 0 or 0.4 < abs(x) < 21]
    c, d = pairs(small)
    yield Case(
        "power",
        "graph.power %a, %b : RESULT",
        [((len(c),), element, c), ((len(c),), element, d)],
        ((len(c),), element),
        lambda x, y: list(map(power, x, y)),
        bound * 40,
    )
    for number, relation in enumerate("eq ne lt le gt ge".split()):
        yield Case(
            f"compare_{relation}",
            f"graph.compare {relation}, %a, %b : INPUT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), "i1"),
            lambda x, y, number=number: list(map(interpret.RELATION[number], x, y)),
        )
    for to in ("i32", "i64", "i1", "f32", "f64"):
        if to != element:
            # The last ones that fit, the first that do not, and what lies between; ties of f32.
            values = [
                *FLOATS,
                2.9,
                -2.9,
                0.9999,
                -0.9999,
                1e19,
                -1e19,
                2147483647.0,
                2147483647.5,
                2147483520.0,
                2147483648.0,
                -2147483648.0,
                -2147483649.0,
                9223372036854774784.0,
                9223371487098961920.0,
                2.0**63,
                -(2.0**63),
                -9223372036854777856.0,
                16777217.0,
                16777219.0,
                1e38,
                1e-46,
                -1e-46,
                *([3.4028235677973366e38, -3.4028235677973362e38] if element == "f64" else []),
            ]
            yield Case(
                f"convert_{to}",
                "graph.convert %a : (INPUT) -> RESULT",
                [((len(values),), element, values)],
                ((len(values),), to),
                lambda x, to=to: [interpret.convert(v, to) for v in x],
            )

    matrix = [math.sin(i * 1.7) * 3 for i in range(4 * 37)]
    # No cancellation, so that the bound is one on the sum.
    positive = [value + 4 for value in matrix]
    for op, pick in (
        ("sum", math.fsum),
        ("max", max),
        ("min", min),
        ("mean", lambda row: math.fsum(row) / len(row)),
    ):
        yield Case(
            f"reduce_{op}_last",
            f"graph.reduce_{op} %a dimensions = [1] : (INPUT) -> RESULT",
            [((4, 37), element, positive)],
            ((4,), element),
            lambda x, pick=pick: [pick(r) for r in rows(x, 37)],
            bound,
        )
        yield Case(
            f"reduce_{op}_first",
            f"graph.reduce_{op} %a dimensions = [0] : (INPUT) -> RESULT",
            [((4, 37), element, positive)],
            ((37,), element),
            lambda x, pick=pick: [pick(x[i::37]) for i in range(37)],
            bound,
        )
        yield Case(
            f"reduce_{op}_all",
            f"graph.reduce_{op} %a dimensions = [0, 1] : (INPUT) -> RESULT",
            [((4, 37), element, positive)],
            ((), element),
            lambda x, pick=pick: [pick(x)],
            bound,
        )
    special = [
        1.0,
        3.0,
        3.0,
        -INF,
        NAN,
        2.0,
        2.0,
        2.0,
        -0.0,
        0.0,
        -1.0,
        NAN,
        -INF,
        -INF,
        -INF,
        5.0,
        1.0,
        INF,
    ]
    yield Case(
        "reduce_max_special",
        "graph.reduce_max %a dimensions = [1] : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((6,), element),
        lambda x: [interpret.largest(r) for r in rows(x, 3)],
    )
    yield Case(
        "reduce_min_special",
        "graph.reduce_min %a dimensions = [1] : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((6,), element),
        lambda x: [interpret.smallest(r) for r in rows(x, 3)],
    )
    for op, of in (("max", interpret.largest), ("min", interpret.smallest)):
        long = scattered()
        yield Case(
            f"reduce_{op}_scattered_last",
            f"graph.reduce_{op} %a dimensions = [1] : (INPUT) -> RESULT",
            [((5, 100), element, long)],
            ((5,), element),
            lambda x, of=of: [of(r) for r in rows(x, 100)],
        )
        yield Case(
            f"reduce_{op}_scattered_first",
            f"graph.reduce_{op} %a dimensions = [0] : (INPUT) -> RESULT",
            [((100, 5), element, [long[j * 100 + i] for i in range(100) for j in range(5)])],
            ((5,), element),
            lambda x, of=of: [of(x[j::5]) for j in range(5)],
        )
    yield Case(
        "argmax",
        "graph.argmax %a dimension = 1 : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((6,), "i32"),
        lambda x: [interpret.firstLargest(r) for r in rows(x, 3)],
    )
    yield Case(
        "argmax_first",
        "graph.argmax %a dimension = 0 : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((3,), "i32"),
        lambda x: [interpret.firstLargest(x[i::3]) for i in range(3)],
    )
    yield Case(
        "argmax_long",
        "graph.argmax %a dimension = 1 : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((4,), "i32"),
        lambda x: [interpret.firstLargest(r) for r in rows(x, 37)],
    )
    yield Case(
        "argmax_i64",
        "graph.argmax %a dimension = 1 : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((6,), "i64"),
        lambda x: [interpret.firstLargest(r) for r in rows(x, 3)],
    )
    yield Case(
        "softmax",
        "graph.softmax %a : RESULT",
        [((4, 37), element, matrix)],
        ((4, 37), element),
        lambda x: [p for r in rows(x, 37) for p in softmax(r)],
        bound * 4,
    )
    yield Case(
        "log_softmax",
        "graph.log_softmax %a : RESULT",
        [((4, 37), element, matrix)],
        ((4, 37), element),
        lambda x: [math.log(p) for r in rows(x, 37) for p in softmax(r)],
        bound * 4,
    )
    labels = [3, 36, 0, 40]  # the last one names no class
    yield Case(
        "softmax_cross_entropy",
        "graph.softmax_cross_entropy %a, %b : (INPUTS) -> RESULT",
        [((3, 37), element, matrix[:111]), ((3,), "i32", labels[:3])],
        ((), element),
        lambda x, y: [-math.fsum(math.log(softmax(r)[c]) for r, c in zip(rows(x, 37), y)) / 3],
        bound * 4,
    )
    targets = [abs(math.cos(i * 0.7)) for i in range(4 * 37)]
    yield Case(
        "dense_softmax_cross_entropy",
        "graph.dense_softmax_cross_entropy %a, %b : (INPUTS) -> RESULT",
        [((4, 37), element, matrix), ((4, 37), element, targets)],
        ((), element),
        lambda x, t: [
            -math.fsum(
                w * math.log(p)
                for r, ts in zip(rows(x, 37), rows(t, 37))
                for w, p in zip(ts, softmax(r))
            )
            / 4
        ],
        bound * 4,
    )
    wide = [value * 20 for value in matrix]
    yield Case(
        "sigmoid_cross_entropy",
        "graph.sigmoid_cross_entropy %a, %b : (INPUTS) -> RESULT",
        [((4, 37), element, wide), ((4, 37), element, targets)],
        ((), element),
        lambda x, t: [
            math.fsum(max(v, 0) - v * w + math.log1p(math.exp(-abs(v))) for v, w in zip(x, t))
            / len(x)
        ],
        bound * 4,
    )
    yield Case(
        "nll_loss",
        "graph.nll_loss %a, %b : (INPUTS) -> RESULT",
        [((4, 37), element, matrix), ((4,), "i32", labels)],
        ((), element),
        lambda x, y: [-math.fsum(r[c] for r, c in zip(rows(x, 37), y) if c < 37) / 4],
        bound,
    )
    yield Case(
        "one_hot",
        "graph.one_hot %a : (INPUT) -> RESULT",
        [((3,), "i64", [2, -1, 4])],
        ((3, 4), element),
        lambda x: [float(c == i) for c in x for i in range(4)],
    )
    yield Case(
        "iota",
        "graph.iota dimension = 1 : RESULT",
        [],
        ((3, 5), element),
        lambda: [float(i % 5) for i in range(15)],
    )
    yield Case(
        "bias_add",
        "graph.bias_add %a, %b : INPUTS",
        [((4, 37), element, matrix), ((37,), element, matrix[:37])],
        ((4, 37), element),
        lambda x, y: [v + y[i % 37] for i, v in enumerate(x)],
    )
    yield from shapeCases(element, matrix[:24])
    yield from matmulCases(element, matrix, bound)
    yield from convolutionCases(Case, element, bound)
    yield from poolCases(Case, element, bound)
    yield from norms(Case, element, bound)
    yield from attentions(Case, element, bound)
    yield from backward(element)
    yield from updates(element)
    if element == "f64":
        yield from stepCases()
    yield from randomCases(element)
    yield from primitives.floatCases(element)


def scattered():
    """Rows of 100 that are told apart by one element, wherever the partial maxima meet it: zeros of
    both signs, a NaN, infinities."""
    few = {0: {73: 0.0}, 1: {41: -0.0}, 2: {99: NAN}, 3: {64: INF, 31: -INF}, 4: {}}
    fill = {0: -0.0, 1: 0.0, 2: 1.0, 3: -2.5, 4: -INF}
    return [few[row].get(i, fill[row]) for row in range(5) for i in range(100)]


def libraryRelu():
    """A product with bias_add and relu that is one call of the library, and the same with the relu
    compiled."""
    n = 32  # large enough for the library
    x = [
        [NAN, -0.0, INF, -INF, 3.0, -3.0, 1e-45, 0.0][i % 8] if i == j else 0.0
        for i in range(n)
        for j in range(n)
    ]
    one = [[1.0] * n] * n
    bias = [-0.0] * n

    def expected(x, one, bias):
        total = [sum(row) for row in rows(x, n)]  # each row has one number beside zeros
        return [v if v > 0 else 0.0 for v in total for _ in range(n)]

    inputs = [
        ((n, n), "f32", x),
        ((n, n), "f32", [v for row in one for v in row]),
        ((n,), "f32", bias),
    ]
    product = "graph.matmul %a, %b : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>"
    biased = "graph.bias_add %p, %c : tensor<32x32xf32>, tensor<32xf32>"
    yield Case(
        "relu_in_library",
        f"%p = {product}\n%q = {biased}\ngraph.relu %q : RESULT",
        inputs,
        ((n, n), "f32"),
        expected,
    )
    # The negation in between keeps the library from taking the relu.
    yield Case(
        "relu_after_library",
        f"%p = {product}\n%q = {biased}\n%r = graph.negate %q : RESULT\n%s = graph.abs %r : RESULT\n"
        "%t = graph.add %s, %q : RESULT\n%u = graph.constant dense<0.5> : RESULT\n%v = graph.multiply %t, %u : RESULT\n"
        "graph.relu %v : RESULT",
        inputs,
        ((n, n), "f32"),
        expected,
    )


def integerCases(element):
    ends = [-(2**63), 2**63 - 1, -(2**63) + 1] if element == "i64" else []
    values = INTEGERS + ends
    n = len(values)
    a, b = pairs(values)
    for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), element),
            lambda x, y, op=op: list(map(INTEGER[op], x, y)),
        )
    for op in ("negate", "abs", "sign"):
        yield Case(
            op,
            f"graph.{op} %a : RESULT",
            [((n,), element, values)],
            ((n,), element),
            lambda x, op=op: [INTEGER[op](v) for v in x],
        )
    for number, relation in enumerate("eq ne lt le gt ge".split()):
        yield Case(
            f"compare_{relation}",
            f"graph.compare {relation}, %a, %b : INPUT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), "i1"),
            lambda x, y, number=number: list(map(interpret.RELATION[number], x, y)),
        )
    for to in ("i32", "i64", "i1", "f32", "f64"):
        if to != element:
            ties = [
                *values,
                16777217,
                16777219,
                -16777217,
                *(
                    [2**53 + 1, -(2**53) - 3, 2**62 + 1, 2**32, -(2**32) - 1]
                    if element == "i64"
                    else []
                ),
            ]
            yield Case(
                f"convert_{to}",
                "graph.convert %a : (INPUT) -> RESULT",
                [((len(ties),), element, ties)],
                ((len(ties),), to),
                lambda x, to=to: [interpret.convert(v, to) for v in x],
            )
    matrix = [(i * 7919) % 101 - 50 for i in range(4 * 37)]
    yield Case(
        "reduce_sum",
        "graph.reduce_sum %a dimensions = [1] : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((4,), element),
        lambda x: [sum(r) for r in rows(x, 37)],
    )
    yield Case(
        "reduce_max",
        "graph.reduce_max %a dimensions = [0] : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((37,), element),
        lambda x: [max(x[i::37]) for i in range(37)],
    )
    yield Case(
        "reduce_min",
        "graph.reduce_min %a dimensions = [0] : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((37,), element),
        lambda x: [min(x[i::37]) for i in range(37)],
    )
    yield Case(
        "argmax",
        "graph.argmax %a dimension = 1 : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((4,), "i32"),
        lambda x: [r.index(max(r)) for r in rows(x, 37)],
    )
    yield Case(
        "iota",
        "graph.iota dimension = 0 : RESULT",
        [],
        ((3, 5), element),
        lambda: [i // 5 for i in range(15)],
    )
    yield Case(
        "one_hot",
        "graph.one_hot %a : (INPUT) -> RESULT",
        [((3,), element, [2, -1, 4])],
        ((3, 4), element),
        lambda x: [int(c == i) for c in x for i in range(4)],
    )
    yield from shapeCases(element, matrix[:24])
    yield from matmulCases(element, matrix, 0.0)
    yield from convolutionCases(Case, element, 0.0)
    yield from poolCases(Case, element, 0.0)
    yield from integerUpdates(element)
    yield from randomCases(element)
    yield from primitives.integerCases(element)


INTEGER = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": interpret.divide,
    "maximum": max,
    "minimum": min,
    "negate": lambda a: -a,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
}


def shapeCases(element, flat):
    yield Case(
        "reshape",
        "graph.reshape %a : (INPUT) -> RESULT",
        [((2, 3, 4), element, flat)],
        ((4, 6), element),
        lambda x: x,
    )
    yield Case(
        "transpose",
        "graph.transpose %a permutation = [2, 0, 1] : (INPUT) -> RESULT",
        [((2, 3, 4), element, flat)],
        ((4, 2, 3), element),
        lambda x: [x[j * 12 + k * 4 + i] for i in range(4) for j in range(2) for k in range(3)],
    )
    yield Case(
        "broadcast_in_dim",
        "graph.broadcast_in_dim %a broadcast_dimensions = [0, 2] : (INPUT) -> RESULT",
        [((1, 3), element, flat[:3])],
        ((2, 2, 3), element),
        lambda x: x * 4,
    )
    yield from moveCases(element, flat)
    yield Case(
        "select",
        "graph.select %a, %b, %c : RESULT",
        [
            ((4,), "i1", [True, False, False, True]),
            ((4,), element, flat[:4]),
            ((4,), element, flat[4:8]),
        ],
        ((4,), element),
        lambda p, x, y: [a if c else b for c, a, b in zip(p, x, y)],
    )


def moveCases(element, flat):
    """Slices and concatenations: read from a variable, behind what is inlined, and as a view."""
    sumBound = {"bf16": 2.0**-8, "f32": 3e-6, "f64": 1e-14}.get(element, 0.0)

    def sliced(name, shape, starts, limits, strides):
        out = tuple((e - b - 1) // s + 1 for b, e, s in zip(starts, limits, strides))
        steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        places = [
            sum((b + i * s) * step for b, i, s, step in zip(starts, index, strides, steps))
            for index in interpret.indices(out)
        ]
        text = (
            f"graph.slice %a start_indices = {starts} limit_indices = {limits} strides = {strides} "
            ": (INPUT) -> RESULT"
        )
        return Case(
            name,
            text,
            [(shape, element, flat[: math.prod(shape)])],
            (out, element),
            lambda x: [x[i] for i in places],
        )

    yield sliced("slice_rows", (6, 4), [2, 0], [5, 4], [1, 1])
    yield sliced("slice_first_rows", (6, 4), [0, 0], [4, 4], [1, 1])
    yield sliced("slice_columns", (6, 4), [0, 1], [6, 3], [1, 1])
    yield sliced("slice_strides", (2, 3, 4), [0, 1, 0], [2, 3, 4], [1, 1, 3])
    yield sliced("slice_one", (2, 3, 4), [1, 2, 3], [2, 3, 4], [1, 1, 1])
    yield Case(
        "slice_of_transpose",
        "%t = graph.transpose %a permutation = [1, 0] : (INPUT) -> tensor<4x6xELEMENT>\n"
        "graph.slice %t start_indices = [1, 0] limit_indices = [4, 5] strides = [2, 2] : (tensor<4x6xELEMENT>) -> RESULT".replace(
            "ELEMENT", element
        ),
        [((6, 4), element, flat)],
        ((2, 3), element),
        lambda x: [x[i * 4 + j] for j in (1, 3) for i in (0, 2, 4)],
    )
    yield Case(
        "concatenate_rows",
        "graph.concatenate %a, %b, %a dimension = 0 : (INPUTS, INPUT) -> RESULT",
        [((2, 3), element, flat[:6]), ((1, 3), element, flat[6:9])],
        ((5, 3), element),
        lambda x, y: x + y + x,
    )
    yield Case(
        "concatenate_columns",
        "graph.concatenate %a, %b dimension = 1 : (INPUTS) -> RESULT",
        [((2, 3), element, flat[:6]), ((2, 1), element, flat[6:8])],
        ((2, 4), element),
        lambda x, y: x[:3] + y[:1] + x[3:] + y[1:],
    )
    yield Case(
        "slice_of_concatenate",
        "%j = graph.concatenate %a, %b dimension = 0 : (INPUTS) -> tensor<7xELEMENT>\n"
        "graph.slice %j start_indices = [1] limit_indices = [7] strides = [2] : (tensor<7xELEMENT>) -> RESULT".replace(
            "ELEMENT", element
        ),
        [((3,), element, flat[:3]), ((4,), element, flat[3:7])],
        ((3,), element),
        lambda x, y: (x + y)[1::2],
    )
    if element != "i1":
        yield Case(
            "sum_of_slice",
            "%s = graph.slice %a start_indices = [0, 1] limit_indices = [4, 4] strides = [1, 2] : (INPUT) -> "
            "tensor<4x2xELEMENT>\ngraph.reduce_sum %s dimensions = [0] : (tensor<4x2xELEMENT>) -> RESULT".replace(
                "ELEMENT", element
            ),
            [((6, 4), element, [abs(x) for x in flat])],
            ((2,), element),
            lambda x: [
                math.fsum(x[j:16:4]) if element[0] in "bf" else sum(x[j:16:4]) for j in (1, 3)
            ],
            sumBound,
        )
        yield Case(
            "slice_of_iota",
            "%k = graph.iota dimension = 1 : tensor<3x5xELEMENT>\n"
            "graph.slice %k start_indices = [0, 1] limit_indices = [2, 5] strides = [1, 2] : (tensor<3x5xELEMENT>) -> RESULT".replace(
                "ELEMENT", element
            ),
            [],
            ((2, 2), element),
            lambda: [(float(v) if element[0] in "bf" else v) for v in (1, 3, 1, 3)],
        )
    yield from indexingCases(Case, element, flat)
    # A view of memory: the rows lie together, 64 bytes or a multiple of it from the beginning.
    yield Case(
        "slice_view",
        "%t = graph.transpose %a permutation = [1, 0] : (INPUT) -> tensor<8x16xELEMENT>\n"
        "graph.slice %t start_indices = [4, 0] limit_indices = [7, 16] strides = [1, 1] : (tensor<8x16xELEMENT>) -> RESULT".replace(
            "ELEMENT", element
        ),
        [((16, 8), element, (flat * 6)[:128])],
        ((3, 16), element),
        lambda x: [x[j * 8 + i] for i in (4, 5, 6) for j in range(16)],
    )


def matmulCases(element, flat, bound):
    yield from dotCases(Case, element, flat, bound * 20)
    m, n, k = 4, 3, 7
    for ta in (False, True):
        for tb in (False, True):
            flags = [name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on]
            attributes = f" {{{', '.join(flags)}}}" if flags else ""

            def expected(x, y, ta=ta, tb=tb):
                return [
                    math.fsum(
                        (x[g * m * k + (l * m + i if ta else i * k + l)])
                        * (y[g * k * n + (j * k + l if tb else l * n + j)])
                        for l in range(k)
                    )
                    for g in range(len(x) // (m * k))
                    for i in range(m)
                    for j in range(n)
                ]

            for batch in ((), (2,)):
                size = count(batch)
                yield Case(
                    "_".join(["matmul", *flags, *(["batch"] if batch else [])]),
                    f"graph.matmul %a, %b{attributes} : (INPUTS) -> RESULT",
                    [
                        (batch + ((k, m) if ta else (m, k)), element, flat[: size * m * k]),
                        (batch + ((n, k) if tb else (k, n)), element, flat[60 : 60 + size * k * n]),
                    ],
                    (*batch, m, n) and (batch + (m, n), element),
                    expected,
                    bound * 4,
                )


def narrowCases(element):
    return narrow.integerCases(element, INTEGER, moveCases)


def bfloatCases(element):
    return narrow.bfloatCases(element, moveCases, floatCases)


def truthCases(_):
    p, q = [False, False, True, True], [False, True, False, True]
    for op, function in (("and", lambda a, b: a and b), ("or", lambda a, b: a or b)):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((4,), "i1", p), ((4,), "i1", q)],
            ((4,), "i1"),
            lambda x, y, function=function: list(map(function, x, y)),
        )
    yield from moveCases("i1", [i % 3 == 0 for i in range(24)])
    yield from primitives.truthCases()
    yield Case(
        "not",
        "graph.not %a : RESULT",
        [((4,), "i1", p)],
        ((4,), "i1"),
        lambda x: [not v for v in x],
    )
    yield Case(
        "compare_eq",
        "graph.compare eq, %a, %b : INPUT",
        [((4,), "i1", p), ((4,), "i1", q)],
        ((4,), "i1"),
        lambda x, y: [a == b for a, b in zip(x, y)],
    )
    for to in ("i32", "f32", "f64"):
        yield Case(
            f"convert_{to}",
            "graph.convert %a : (INPUT) -> RESULT",
            [((4,), "i1", p)],
            ((4,), to),
            lambda x, to=to: [interpret.convert(v, to) for v in x],
        )


ELEMENTS = {
    "f32": floatCases,
    "f64": floatCases,
    "i32": integerCases,
    "i64": integerCases,
    "i1": truthCases,
    "bf16": bfloatCases,
    "i8": narrowCases,
    "ui8": narrowCases,
    "ui32": narrowCases,
}


def literal(value, element):
    if element == "i1":
        return "true" if value else "false"
    if element[0] in "iu":
        return str(interpret.rounded(element, value))
    if element == "bf16":
        return "0x" + struct.pack(">f", interpret.rounded(element, value))[:2].hex().upper()
    code = {"f32": ">f", "f64": ">d"}[element]
    return "0x" + struct.pack(code, value if math.isfinite(value) else value).hex().upper()


def initial(shape, element, numbers):
    text = [literal(number, element) for number in numbers]

    def nest(sizes):
        return (
            "[" + ", ".join(nest(sizes[1:]) for _ in range(sizes[0])) + "]"
            if sizes
            else text.pop(0)
        )

    return f"#graph.value<dense<{nest(list(shape))}> : {tensor(shape, element)}>"


def model(chosen, constants):
    head, body = [], []
    for case in chosen:
        kinds = []
        text = case.text
        changed = case.changed()
        for letter, (shape, element, numbers) in zip("abcdef", case.inputs):
            name = f"{case.name}.{letter}"
            start = initial(shape, element, numbers)
            if constants and letter not in changed:
                body.append(
                    f"%{name} = graph.constant {start.removeprefix('#graph.value<').removesuffix('>')}"
                )
            else:
                head.append(
                    f'graph.variable @"{name}" : {tensor(shape, element)} = {start} {{trainable = false}}'
                )
                body.append(f'%{name} = graph.read @"{name}" : {tensor(shape, element)}')
            text = re.sub(rf"%{letter}\b", f"%{name}", re.sub(rf"@{letter}\b", f'@"{name}"', text))
            kinds.append(tensor(shape, element))
        out = tensor(*case.out)
        head.append(f'graph.variable @"{case.name}" : {out} = #graph.zeros {{trainable = false}}')
        text = (
            text.replace("INPUTS", ", ".join(kinds))
            .replace("INPUT", kinds[0] if kinds else "")
            .replace("RESULT", out)
        )
        # All lines but the last define names of their own.
        *before, text = text.split("\n")
        inner = re.findall(
            r"%(\w+)", "\n".join(re.findall(r"^(%[^=]*) =", "\n".join(before), re.MULTILINE))
        )
        within = lambda line: re.sub(
            r"%(\w+)\b(?!\.)", lambda m: f"%{case.name}_{m[1]}" if m[1] in inner else m[0], line
        )
        body.extend(map(within, before))
        body.append(f"%{case.name} = {within(text)}")
        body.append(f'graph.assign @"{case.name}", %{case.name} : {out}')
    return "\n".join(
        [
            *head,
            "graph.func @step() attributes {role = #graph.role<train>} {",
            *body,
            "graph.return",
            "}",
            "",
        ]
    )


def agrees(got, expected, element, case):
    exact, expected = expected, interpret.rounded(element, expected)
    if element[0] in "iu":
        return got == expected
    if got != got or expected != expected:
        return got != got and expected != expected
    if (
        case.bound == case.ulps == 0
        or math.isinf(got)
        or math.isinf(expected)
        or (case.ulps and expected == 0)
    ):
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    if case.ulps:
        return abs(got - expected) <= case.ulps * (
            max(math.ulp(expected) * 2**29, 2**-149) if element == "f32" else math.ulp(expected)
        )
    if element == "bf16":  # of what is not rounded: half a unit is the bound
        expected = exact
    return abs(got - expected) <= case.bound * max(abs(expected), case.least)


def check(tools, folder, element, chosen):
    base = os.path.join(folder, element)
    with open(base + ".mlir", "w") as file:
        file.write(model(chosen, tools.constants))
    if tools.reference:
        state = interpret.run(
            execute(
                tools.graph_opt,
                base + ".mlir",
                "--widen-elements",
                "--decompose",
                "--cse",
                "--mlir-print-op-generic",
                "--mlir-print-elementsattrs-with-hex-if-larger=1000000",
            )
        )
        results = {name: value.flat for name, value in state.items()}.__getitem__
    else:
        with open(base + ".json", "w") as file:
            json.dump(
                {
                    "worker": 1,
                    "devices": {"worker": ["GPU:0" if tools.gpu else "CPU:0"]},
                    "strategy": "one_device",
                },
                file,
            )
        execute(tools.graphc, "--partition", base + ".json", base + ".mlir", "-o", base + ".plan")
        execute(tools.graphrun, base + ".plan", "--steps", "1", "--dump-variables", base)

        def results(name):
            return readNpy(f"{base}/{name}.npy")

    messages = []
    for case in chosen:
        inputs = [
            [interpret.rounded(kind, number) for number in numbers]
            for _, kind, numbers in case.inputs
        ]
        expected, got = case.expected(*inputs), results(case.name)
        wrong = [
            i
            for i, (x, y) in enumerate(zip(got, expected, strict=True))
            if not agrees(x, y, case.out[1], case)
        ]
        if wrong:
            i = wrong[0]
            at = [numbers[i] for numbers in inputs if len(numbers) == len(got)]
            messages.append(
                f"{element} {case.name}: {len(wrong)} of {len(got)} elements are wrong, the first is {i}"
                f"{f' (of {at})' if at else ''}: got {got[i]!r}, expected {expected[i]!r}, "
                f"{f'within {case.ulps} units of the last place' if case.ulps else f'bound {case.bound}'}"
            )
    return messages


def arguments(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphc", default="graphc")
    parser.add_argument("--graphrun", default="graphrun")
    parser.add_argument("--graph-opt", default="graph-opt")
    parser.add_argument("--reference", action="store_true", help="interpret instead of compiling")
    parser.add_argument(
        "--constants", action="store_true", help="inputs are constants: folds compute what they can"
    )
    parser.add_argument("--gpu", action="store_true", help="on GPU:0")
    parser.add_argument("--only", default="", help="cases whose ELEMENT.NAME matches")
    parser.add_argument("--keep", help="leave models and results here")
    return parser.parse_args(words)


def chosenCases(tools, element):
    chosen = [
        case
        for case in ELEMENTS[element](element)
        if re.search(tools.only, f"{element}.{case.name}")
    ]
    # The interpreter knows of changes assignments alone, and nothing of what is computed once a
    # step.
    return [
        case
        for case in chosen
        if not (
            tools.reference
            and (
                case.changed() or re.search(r"graph\.(learning_rate|bias_correction)\b", case.text)
            )
        )
    ]


def main():
    tools = arguments()
    if tools.constants:  # constants of more than 256 elements do not fold: 15 x 15 pairs
        for ordinary in (3.75, -7.0, 2.0):
            FLOATS.remove(ordinary)
    failures, total = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = tools.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for element in ELEMENTS:
            chosen = chosenCases(tools, element)
            total += len(chosen)
            if chosen:
                failures += check(tools, folder, element, chosen)
    print("\n".join(failures))
    print(f"{total} cases, {len(failures)} failed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
