"""Convolutions and pools: layouts, strides, paddings, dilations, groups; compiled and, in f32 and
large enough, a library's."""

import math

import windows


def numbers(count, seed, low=0.25):
    """Positive, so that a bound on a sum is one on its parts; not in order."""
    return [low + ((i * 7919 + seed * 104729) % 1009) / 512 for i in range(count)]


# input, filter, attributes in the text, flags
CONVOLUTIONS = {
    "plain": ((2, 3, 5, 6), (4, 3, 3, 2), "", ""),
    "padded": ((2, 3, 5, 6), (4, 3, 3, 3), "padding_low = [1, 0] padding_high = [1, 2]", ""),
    "strided": (
        (1, 7, 8, 3),
        (3, 2, 3, 5),
        "window_strides = [2, 3] padding_low = [1, 0] padding_high = [0, 1]",
        "nhwc, hwio",
    ),
    "dilated": (
        (2, 2, 9, 8),
        (3, 2, 3, 2),
        "padding_low = [2, 1] padding_high = [1, 2] rhs_dilation = [2, 3]",
        "",
    ),
    "cropped": (
        (1, 2, 9, 7),
        (2, 2, 3, 3),
        "window_strides = [2, 1] padding_low = [-1, -2] padding_high = [3, -1]",
        "",
    ),
    "far": (
        (1, 1, 3, 3),
        (1, 1, 2, 2),
        "window_strides = [3, 2] padding_low = [7, 0] padding_high = [0, 6]",
        "",
    ),
    "left_over": ((1, 2, 8, 8), (2, 2, 3, 3), "window_strides = [3, 4]", ""),
    "grouped": (
        (2, 5, 4, 6),
        (3, 3, 2, 9),
        "padding_low = [1, 1] padding_high = [1, 1] feature_group_count = 3",
        "nhwc, hwio",
    ),
    "depthwise": (
        (2, 4, 6, 5),
        (8, 1, 3, 3),
        "window_strides = [2, 1] padding_low = [1, 1] padding_high = [1, 1] feature_group_count = 4",
        "",
    ),
    "mixed": ((2, 5, 6, 3), (4, 3, 3, 3), "padding_low = [1, 1] padding_high = [1, 1]", "nhwc"),
    "line": (
        (2, 3, 11),
        (4, 3, 4),
        "window_strides = [2] padding_low = [2] padding_high = [1]",
        "",
    ),
    "space": (
        (1, 4, 3, 5, 2),
        (2, 3, 2, 2, 3),
        "padding_low = [1, 0, 1] padding_high = [0, 1, 0]",
        "nhwc, hwio",
    ),
    "point": ((2, 3, 4, 5), (1, 1, 5, 2), "window_strides = [2, 2]", "nhwc, hwio"),
    # A library's in f32.
    "large": (
        (1, 6, 6, 16),
        (3, 3, 16, 8),
        "padding_low = [1, 1] padding_high = [1, 1]",
        "nhwc, hwio",
    ),
    "large_strided": (
        (2, 9, 9, 8),
        (3, 3, 8, 12),
        "window_strides = [2, 2] padding_low = [0, 1] padding_high = [1, 1]",
        "nhwc, hwio",
    ),
    "large_first": (
        (1, 3, 12, 12),
        (12, 3, 3, 3),
        "padding_low = [1, 1] padding_high = [1, 1]",
        "",
    ),
    "large_mixed": (
        (2, 6, 10, 10),
        (5, 6, 3, 3),
        "padding_low = [2, 1] padding_high = [2, 1] rhs_dilation = [2, 1]",
        "",
    ),
    "large_grouped": (
        (2, 8, 8, 8),
        (3, 3, 4, 8),
        "padding_low = [1, 1] padding_high = [1, 1] feature_group_count = 2",
        "nhwc, hwio",
    ),
    "large_depthwise": (
        (2, 32, 8, 8),
        (32, 1, 3, 3),
        "padding_low = [1, 1] padding_high = [1, 1] feature_group_count = 32",
        "",
    ),
    "large_line": ((2, 16, 40), (16, 16, 3), "padding_low = [1] padding_high = [1]", ""),
    "large_point": ((1, 8, 9, 16), (1, 1, 16, 32), "", "nhwc, hwio"),
}


def convolutionCases(Case, element, bound):
    for name, (shape, filter, attributes, flags) in CONVOLUTIONS.items():
        text = attributes + (f" {{{flags}}}" if flags else "")
        lies = windows.Windows(text, len(shape) - 2)
        result = lies.result(shape, lies.window(filter), filter[-1 if lies.hwio else 0])
        for op, (x, y, out) in (
            ("convolution", (shape, filter, result)),
            ("convolution_input_grad", (result, filter, shape)),
            ("convolution_filter_grad", (shape, result, filter)),
        ):

            def expected(a, b, op=op, shapes=(x, y, out), text=text):
                return windows.convolution(op, a, b, shapes, text)

            yield Case(
                f"{op}_{name}",
                f"graph.{op} %a, %b {text} : (INPUTS) -> RESULT",
                [(x, element, numbers(math.prod(x), 1)), (y, element, numbers(math.prod(y), 2))],
                (out, element),
                expected,
                bound * 4,
            )


