"""One op with inputs, and what it gives."""

import math
import re

NAN, INF = math.nan, math.inf
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.75,
    1e-30,
    1e10,
    -7.0,
    20.0,
    -20.0,
    88.0,
    -90.0,
    INF,
    -INF,
    NAN,
    2.0,
]
ORDINARY = [0.25, 1.0, 1.5, 2.0, 3.0, 10.0, 0.001, 123.0, 7e-5, 80.0]
INTEGERS = [0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 100, -13, 2]


class Case:
    """An op's text with %a, %b, … for inputs, @a, @b, … for the variables that hold them and RESULT
    for the result's type; `expected` maps input lists to a list.

    Results agree bit by bit, or within `ulps` units of the last place, or within `bound` of what is
    expected, but of no less than `least`.
    """

    def __init__(self, name, text, inputs, out, expected, bound=0.0, ulps=0, least=1e-30):
        self.name, self.text, self.inputs, self.out, self.expected = (
            name,
            text,
            inputs,
            out,
            expected,
        )
        self.bound, self.ulps, self.least = bound, ulps, least

    def changed(self):
        """Letters of the inputs whose variables the text names."""
        return set(re.findall(r"@([a-f])\b", self.text))


def pairs(values):
    return ([a for a in values for _ in values], [b for _ in values for b in values])


def rows(flat, width):
    return [flat[i : i + width] for i in range(0, len(flat), width)]
