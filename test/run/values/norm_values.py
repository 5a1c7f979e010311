"""What the norms compute, for check.py: their definitions in Python."""

import math

from interpret import indices
from harness import count, tensor

EPSILON = 1e-3


def statistics(numbers):
    mean = math.fsum(numbers) / len(numbers)
    return mean, math.fsum((x - mean) ** 2 for x in numbers) / len(numbers)


def normalized(x, groups, centered=True):
    """Each element of a list less its group's mean, divided by the root of its variance; `groups`
    are lists of places."""
    out = [0.0] * len(x)
    for places in groups:
        mean, variance = statistics([x[p] for p in places])
        if not centered:
            mean, variance = 0.0, math.fsum(x[p] ** 2 for p in places) / len(places)
        for p in places:
            out[p] = (x[p] - mean) / math.sqrt(variance + EPSILON)
    return out


def grouped(shape, key):
    """The places whose index has the same key, in row-major order."""
    groups = {}
    for place, index in enumerate(indices(shape)):
        groups.setdefault(key(index), []).append(place)
    return list(groups.values())


def norms(Case, element, bound):
    numbers = lambda size, phase: [
        math.sin(phase + i * 1.7) * 3 + math.cos(i * i * 0.3) for i in range(size)
    ]
    attributes = f"epsilon = {EPSILON:.1e}"

    def case(op, name, shape, parameter, text, expected, more=0):
        parameters = [
            (parameter, element, numbers(count(parameter), 0.5 + i))
            for i in range(2 if op != "rms_norm" else 1)
        ]
        given = [
            (parameter, element, [abs(v) for v in numbers(count(parameter), 2.5 + i)])
            for i in range(more)
        ]
        # Of numbers near 0, which a sum has made of large ones.
        return Case(
            name,
            text,
            [(shape, element, numbers(count(shape), 0.0)), *parameters, *given],
            (shape, element),
            expected,
            bound * 400,
        )

    for feature, shape in ((1, (4, 5, 6)), (2, (3, 7, 20)), (0, (2, 70)), (3, (2, 3, 3, 5))):
        groups = grouped(shape, lambda index: index[feature])
        channel = [index[feature] for index in indices(shape)]
        types = ", ".join([tensor(shape, element)] + [tensor((shape[feature],), element)] * 2)
        text = f"%y, %m, %v = graph.batch_norm_training %a, %b, %c feature_index = {feature} {attributes} : ({types}) -> ({types})\n"
        affine = lambda x, s, o, c=channel: [v * s[i] + o[i] for v, i in zip(x, c)]
        yield case(
            "batch_norm",
            f"batch_norm_training_{feature}",
            shape,
            (shape[feature],),
            text + "graph.abs %y : RESULT",
            lambda x, s, o, g=groups, affine=affine: [
                abs(v) for v in affine(normalized(x, g), s, o)
            ],
        )
        repeat = (
            f"broadcast_dimensions = [{feature}] : ({tensor((shape[feature],), element)}) -> RESULT"
        )
        for name, of in (("mean", 0), ("variance", 1)):
            yield case(
                "batch_norm",
                f"batch_norm_{name}_{feature}",
                shape,
                (shape[feature],),
                text + f"graph.broadcast_in_dim %{name[0]} {repeat}",
                lambda x, s, o, g=groups, c=channel, of=of: [
                    [statistics([x[p] for p in places]) for places in g][i][of] for i in c
                ],
            )
        yield case(
            "batch_norm",
            f"batch_norm_inference_{feature}",
            shape,
            (shape[feature],),
            f"graph.batch_norm_inference %a, %b, %c, %d, %e feature_index = {feature} {attributes} : (INPUTS) -> RESULT",
            lambda x, s, o, m, v, c=channel: [
                (n - m[i]) / math.sqrt(v[i] + EPSILON) * s[i] + o[i] for n, i in zip(x, c)
            ],
            2,
        )
    for axis, shape in ((1, (4, 37)), (1, (3, 5, 6)), (0, (70,)), (2, (2, 3, 130))):
        width = count(shape[axis:])
        groups = [list(range(i, i + width)) for i in range(0, count(shape), width)]
        yield case(
            "layer_norm",
            f"layer_norm_{len(shape)}_{axis}",
            shape,
            shape[axis:],
            f"graph.layer_norm %a, %b, %c axis = {axis} {attributes} : (INPUTS) -> RESULT",
            lambda x, s, o, g=groups, w=width: [
                v * s[i % w] + o[i % w] for i, v in enumerate(normalized(x, g))
            ],
        )
        yield case(
            "rms_norm",
            f"rms_norm_{len(shape)}_{axis}",
            shape,
            shape[axis:],
            f"graph.rms_norm %a, %b axis = {axis} {attributes} : (INPUTS) -> RESULT",
            lambda x, s, g=groups, w=width: [
                v * s[i % w] for i, v in enumerate(normalized(x, g, centered=False))
            ],
        )
    for number, feature, shape in (
        (2, 1, (3, 6, 7)),
        (3, 2, (2, 5, 6)),
        (1, 1, (3, 40)),
        (4, 1, (2, 4, 3, 3)),
    ):
        width = shape[feature] // number
        groups = grouped(shape, lambda index: (index[0], index[feature] // width))
        channel = [index[feature] for index in indices(shape)]
        yield case(
            "group_norm",
            f"group_norm_{number}_{feature}_{len(shape)}",
            shape,
            (shape[feature],),
            f"graph.group_norm %a, %b, %c num_groups = {number} feature_index = {feature} {attributes} : (INPUTS) -> RESULT",
            lambda x, s, o, g=groups, c=channel: [
                v * s[i] + o[i] for v, i in zip(normalized(x, g), c)
            ],
        )