# operand, attributes, flags
POOLS = {
    "halves": ((2, 6, 4, 5), "window_dimensions = [2, 2] window_strides = [2, 2]", "nhwc"),
    "padded": (
        (2, 3, 7, 6),
        "window_dimensions = [3, 3] window_strides = [2, 2] padding_low = [1, 0] padding_high = [1, 1]",
        "",
    ),
    "overlapping": (
        (1, 2, 5, 40),
        "window_dimensions = [3, 4] padding_low = [1, 2] padding_high = [1, 1]",
        "",
    ),
    "features": (
        (2, 7, 6, 70),
        "window_dimensions = [3, 3] window_strides = [2, 2] padding_low = [1, 0] padding_high = [0, 1]",
        "nhwc",
    ),
    "crossing": ((1, 6, 5, 19), "window_dimensions = [3, 2]", "nhwc"),
    "dilated": (
        (1, 9, 8, 3),
        "window_dimensions = [2, 3] padding_low = [0, 1] padding_high = [1, 1] window_dilations = [3, 2]",
        "nhwc",
    ),
    "left_over": ((1, 2, 8, 7), "window_dimensions = [2, 2] window_strides = [3, 4]", ""),
    "empty": (
        (1, 1, 3, 3),
        "window_dimensions = [1, 2] window_strides = [2, 1] padding_low = [2, 0] padding_high = [1, 3]",
        "",
    ),
    "tiles": ((2, 2, 5, 70), "window_dimensions = [2, 2] window_strides = [2, 2]", ""),
    "cropped": (
        (1, 2, 7, 40),
        "window_dimensions = [2, 3] window_strides = [2, 3] padding_low = [1, -2] padding_high = [0, 2]",
        "",
    ),
    "global": ((2, 5, 4, 17), "window_dimensions = [5, 4]", "nhwc"),
    "line": ((2, 3, 11), "window_dimensions = [4] window_strides = [3] padding_low = [2]", ""),
    "wide": (
        (1, 2, 40, 20),
        "window_dimensions = [11, 9] window_strides = [4, 3] padding_low = [5, 4] padding_high = [5, 0]",
        "",
    ),
}


def poolCases(Case, element, bound):
    least = -math.inf if element[0] == "f" else -(2 ** (int(element[1:]) - 1))
    for name, (shape, attributes, flags) in POOLS.items():
        lies = windows.Windows(attributes + (f" {{{flags}}}" if flags else ""), len(shape) - 2)
        pooled = lies.result(shape, lies.dimensions, lies.features(shape))
        flat = numbers(math.prod(shape), 3)
        flat = [flat[i - i % 3] for i in range(len(flat))]  # some are equal
        if element[0] != "f":
            flat = [int(512 * value) - 700 for value in flat]
        elif name in ("padded", "halves", "features", "crossing", "tiles"):
            flat[7] = flat[8] = math.nan
            flat[70:] = (
                [math.nan if i % 37 == 0 else value for i, value in enumerate(flat[70:])]
                if name in ("features", "tiles")
                else flat[70:]
            )
        upstream = (
            numbers(math.prod(pooled), 4) if element[0] == "f" else list(range(math.prod(pooled)))
        )

        def text(op, name=name, attributes=attributes, flags=flags, more=()):
            every = ", ".join([*([flags] if flags else []), *more])
            return f"{attributes} {{{every}}}" if every else attributes

        def case(op, title, inputs, shapes, out, bound, more=(), text=text):
            written = text(op, more=more)

            def expected(*args):
                return windows.pool(op, args, shapes, written, least)

            operands = ", ".join(f"%{letter}" for letter in "ab"[: len(inputs)])
            return Case(
                f"{title}_{name}",
                f"graph.{op} {operands} {written} : (INPUTS) -> RESULT",
                inputs,
                out,
                expected,
                bound,
            )

        operand = (shape, element, flat)
        yield case("max_pool", "max_pool", [operand], [shape, pooled], (pooled, element), 0.0)
        yield case(
            "max_pool_grad",
            "max_pool_grad",
            [operand, (pooled, element, upstream)],
            [shape, pooled],
            (shape, element),
            bound,
        )
        if element[0] == "f":
            yield case("avg_pool", "avg_pool", [operand], [shape, pooled], (pooled, element), bound)
            yield case(
                "avg_pool",
                "avg_pool_all",
                [operand],
                [shape, pooled],
                (pooled, element),
                bound,
                ("count_include_pad",),
            )
