"""Random numbers as docs/dialects/graph.md defines them, on Python numbers: Philox 4x32-10 (Salmon
et al., SC'11) by seed, number of the draw, micro-batch and place, and Box's and Muller's method in
f64, operation by operation.
"""

import math
import re
import struct

WORD = 2**32 - 1


def philox(counter, key):
    """Ten rounds; the known answers are Random123's (test/runtime/common/base/PhiloxRandomTest.cpp
    has them of the C++ code)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & WORD, (p >> 32) ^ c[3] ^ k[1], p & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


def halves(number):
    return [number & WORD, number >> 32 & WORD]


def generator(seed, draw, micro):
    """Of a draw in one micro-batch: from a block's number to its words. `draw` is its number, or
    the two words that seed and number make."""
    key = (
        draw if isinstance(draw, list) else philox([*halves(draw), 0x64726177, 0], halves(seed))[:2]
    )
    return lambda block: philox([*halves(block), *halves(micro)], key)


def words(seed, draw, micro, count):
    """One for each element."""
    of = generator(seed, draw, micro)
    return [of(i // 4)[i % 4] for i in range(count)]


def pairs(seed, draw, micro, count):
    """Two for each element, as one number."""
    of = generator(seed, draw, micro)
    return [of(i // 2)[i % 2 * 2] | of(i // 2)[i % 2 * 2 + 1] << 32 for i in range(count)]


def uniform(seed, draw, micro, count, element, low=0.0, high=1.0):
    if element[0] in "iu":
        return [low + (n * (high - low) >> 64) for n in pairs(seed, draw, micro, count)]
    numbers = (
        [(n >> 8) * 2.0**-24 for n in words(seed, draw, micro, count)]
        if element in ("f32", "bf16")
        else [(n >> 11) * 2.0**-53 for n in pairs(seed, draw, micro, count)]
    )
    return [low + (high - low) * u for u in numbers]


def logarithm(x):
    mantissa, exponent = math.frexp(x)
    mantissa, exponent = mantissa * 2, exponent - 1
    if mantissa > 1.4142135623730951:
        mantissa, exponent = mantissa * 0.5, exponent + 1
    s = (mantissa - 1) / (mantissa + 1)
    z, p = s * s, 0.0
    for k in range(21, 0, -2):
        p = p * z + 1.0 / k
    return exponent * 0.6931471805599453 + 2 * s * p


def turned(t):
    """Sine and cosine of 2 pi t."""
    quarter = int(t * 4 + 0.5)
    x = (t - quarter * 0.25) * 6.283185307179586
    z, s, c = x * x, 0.0, 0.0
    for k in range(17, 0, -2):
        s = 1 - z / ((k + 1.0) * (k + 2.0)) * s
    for k in range(16, -1, -2):
        c = 1 - z / ((k + 1.0) * (k + 2.0)) * c
    s *= x
    return [(s, c), (c, -s), (-s, -c), (-c, s)][quarter & 3]


def normal(seed, draw, micro, count, mean=0.0, deviation=1.0):
    of, result = generator(seed, draw, micro), []
    for i in range(0, count, 2):
        w = of(i // 2)
        u, t = (((w[j] | w[j + 1] << 32) >> 11) * 2.0**-53 for j in (0, 2))
        radius = math.sqrt(-2 * logarithm(1 - u))
        sine, cosine = turned(t)
        result += [mean + deviation * (radius * cosine), mean + deviation * (radius * sine)]
    return result[:count]


def dropout(x, rate, seed, draw, micro, element):
    scale = 1 / (1 - rate)
    if element in ("f32", "bf16"):
        (scale,) = struct.unpack("f", struct.pack("f", scale))
    dropped = min(round(rate * 2**32), 2**32 - 1)
    return [v * scale if w >= dropped else 0.0 for v, w in zip(x, words(seed, draw, micro, len(x)))]


def evaluate(name, args, properties, count, element):
    """An op's elements, from the lists of its operands' and its attributes' text. The last operands
    are the scalar behind `at` and, where there is one, the key."""
    key = args.pop() if len(args) == (3 if name == "dropout" else 2) else None
    number = lambda key, otherwise: (
        float(found[1])
        if (found := re.search(rf"\b{key} = (\S+) : f64", properties))
        else otherwise
    )
    whole = lambda key, otherwise: (
        int(found[1])
        if (found := re.search(rf"\b{key} = (-?\d+) : i64", properties))
        else otherwise
    )
    of = whole("seed", 0) % 2**64, key or whole("draw", 0), args[-1][0]
    if name == "dropout":
        return dropout(args[0], number("rate", 0), *of, element)
    if name == "random_normal":
        return normal(*of, count, number("mean", 0.0), number("stddev", 1.0))
    bound = whole if element[0] in "iu" else number
    return uniform(*of, count, element, bound("low", 0), bound("high", 1))
