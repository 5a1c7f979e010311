"""Convolutions and pools by their definitions: which elements meet, one triple or pair a time."""

import functools
import math
import re


def indices(sizes):
    """In row-major order."""
    if not sizes:
        yield ()
        return
    for first in range(sizes[0]):
        for rest in indices(sizes[1:]):
            yield (first, *rest)


def offset(shape, index):
    place = 0
    for size, i in zip(shape, index, strict=True):
        place = place * size + i
    return place


class Windows:
    """How windows lie: `text` has attributes as MLIR prints them, in either form."""

    def __init__(self, text, space):
        def entries(name, otherwise):
            found = re.search(rf"{name} = (?:array<i64: |\[)([-\d, ]+)", text)
            return [int(n) for n in found[1].split(",")] if found else [otherwise] * space

        self.strides, self.low, self.high = (
            entries("window_strides", 1),
            entries("padding_low", 0),
            entries("padding_high", 0),
        )
        self.dilation = entries("rhs_dilation" if "rhs_dilation" in text else "window_dilations", 1)
        self.dimensions = entries("window_dimensions", 1)
        groups = re.search(r"feature_group_count = (\d+)", text)
        self.groups = int(groups[1]) if groups else 1
        self.nhwc, self.hwio = (
            re.search(r"\bnhwc\b", text) is not None,
            re.search(r"\bhwio\b", text) is not None,
        )

    def space(self, shape):
        return shape[1:-1] if self.nhwc else shape[2:]

    def features(self, shape):
        return shape[-1] if self.nhwc else shape[1]

    def at(self, batch, feature, place):
        return (batch, *place, feature) if self.nhwc else (batch, feature, *place)

    def result(self, shape, window, features):
        """The shape of what windows make of a tensor."""
        sizes = [
            (n + low + high - (k - 1) * d - 1) // s + 1
            for n, low, high, k, d, s in zip(
                self.space(shape), self.low, self.high, window, self.dilation, self.strides
            )
        ]
        return self.at(shape[0], features, sizes)

    def places(self, inside, window, out):
        """(place of the result, place in its window, place of the input), inside of the input."""
        for o in indices(out):
            for k in indices(window):
                p = tuple(
                    i * s - low + j * d
                    for i, s, low, j, d in zip(o, self.strides, self.low, k, self.dilation)
                )
                if all(0 <= i < size for i, size in zip(p, inside)):
                    yield o, k, p

    def window(self, filter):
        return filter[:-2] if self.hwio else filter[2:]

    def triples(self, input, filter, result):
        """The offsets in the three that meet."""
        outputs, inputs = self.features(result) // self.groups, self.features(input) // self.groups
        for o, k, p in self.places(self.space(input), self.window(filter), self.space(result)):
            for batch in range(input[0]):
                for group in range(self.groups):
                    for feature in range(group * outputs, (group + 1) * outputs):
                        for c in range(inputs):
                            of = (*k, c, feature) if self.hwio else (feature, c, *k)
                            yield (
                                offset(input, self.at(batch, group * inputs + c, p)),
                                offset(filter, of),
                                offset(result, self.at(batch, feature, o)),
                            )


@functools.cache
def triples(text, input, filter, result):
    return list(Windows(text, len(input) - 2).triples(input, filter, result))


ROLES = {
    "convolution": (0, 1, 2),
    "convolution_input_grad": (2, 1, 0),
    "convolution_filter_grad": (0, 2, 1),
}


def convolution(name, a, b, shapes, text):
    """Of the op's operands, flat lists; shapes: of both and of the result."""
    first, second, computed = ROLES[name]
    terms = [[] for _ in range(math.prod(shapes[2]))]
    order = ROLES[name]  # the same exchange brings operands to roles and roles to operands
    roles = [None] * 3
    for operand, role in enumerate(order):
        roles[role] = tuple(shapes[operand])
    for triple in triples(text, *roles):
        terms[triple[computed]].append(a[triple[first]] * b[triple[second]])
    return [math.fsum(t) if t and isinstance(t[0], float) else sum(t) for t in terms]


def largest(values):
    """The place and the value of the first largest; a NaN counts as largest."""
    best = 0
    for i, value in enumerate(values):
        if values[best] == values[best] and (value != value or value > values[best]):
            best = i
    return best


def pool(name, args, shapes, text, least):
    """Of the op's operands, flat lists; shapes: of all of them and of the result. `least`: what is
    less than every element."""
    windows = Windows(text, len(shapes[0]) - 2)
    whole, pooled = shapes[0], shapes[1]
    # The elements of each window, in row-major order.
    every = [[] for _ in range(math.prod(pooled))]
    for o, _, p in windows.places(windows.space(whole), windows.dimensions, windows.space(pooled)):
        for batch in range(whole[0]):
            for feature in range(windows.features(whole)):
                every[offset(pooled, windows.at(batch, feature, o))].append(
                    offset(whole, windows.at(batch, feature, p))
                )
    total = math.fsum if isinstance(args[0][0], float) else sum
    of = [[args[0][at] for at in seen] for seen in every]
    if name == "max_pool_grad":
        terms = [[] for _ in args[0]]
        for seen, values, share in zip(every, of, args[1], strict=True):
            if values:
                terms[seen[largest(values)]].append(share)
        return [total(t) if t else args[1][0] * 0 for t in terms]
    if name == "max_pool":
        return [values[largest(values)] if values else least for values in of]
    count = math.prod(windows.dimensions)
    if "count_include_pad" in text:
        return [total(values) / count for values in of]
    return [total(values) / len(values) if values else math.nan for values in of]


POOLS = ("max_pool", "max_pool_grad", "avg_pool")
