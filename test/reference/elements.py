"""Element types by their definitions: which number of the type a number becomes."""

import array
import math


def rounded(element, value):
    return allRounded(element, (value,))[0]


def allRounded(element, values):
    """The values as numbers of an element type: integers wrap around, floats are the nearest, with
    ties to even."""
    if element == "f32":
        return array.array("f", values).tolist()
    if element in ("f64", "i1"):
        return list(values)
    if element == "bf16":
        return list(map(nearestBf16, values))
    if element[0] == "u":
        whole = 2 ** int(element[2:])
        return [int(value) % whole for value in values]
    half = 2 ** (int(element[1:]) - 1)
    return [(int(value) + half) % (2 * half) - half for value in values]


def nearestBf16(value):
    """8 bits of exponent as f32 has them, 7 after the first bit. From 2^128 on, by rounding,
    infinity."""
    if value == 0 or not math.isfinite(value):
        return value
    unit = 2.0 ** (max(math.frexp(value)[1] - 8, -133))
    near = abs(round(value / unit)) * unit  # the division is exact, and round() takes ties to even
    return math.copysign(math.inf if near >= 2**128 else near, value)
