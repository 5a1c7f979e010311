"""i8, ui8, ui32 and bf16: computed in i32, i64 and f32, rounded or cut once an op; moved and looked
at as they are."""

import functools
import math
import operator
import re

import interpret
from case import FLOATS, INF, NAN, Case, pairs, rows
from random_values import randomCases

EVERY = ("i1", "i8", "ui8", "i32", "ui32", "i64", "bf16", "f32", "f64")


def conversions(element, values):
    n = len(values)
    for to in EVERY:
        if to != element:
            yield Case(
                f"convert_{to}",
                "graph.convert %a : (INPUT) -> RESULT",
                [((n,), element, values)],
                ((n,), to),
                lambda x, to=to: [interpret.convert(v, to) for v in x],
            )


def integerCases(element, operations, moveCases):
    bits = int(element.lstrip("ui"))
    low, high = (0, 2**bits - 1) if element[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    values = [
        0,
        1,
        2,
        3,
        7,
        13,
        100,
        low,
        high,
        high - 1,
        high // 2,
        high // 2 + 1,
        5,
        *([-1, -7, low + 1] if low else []),
    ]
    n = len(values)
    a, b = pairs(values)

    def binary(op, function):
        return Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), element),
            lambda x, y: list(map(function, x, y)),
        )

    def unary(op, function):
        return Case(
            op,
            f"graph.{op} %a : RESULT",
            [((n,), element, values)],
            ((n,), element),
            lambda x: list(map(function, x)),
        )

    for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        yield binary(op, operations[op])
    for op in ("remainder", "and", "or", "xor"):
        yield binary(op, interpret.ELEMENTWISE[op])
    for op in ("negate", "abs", "sign"):
        yield unary(op, operations[op])
    mask = 2**bits - 1
    signed = functools.partial(interpret.rounded, f"i{bits}")
    yield unary("not", lambda v: ~v)
    yield unary("popcnt", lambda v: (v & mask).bit_count())
    yield unary("count_leading_zeros", lambda v: bits - (v & mask).bit_length())
    yield binary("shift_left", lambda v, by: v << (by & mask) if by & mask < bits else 0)
    yield binary("shift_right_logical", lambda v, by: (v & mask) >> (by & mask))
    # The highest bit is the sign.
    yield binary("shift_right_arithmetic", lambda v, by: signed(v) >> (by & mask))
    for number, relation in enumerate("eq ne lt le gt ge".split()):
        yield Case(
            f"compare_{relation}",
            f"graph.compare {relation}, %a, %b : INPUT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), "i1"),
            lambda x, y, number=number: list(map(interpret.RELATION[number], x, y)),
        )
    yield from conversions(element, values)
    flat = [(i * 7919) % 256 + low // 2 for i in range(4 * 37)]
    for op, function in (
        ("sum", operator.add),
        ("prod", operator.mul),
        ("max", max),
        ("min", min),
        ("and", operator.and_),
        ("or", operator.or_),
    ):
        yield Case(
            f"reduce_{op}",
            f"graph.reduce_{op} %a dimensions = [1] : (INPUT) -> RESULT",
            [((4, 37), element, flat)],
            ((4,), element),
            lambda x, function=function: [functools.reduce(function, r) for r in rows(x, 37)],
        )
    yield Case(
        "argmax",
        "graph.argmax %a dimension = 1 : (INPUT) -> RESULT",
        [((4, 37), element, flat)],
        ((4,), "i32"),
        lambda x: [r.index(max(r)) for r in rows(x, 37)],
    )
    yield Case(
        "clamp",
        "graph.clamp %a, %b, %c : (INPUTS) -> RESULT",
        [((), element, [3]), ((n,), element, values), ((), element, [high - 1])],
        ((n,), element),
        lambda x, y, z: [max(x[0], min(v, z[0])) for v in y],
    )
    yield Case(
        "cumsum",
        "graph.cumsum %a dimension = 0 : RESULT",
        [((37,), element, flat[:37])],
        ((37,), element),
        lambda x: [sum(x[: i + 1]) for i in range(37)],
    )
    yield Case(
        "matmul",
        "graph.matmul %a, %b : (INPUTS) -> RESULT",
        [((4, 7), element, flat[:28]), ((7, 3), element, flat[28:49])],
        ((4, 3), element),
        lambda x, y: [
            sum(x[i * 7 + k] * y[k * 3 + j] for k in range(7)) for i in range(4) for j in range(3)
        ],
    )
    yield Case(
        "iota", "graph.iota dimension = 0 : RESULT", [], ((300,), element), lambda: list(range(300))
    )
    yield Case(
        "chain",
        "%s = graph.add %a, %a : RESULT\ngraph.divide %s, %b : RESULT",
        [((n,), element, values), ((n,), element, [2] * n)],
        ((n,), element),
        lambda x, y: [interpret.divide(interpret.rounded(element, 2 * v), 2) for v in x],
    )
    yield from moveCases(element, flat[:24])
    yield from randomCases(element)


def operations(case):
    return set(re.findall(r"(?<![\w#])graph\.(\w+)", case.text))


def bfloatCases(element, moveCases, floatCases):
    cases = list(ownCases(element, moveCases))
    yield from cases
    yield from fromFloats(element, set().union(*map(operations, cases)), floatCases("f32"))


# From where on 2^-8 is of this number. f64's own definition of this one is the difference of
# numbers near 1, times x: below -8 it is no better than that.
LEAST = {"gelu_approximate_tanh": 1e-11}


# They take what the forward pass has kept, here rounded, while their definition knows it in f64:
# test/run/gradients has both passes in bf16.
LEFT_OUT = {"attention_grad", "batch_norm_grad", "packed_attention_grad"}


def fromFloats(element, known, cases):
    """f32's cases of ops that are not among the known ones, the first and the last of each op, with
    inputs rounded to bf16. What is exact in f32 is rounded once more. All else is within 2^-8 of
    the definition's value, half a unit of the last place at most, so that what f32 adds to it has
    to be small beside. Ops that change variables, which are f32 or f64, and those of integers are
    left out."""
    alike = {}
    for case in cases:
        if (
            not operations(case) <= known
            and not operations(case) & LEFT_OUT
            and "@" not in case.text
            and "f32" in [case.out[1], *(kind for _, kind, _ in case.inputs)]
        ):
            alike.setdefault(frozenset(operations(case)), []).append(case)
    for case in (case for group in alike.values() for case in [group[0], *group[1:][-1:]]):
        narrow = lambda kind: element if kind == "f32" else kind
        inputs = [(shape, narrow(kind), numbers) for shape, kind, numbers in case.inputs]
        near = case.bound or case.ulps
        expected = (
            case.expected
            if near
            else lambda *given, f=case.expected: [interpret.rounded("f32", v) for v in f(*given)]
        )
        yield Case(
            case.name,
            case.text.replace("f32", element),
            inputs,
            (case.out[0], narrow(case.out[1])),
            expected,
            2.0**-8 if near else 0.0,
            least=LEAST.get(case.name, 1e-30),
        )


def ownCases(element, moveCases):
    wide = functools.partial(interpret.rounded, "f32")
    n = len(FLOATS)
    a, b = pairs(FLOATS)
    f = interpret.ELEMENTWISE
    for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), element),
            lambda x, y, op=op: [wide(f[op](v, w)) for v, w in zip(x, y)],
        )
    for op in ("negate", "abs", "sqrt", "relu", "floor"):
        yield Case(
            op,
            f"graph.{op} %a : RESULT",
            [((n,), element, FLOATS)],
            ((n,), element),
            lambda x, op=op: [wide(f[op](v)) for v in x],
        )
    for number, relation in enumerate("eq ne lt le gt ge".split()):
        yield Case(
            f"compare_{relation}",
            f"graph.compare {relation}, %a, %b : INPUT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), "i1"),
            lambda x, y, number=number: list(map(interpret.RELATION[number], x, y)),
        )
    yield from conversions(
        element,
        [*FLOATS, 127.5, 128.0, 255.0, 256.0, -128.0, -130.0, 4.28e9, 4.3e9, 3e38, -3e38, 1e-40],
    )
    # An element is rounded once an op, whatever it is fused with: 256 + 1 is 256.
    yield Case(
        "rounded_between",
        "%s = graph.add %a, %b : RESULT\ngraph.subtract %s, %a : RESULT",
        [((3,), element, [256.0, 1.0, 128.0]), ((3,), element, [1.0, 2.0, 0.25])],
        ((3,), element),
        lambda x, y: [0.0, 2.0, 0.0],
    )
    matrix = [math.sin(i * 1.7) * 3 for i in range(4 * 37)]
    positive = [value + 4 for value in matrix]
    bound = 2.0**-8  # half a unit of the last place: sums are of f32
    yield Case(
        "reduce_sum",
        "graph.reduce_sum %a dimensions = [1] : (INPUT) -> RESULT",
        [((4, 37), element, positive)],
        ((4,), element),
        lambda x: [math.fsum(r) for r in rows(x, 37)],
        bound,
    )
    yield Case(
        "reduce_mean",
        "graph.reduce_mean %a dimensions = [1] : (INPUT) -> RESULT",
        [((4, 37), element, positive)],
        ((4,), element),
        lambda x: [math.fsum(r) / 37 for r in rows(x, 37)],
        bound,
    )
    yield Case(
        "reduce_max",
        "graph.reduce_max %a dimensions = [1] : (INPUT) -> RESULT",
        [((4, 37), element, matrix)],
        ((4,), element),
        lambda x: [max(r) for r in rows(x, 37)],
    )
    yield Case(
        "reduce_max_special",
        "graph.reduce_max %a dimensions = [1] : (INPUT) -> RESULT",
        [((3, 3), element, [1.0, NAN, 2.0, -INF, -INF, -INF, -0.0, 0.0, -1.0])],
        ((3,), element),
        lambda x: [interpret.largest(r) for r in rows(x, 3)],
    )
    yield Case(
        "exponential",
        "graph.exponential %a : RESULT",
        [((n,), element, FLOATS)],
        ((n,), element),
        lambda x: [f["exponential"](v) for v in x],
        bound,
    )
    yield Case(
        "softmax",
        "graph.softmax %a : RESULT",
        [((4, 37), element, matrix)],
        ((4, 37), element),
        lambda x: [math.exp(v) / math.fsum(map(math.exp, r)) for r in rows(x, 37) for v in r],
        bound,
    )
    yield Case(
        "matmul",
        "graph.matmul %a, %b : (INPUTS) -> RESULT",
        [((4, 7), element, positive[:28]), ((7, 3), element, positive[28:49])],
        ((4, 3), element),
        lambda x, y: [
            math.fsum(x[i * 7 + k] * y[k * 3 + j] for k in range(7))
            for i in range(4)
            for j in range(3)
        ],
        bound,
    )
    # A library's, where there is one for f32.
    large = [value / 4 for value in positive]
    big = (large * 30)[: 64 * 64]
    yield Case(
        "matmul_large",
        "graph.matmul %a, %b : (INPUTS) -> RESULT",
        [((64, 64), element, big), ((64, 64), element, big)],
        ((64, 64), element),
        lambda x, y: [
            math.fsum(map(operator.mul, x[i * 64 : i * 64 + 64], y[j::64]))
            for i in range(64)
            for j in range(64)
        ],
        bound,
    )
    yield Case(
        "iota",
        "graph.iota dimension = 0 : RESULT",
        [],
        ((300,), element),
        lambda: [float(i) for i in range(300)],
    )
    yield Case(
        "one_hot",
        "graph.one_hot %a : (INPUT) -> RESULT",
        [((3,), "i64", [2, -1, 4])],
        ((3, 4), element),
        lambda x: [float(c == i) for c in x for i in range(4)],
    )
    yield from moveCases(element, matrix[:24])
    for case in randomCases(element):  # computed in f32: rounded twice
        case.expected = lambda *inputs, f=case.expected: [
            interpret.rounded("f32", v) for v in f(*inputs)
        ]
        yield case
