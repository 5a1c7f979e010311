"""Rounding, bits, functions, products, sums along a dimension, and activations."""

import functools
import itertools
import math
import operator
import random

import interpret
from case import FLOATS, INF, INTEGERS, NAN, Case, pairs, rows

# Between whole numbers, at them, and where floats have no fraction any more.
HALVES = [
    0.3,
    -0.3,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.99999994,
    -0.99999994,
    4194303.5,
    -4194304.5,
    8388607.0,
    8388609.0,
    2.0**52 - 0.5,
    2.0**51 + 0.5,
    -(2.0**52) + 1.5,
    2.0**53 + 2,
    1e-40,
    -1e-40,
    1e300,
]
SPECIAL = [0.0, -0.0, INF, -INF, NAN]


def sweep(seed, low, high, signs=(1, -1), count=600):
    """Numbers of both signs whose logarithms are spread between those of two."""
    choice = random.Random(seed)
    return [
        choice.choice(signs) * math.exp(choice.uniform(math.log(low), math.log(high)))
        for _ in range(count)
    ]


def functionCases(element):
    """Functions of many numbers, within units of the last place; a literal is rounded to the
    element type."""
    tiny, least, most = (
        (1e-45, 1.2e-38, 3.4e38) if element == "f32" else (5e-324, 2.3e-308, 1.7e308)
    )
    top = 88.7 if element == "f32" else 709.7
    ends = [*SPECIAL, tiny, -tiny, least, -least, most, -most, 1.0, -1.0]
    # The float that is nearest to a multiple of pi / 2, as the machine knows the largest and the
    # first ones (Muller).
    near = 16367173 * 2.0**72 if element == "f32" else 6381956970095103 * 2.0**797
    angles = [
        *ends,
        near,
        -near,
        math.pi,
        math.pi / 2,
        1e5,
        2.0**20,
        2.0**20 - 1,
        1e22 if element == "f64" else 1e20,
        3 * math.pi / 4,
        22.0,
        355.0,
        5e5 * math.pi,
    ]
    for op, ulps, inputs in (
        (
            "exponential_minus_one",
            3,
            [*ends, *sweep(1, 1e-8, top), -17.3, -38.0, 0.34657, -0.34658, top, -top],
        ),
        (
            "log_plus_one",
            2,
            [
                *ends,
                *sweep(2, 1e-9, 1e30, (1,)),
                *[-x for x in sweep(3, 1e-9, 1.0, (1,))],
                -1.5,
                -0.99999994,
            ],
        ),
        ("sine", 1, [*angles, *sweep(4, 1e-6, 1e4), *sweep(5, 1e4, most)]),
        ("cosine", 1, [*angles, *sweep(6, 1e-6, 1e4), *sweep(7, 1e4, most)]),
        ("erf", 2, [*ends, *sweep(8, 1e-8, 7.0), 0.9999, 1.0001, 3.9, 4.1, 5.9, 6.1]),
    ):
        function = interpret.ELEMENTWISE[op]
        yield Case(
            op,
            f"graph.{op} %a : RESULT",
            [((len(inputs),), element, inputs)],
            ((len(inputs),), element),
            lambda x, function=function: [function(v) for v in x],
            ulps=ulps,
        )


