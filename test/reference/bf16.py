"""bf16 by its definition: 8 bits of exponent as f32 has them, 7 behind the first."""
import fractions
import math


def nearest(value):
    """The nearest number with 8 bits behind the first, ties to even; from 2^128 on, by rounding, infinity."""
    if value == 0 or not math.isfinite(value):
        return value
    unit = 2.0**(max(math.frexp(value)[1] - 8, -133))
    near = abs(round(fractions.Fraction(value) / fractions.Fraction(unit))) * fractions.Fraction(unit)  # ties to even
    return math.copysign(math.inf if near >= 2**128 else near, value)
