"""What draws give, for check.py: the definitions of test/reference/draws.py, bit by bit."""

import math

import draws
from case import INF, NAN, Case
from harness import count, tensor

MICRO = ((), "i64")


def randomCases(element):
    """Scalars that number micro-batches: of one word, of two, the largest."""
    # Vector elements share blocks.
    for number, (shape, seed, draw, micro) in enumerate(
        (
            ((4, 37), 7, 0, 0),
            ((3, 1, 5, 6), -1, 3, 2**32 + 5),
            ((), 2**40, 2**33, 2**62),
            ((2, 129), 0, 0, 1),
            ((2, 3, 44), 5, 1, 9),
            ((38,), 6, 2, 2**33 + 1),
        )
    ):
        inputs = [(*MICRO, [micro])]
        at, numbers = (
            f"at %a {{seed = {seed} : i64, draw = {draw} : i64",
            (seed % 2**64, draw, micro, count(shape)),
        )
        out = (shape, element)
        if element[0] in "iu":
            bits = int(element.lstrip("ui"))
            wide = (0, 2**bits) if element[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            for name, low, high in (("die", 1, 7), ("wide", *wide), ("one", 5, 6)):
                yield Case(
                    f"random_uniform_{name}_{number}",
                    f"graph.random_uniform {at}, low = {low} : i64, high = {high} : i64}} : RESULT",
                    inputs,
                    out,
                    lambda _, n=numbers, low=low, high=high: draws.uniform(*n, element, low, high),
                )
            continue
        yield Case(
            f"random_uniform_{number}",
            f"graph.random_uniform {at}}} : RESULT",
            inputs,
            out,
            lambda _, n=numbers: draws.uniform(*n, element),
        )
        yield Case(
            f"random_uniform_between_{number}",
            f"graph.random_uniform {at}, low = -0.3, high = 1.7}} : RESULT",
            inputs,
            out,
            lambda _, n=numbers: draws.uniform(*n, element, -0.3, 1.7),
        )
        yield Case(
            f"random_normal_{number}",
            f"graph.random_normal {at}}} : RESULT",
            inputs,
            out,
            lambda _, n=numbers: draws.normal(*n),
        )
        yield Case(
            f"random_normal_of_{number}",
            f"graph.random_normal {at}, mean = 2.5, stddev = 0.1}} : RESULT",
            inputs,
            out,
            lambda _, n=numbers: draws.normal(*n, 2.5, 0.1),
        )
        x = [
            [NAN, INF, -INF, -0.0][i % 7] if i % 7 < 4 else math.sin(i) * 3
            for i in range(count(shape))
        ]
        for name, rate in (("most", 0.9), ("tenth", 0.1), ("none", 1e-12), ("all", 1 - 1e-16)):
            yield Case(
                f"dropout_{name}_{number}",
                f"graph.dropout %b {at}, rate = {rate:.20f}}} : RESULT",
                [*inputs, (shape, element, x)],
                out,
                lambda _, v, n=numbers, rate=rate: draws.dropout(v, rate, *n[:3], element),
            )
    # Computed where it is used, at other places than its own.
    if element in ("f32", "f64"):
        yield Case(
            "slice_of_random_uniform",
            "%t = graph.random_uniform at %a {seed = 9 : i64} : SOURCE\n%u = graph.transpose %t permutation = [1, 0] : "
            "(SOURCE) -> TURNED\ngraph.slice %u start_indices = [1, 0] limit_indices = [6, 3] strides = [2, 1] : (TURNED) -> RESULT".replace(
                "SOURCE", tensor((4, 6), element)
            ).replace("TURNED", tensor((6, 4), element)),
            [(*MICRO, [3])],
            ((3, 3), element),
            lambda _: [
                draws.uniform(9, 0, 3, 24, element)[j * 6 + i] for i in (1, 3, 5) for j in range(3)
            ],
        )
        # Rows of whole blocks and of others, sums of rows, of columns and of all; small whole
        # numbers, so that no order matters.
        for rows, columns in (4, 6), (40, 36), (9, 33), (3, 64):
            places = rows * columns
            x, source = [float(i % 5) for i in range(places)], tensor((rows, columns), element)

            def kept(x):
                return draws.dropout(x, 0.5, 9, 0, 3, element)

            def summed(x, items, out):
                drawn = kept(x)
                return [sum(drawn[j] for j in items(i)) for i in range(count(out))]

            for name, dimensions, out, items in (
                ("rows", "1", (rows,), lambda i, c=columns: range(i * c, i * c + c)),
                ("columns", "0", (columns,), lambda i, c=columns, n=places: range(i, n, c)),
                ("all", "0, 1", (), lambda i, n=places: range(n)),
            ):
                yield Case(
                    f"sum_of_dropout_{name}_{rows}_{columns}",
                    f"%d = graph.dropout %b at %a {{seed = 9 : i64, rate = 0.5}} : {source}\n"
                    f"graph.reduce_sum %d dimensions = [{dimensions}] : ({source}) -> RESULT",
                    [(*MICRO, [3]), ((rows, columns), element, x)],
                    (out, element),
                    lambda _, x, items=items, out=out: summed(x, items, out),
                )
            bias = [float(i % 3) for i in range(columns)]
            yield Case(
                f"dropout_of_biased_{rows}_{columns}",
                f"%sum = graph.bias_add %b, %c : {source}, {tensor((columns,), element)}\n"
                "graph.dropout %sum at %a {seed = 9 : i64, rate = 0.5} : RESULT",
                [(*MICRO, [3]), ((rows, columns), element, x), ((columns,), element, bias)],
                ((rows, columns), element),
                lambda _, x, y, c=columns: kept([v + y[i % c] for i, v in enumerate(x)]),
            )