def floatCases(element):
    f = interpret.ELEMENTWISE
    fit = [x for x in HALVES if element == "f64" or abs(x) < 3e38]
    values = FLOATS + fit
    for op in ("floor", "ceil", "round_nearest_even"):
        yield Case(
            op,
            f"graph.{op} %a : RESULT",
            [((len(values),), element, values)],
            ((len(values),), element),
            lambda x, op=op: [f[op](v) for v in x],
        )
    yield Case(
        "is_finite",
        "graph.is_finite %a : INPUT",
        [((len(values),), element, values)],
        ((len(values),), "i1"),
        lambda x: [math.isfinite(v) for v in x],
    )
    # From far apart to near each other, subnormal and largest ones too.
    tiny, most = (1e-45, 3.4028234e38) if element == "f32" else (5e-324, 1.7976931348623157e308)
    choice = random.Random(9)
    left = [
        *sweep(10, 1e-3, 1e6, count=100),
        *sweep(11, tiny * 8, most, count=100),
        most,
        -most,
        5e-40,
        most,
    ]
    right = [
        *sweep(12, 1e-2, 1e2, count=100),
        *sweep(13, tiny * 8, most, count=100),
        tiny * 3,
        most / 3,
        tiny,
        tiny,
    ]
    a, b = pairs(FLOATS)
    c, d = a + left + [x * choice.randint(1, 99) for x in right[:50]], b + right + right[:50]
    yield Case(
        "remainder",
        "graph.remainder %a, %b : RESULT",
        [((len(c),), element, c), ((len(c),), element, d)],
        ((len(c),), element),
        lambda x, y: list(map(f["remainder"], x, y)),
    )
    yield from clampCases(element, FLOATS)
    yield from functionCases(element)
    yield from activationCases(element)
    yield from scanCases(element, [math.sin(i * 1.7) * 3 for i in range(60)])
    positive = [1 + math.sin(i * 1.7) / 2 for i in range(4 * 37)]
    bound = {"f32": 5e-6, "f64": 1e-14}[element]
    yield Case(
        "reduce_prod_last",
        "graph.reduce_prod %a dimensions = [1] : (INPUT) -> RESULT",
        [((4, 37), element, positive)],
        ((4,), element),
        lambda x: [math.prod(r) for r in rows(x, 37)],
        bound,
    )
    yield Case(
        "reduce_prod_first",
        "graph.reduce_prod %a dimensions = [0] : (INPUT) -> RESULT",
        [((4, 37), element, positive)],
        ((37,), element),
        lambda x: [math.prod(x[i::37]) for i in range(37)],
        bound,
    )
    special = [
        2.0,
        0.0,
        -3.0,
        INF,
        0.0,
        1.0,
        -INF,
        -2.0,
        1.0,
        NAN,
        1.0,
        1.0,
        -0.0,
        1.0,
        1.0,
        -1.0,
        -1.0,
        -1.0,
    ]
    yield Case(
        "reduce_prod_special",
        "graph.reduce_prod %a dimensions = [1] : (INPUT) -> RESULT",
        [((6, 3), element, special)],
        ((6,), element),
        lambda x: [r[0] * r[1] * r[2] for r in rows(x, 3)],
    )


def clampCases(element, values):
    n = len(values)
    a, b = pairs(values)
    high = (b[7:] + b[:7])[: n * n]
    f = interpret.clamp
    yield Case(
        "clamp",
        "graph.clamp %a, %b, %c : (INPUTS) -> RESULT",
        [((n * n,), element, a), ((n * n,), element, b), ((n * n,), element, high)],
        ((n * n,), element),
        lambda x, y, z: list(map(f, x, y, z)),
    )
    yield Case(
        "clamp_scalars",
        "graph.clamp %a, %b, %c : (INPUTS) -> RESULT",
        [((), element, [values[3]]), ((n,), element, values), ((), element, [values[2]])],
        ((n,), element),
        lambda x, y, z: [f(x[0], v, z[0]) for v in y],
    )
    yield Case(
        "clamp_crossed",
        "graph.clamp %a, %b, %c : (INPUTS) -> RESULT",
        [
            ((), element, [values[2]]),
            ((2, n // 2), element, values[: n // 2 * 2]),
            ((), element, [values[3]]),
        ],
        ((2, n // 2), element),
        lambda x, y, z: [f(x[0], v, z[0]) for v in y],
    )


def activationCases(element):
    bound = {"f32": 6e-7, "f64": 1.5e-15}[element]
    inputs = [
        *SPECIAL,
        *sweep(20, 1e-3, 80.0, count=200),
        1e4,
        -1e4,
        3.0,
        -3.0,
        2.5,
        -2.5,
        1e-20,
        -1e-20,
    ]
    # Far below zero these are the difference of numbers near 1, times x.
    finite = [x for x in inputs if math.isfinite(x)]
    for op, least in (
        ("gelu", 1.0),
        ('gelu {approximate = "tanh"}', 1.0),
        ("silu", 1e-30),
        ("softplus", 1e-30),
        ("elu", 1e-30),
        ("elu {alpha = 0.5}", 1e-30),
        ("leaky_relu", 1e-30),
        ("leaky_relu {alpha = 0.25}", 1e-30),
        ("hard_sigmoid", 1.0),
        ("hard_sigmoid {alpha = 0.25, beta = 0.125}", 1.0),
        ("hard_swish", 1.0),
    ):
        word, _, attributes = op.partition(" ")
        name = "_".join([word, *"".join(c if c.isalnum() else " " for c in attributes).split()])
        values = finite if word in ("gelu", "silu", "hard_swish") else inputs
        given = interpret.activationAttributes(attributes)
        yield Case(
            name,
            f"graph.{word} %a {attributes} : RESULT",
            [((len(values),), element, values)],
            ((len(values),), element),
            lambda x, word=word, given=given: [interpret.ACTIVATION[word](v, **given) for v in x],
            bound * 4,
            least=least,
        )


def scanCases(element, flat):
    add = operator.add

    def lines(x, shape, dimension):
        """The places of each line along a dimension."""
        for index in interpret.indices(shape[:dimension] + (1,) + shape[dimension + 1 :]):
            yield [
                interpret.offset(shape, (*index[:dimension], k, *index[dimension + 1 :]))
                for k in range(shape[dimension])
            ]

    def cumsum(x, shape, dimension, exclusive, reverse):
        result = list(x)
        zero = x[0] - x[0]
        for line in lines(x, shape, dimension):
            line = line[::-1] if reverse else line
            numbers = [x[i] for i in line]
            rounding = functools.partial(interpret.rounded, element)
            total = list(
                itertools.accumulate(
                    [zero, *numbers[:-1]] if exclusive else numbers,
                    lambda a, b: rounding(add(a, b)),
                )
            )
            for i, value in zip(line, total):
                result[i] = value
        return result

    if element != "i1":
        for shape, dimension, flags in (
            ((3, 4, 5), 0, []),
            ((3, 4, 5), 1, ["reverse"]),
            ((3, 4, 5), 2, ["exclusive"]),
            ((60,), 0, []),
            ((4, 15), 0, ["exclusive", "reverse"]),
            ((4, 15), 1, ["exclusive", "reverse"]),
            ((60,), 0, ["reverse"]),
            ((4, 15), 0, ["exclusive"]),
        ):
            attributes = f" {{{', '.join(flags)}}}" if flags else ""
            yield Case(
                "_".join(["cumsum", *map(str, shape), str(dimension), *flags]),
                f"graph.cumsum %a dimension = {dimension}{attributes} : RESULT",
                [(shape, element, flat)],
                (shape, element),
                lambda x, shape=shape, dimension=dimension, flags=flags: cumsum(
                    x, shape, dimension, "exclusive" in flags, "reverse" in flags
                ),
            )
    for shape, dimensions in (((60,), [0]), ((3, 4, 5), [1]), ((3, 4, 5), [0, 2]), ((2, 30), [1])):

        def turned(x, shape=shape, dimensions=dimensions):
            back = lambda index: [
                n - 1 - i if d in dimensions else i for d, (i, n) in enumerate(zip(index, shape))
            ]
            return [x[interpret.offset(shape, back(index))] for index in interpret.indices(shape)]

        yield Case(
            "_".join(["reverse", *map(str, shape), *map(str, dimensions)]),
            f"graph.reverse %a dimensions = {dimensions} : RESULT",
            [(shape, element, flat)],
            (shape, element),
            turned,
        )
    yield Case(
        "stop_gradient",
        "graph.stop_gradient %a : RESULT",
        [((60,), element, flat)],
        ((60,), element),
        lambda x: x,
    )
    if element != "i1":  # inlined where it is used: a sum of a reversed and an ordinary row
        yield Case(
            "reverse_inlined",
            "%r = graph.reverse %a dimensions = [1] : RESULT\ngraph.add %r, %a : RESULT",
            [((2, 30), element, flat)],
            ((2, 30), element),
            lambda x: [
                interpret.rounded(element, a + b)
                for row in rows(x, 30)
                for a, b in zip(row[::-1], row)
            ],
        )


def integerCases(element):
    bits = int(element[1:])
    ends = [-(2**63), 2**63 - 1, -(2**63) + 1] if element == "i64" else []
    values = INTEGERS + ends
    n = len(values)
    a, b = pairs(values)
    for op in ("remainder", "and", "or", "xor"):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((n * n,), element, a), ((n * n,), element, b)],
            ((n * n,), element),
            lambda x, y, op=op: list(map(interpret.ELEMENTWISE[op], x, y)),
        )
    by = [0, 1, 2, 7, 31, 32, 33, 63, 64, 65, -1, -(2**31), 2**31 - 1]
    c, d = [x for x in values for _ in by], by * n
    for op in ("shift_left", "shift_right_arithmetic", "shift_right_logical"):
        yield Case(
            op,
            f"graph.{op} %a, %b : RESULT",
            [((len(c),), element, c), ((len(c),), element, d)],
            ((len(c),), element),
            lambda x, y, op=op: [interpret.SHIFT[op](v, by, bits) for v, by in zip(x, y)],
        )
    for op in ("not", "popcnt", "count_leading_zeros"):
        yield Case(
            op,
            f"graph.{op} %a : RESULT",
            [((n,), element, values)],
            ((n,), element),
            lambda x, op=op: [interpret.BITS[op](v, bits) for v in x],
        )
    yield from clampCases(element, values)
    matrix = [(i * 7919) % 101 - 50 for i in range(4 * 37)]
    for op, function in (("prod", operator.mul), ("and", operator.and_), ("or", operator.or_)):
        yield Case(
            f"reduce_{op}_last",
            f"graph.reduce_{op} %a dimensions = [1] : (INPUT) -> RESULT",
            [((4, 37), element, matrix)],
            ((4,), element),
            lambda x, function=function: [functools.reduce(function, r) for r in rows(x, 37)],
        )
        yield Case(
            f"reduce_{op}_first",
            f"graph.reduce_{op} %a dimensions = [0] : (INPUT) -> RESULT",
            [((4, 37), element, matrix)],
            ((37,), element),
            lambda x, function=function: [functools.reduce(function, x[i::37]) for i in range(37)],
        )
    yield from scanCases(element, matrix[:60])


def truthCases():
    p, q = [False, False, True, True], [False, True, False, True]
    yield Case(
        "xor",
        "graph.xor %a, %b : RESULT",
        [((4,), "i1", p), ((4,), "i1", q)],
        ((4,), "i1"),
        lambda x, y: [a != b for a, b in zip(x, y)],
    )
    table = [i % 5 != 3 or i < 60 for i in range(120)] + [False] * 60 + [True] * 60
    for op, function in (("and", all), ("or", any)):
        yield Case(
            f"reduce_{op}_last",
            f"graph.reduce_{op} %a dimensions = [1] : (INPUT) -> RESULT",
            [((4, 60), "i1", table)],
            ((4,), "i1"),
            lambda x, function=function: [function(r) for r in rows(x, 60)],
        )
        yield Case(
            f"reduce_{op}_first",
            f"graph.reduce_{op} %a dimensions = [0] : (INPUT) -> RESULT",
            [((4, 60), "i1", table)],
            ((60,), "i1"),
            lambda x, function=function: [function(x[i::60]) for i in range(60)],
        )
    yield from scanCases("i1", [i % 3 == 0 or i % 7 == 2 for i in range(60)])
