"""A reference interpreter of graph functions: slow, short, and written from the ops' definitions,
not from our code.

Reads the generic text that `graph-opt --mlir-print-op-generic` prints and runs one graph.func on
Python numbers. Composite ops are not known here; run --decompose first. f32 results are rounded
after every op.
"""

import fractions
import functools
import itertools
import math
import re
import struct

import draws
import indexed
import windows
from elements import allRounded, rounded

OP = re.compile(
    r'^\s*(?:%(?P<results>\w+)(?::\d+)? = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)\s*(?:<\{(?P<properties>.*)\}>)?'
    r'\s*(?:\{(?P<attributes>[^}]*)\})?\s*(?:\(\{)?\s*: \((?P<from>.*)\) -> (?P<to>.*)$'
)
TYPE = re.compile(r"tensor<((?:\d+x)*)(\w+)>")


class Tensor:
    def __init__(self, shape, element, flat):
        self.shape, self.element = tuple(shape), element
        self.flat = allRounded(element, flat)
        assert len(self.flat) == math.prod(self.shape), (shape, len(self.flat))

    def at(self, index):
        return self.flat[offset(self.shape, index)]


def offset(shape, index):
    place = 0
    for size, i in zip(shape, index, strict=True):
        place = place * size + i
    return place


def indices(shape):
    return itertools.product(*map(range, shape))


def types(text):
    return [
        (tuple(int(size) for size in sizes.split("x")[:-1]), element)
        for sizes, element in TYPE.findall(text)
    ]


def number(text):
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x"):
        bits = bytes.fromhex(text[2:])
        # A bf16 is the upper half.
        return struct.unpack(
            ">d" if len(bits) == 8 else ">f", bits if len(bits) > 2 else bits + b"\0\0"
        )[0]
    return float(text) if re.search(r"[.einf]", text) else int(text)


def dense(text):
    """The constant of `dense<…> : tensor<…>`."""
    body, kind = re.match(r"dense<(.*?)> : (tensor<[^>]*>)", text).groups()
    ((shape, element),) = types(kind)
    if body.startswith('"0x'):  # long ones: the bytes as they lie in memory
        return Tensor(
            shape,
            element,
            [
                value
                for (value,) in struct.iter_unpack(
                    "<"
                    + {
                        "i1": "?",
                        "i8": "b",
                        "ui8": "B",
                        "i32": "i",
                        "ui32": "I",
                        "i64": "q",
                        "f32": "f",
                        "f64": "d",
                    }[element],
                    bytes.fromhex(body[3:-1]),
                )
            ],
        )
    elements = [number(word) for word in re.findall(r"[^\s,\[\]]+", body)]
    if len(elements) == 1:
        elements *= math.prod(shape)
    return Tensor(shape, element, elements)


def ints(properties, name):
    return (
        [
            int(n)
            for n in re.search(rf"{name} = array<i64(?:: ([^>]*))?>", properties)
            .group(1)
            .split(",")
        ]
        if re.search(rf"{name} = array<i64:", properties)
        else []
    )


def integer(properties, name):
    return int(re.search(rf"{name} = (-?\d+)", properties).group(1))


def divide(a, b):
    if isinstance(a, float):
        if b == 0:
            return (
                math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
            )
        return a / b
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def logarithm(x):
    return -math.inf if x == 0 else math.nan if x < 0 or x != x else math.log(x)


def maximum(a, b):
    """IEEE 754: NaN wins, and +0 is larger than -0."""
    if a != a or b != b:
        return math.nan
    return a if a > b or (a == b and math.copysign(1, a) > 0) else b


def minimum(a, b):
    return -maximum(-a, -b)


def largest(row):
    return functools.reduce(maximum, row)


def smallest(row):
    return functools.reduce(minimum, row)


def firstLargest(row):
    """Where the largest element is first; NaN counts as largest."""
    best = 0
    for i, value in enumerate(row):
        if row[best] == row[best] and (value != value or value > row[best]):
            best = i
    return best


def guarded(function, otherwise=lambda x: math.nan):
    """Where Python has an exception for what is no number, or too large."""

    def call(*x):
        try:
            return function(*x)
        except (ValueError, OverflowError):
            return otherwise(*x)

    return call


@functools.cache
def halfPi():
    """To 1,400 bits, by Machin's sum: libm's sine of a large number is not exact everywhere."""
    one = 1 << 1440

    def arctan(inverse):
        total, power, n = 0, one // inverse, 1
        while power:
            total, power, n = total + power // (n if n % 4 == 1 else -n), power // inverse**2, n + 2
        return total

    return fractions.Fraction(2 * (4 * arctan(5) - arctan(239)), one)


def circle(quarter):
    """The sine of a number of quarter turns more."""

    def call(x):
        if not math.isfinite(x) or (x == 0 and not quarter):
            return x if x == 0 else math.nan
        turns = round(fractions.Fraction(x) / halfPi())
        exact = fractions.Fraction(x) - turns * halfPi()
        rest = float(exact)
        tail = float(exact - fractions.Fraction(rest))
        sine, cosine = math.sin(rest), math.cos(rest)
        return [
            sine + tail * cosine,
            cosine - tail * sine,
            -sine - tail * cosine,
            tail * sine - cosine,
        ][(turns + quarter) % 4]

    return call


def whole(function):
    """A rounding that keeps signs, and what has no fraction."""
    return lambda x: (
        x if not math.isfinite(x) or x == math.trunc(x) else math.copysign(float(function(x)), x)
    )


def remainder(a, b):
    """With the dividend's sign; what has no remainder is NaN, of integers the dividend."""
    if isinstance(a, float):
        return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)
    return a if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def clamp(low, x, high):
    return minimum(maximum(x, low), high) if isinstance(x, float) else min(max(x, low), high)


def unsigned(a, bits):
    return a % 2**bits


SHIFT = {
    "shift_left": lambda a, by, bits: a << by if 0 <= by < bits else 0,
    "shift_right_logical": lambda a, by, bits: unsigned(a, bits) >> by if 0 <= by < bits else 0,
    "shift_right_arithmetic": lambda a, by, bits: (
        rounded(f"i{bits}", a) >> (by if 0 <= by < bits else bits)
    ),
}
BITS = {
    "not": lambda a, bits: ~a,
    "popcnt": lambda a, bits: unsigned(a, bits).bit_count(),
    "count_leading_zeros": lambda a, bits: bits - unsigned(a, bits).bit_length(),
}


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * math.erfc(-x * math.sqrt(0.5))


def geluSlope(x, approximate="none"):
    if approximate == "tanh":
        t = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (
            1 + 3 * 0.044715 * x * x
        )
    return 0.5 * math.erfc(-x * math.sqrt(0.5)) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def sigmoid(x):
    return 1 / (1 + exponential(-x))


ACTIVATION = {
    "gelu": gelu,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: maximum(x, 0.0) + math.log1p(exponential(-abs(x))),
    "elu": lambda x, alpha=1.0: x if x > 0 else alpha * math.expm1(x),
    "leaky_relu": lambda x, alpha=0.01: x if x > 0 else alpha * x,
    "hard_sigmoid": lambda x, alpha=0.2, beta=0.5: clamp(0.0, alpha * x + beta, 1.0),
    "hard_swish": lambda x: x * clamp(0.0, x / 6 + 0.5, 1.0),
}
SLOPE = {"gelu_grad": geluSlope, "silu_grad": lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x)))}


def activationAttributes(text):
    """`alpha = 0.5` and `approximate = "tanh"` as arguments."""
    words = {name: float(value) for name, value in re.findall(r"(alpha|beta) = ([-\d.e+]+)", text)}
    approximate = re.search(r'approximate = "(\w+)"', text)
    return words | ({"approximate": approximate[1]} if approximate else {})


ELEMENTWISE = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": divide,
    "maximum": maximum,
    "minimum": minimum,
    "negate": lambda a: -a,
    "abs": abs,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "exponential": exponential,
    "log": logarithm,
    "tanh": math.tanh,
    "relu": lambda a: a if a > 0 else 0.0,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "select": lambda p, a, b: a if p else b,
    "floor": whole(math.floor),
    "ceil": whole(math.ceil),
    "round_nearest_even": whole(round),
    "remainder": remainder,
    "is_finite": math.isfinite,
    "sine": circle(0),
    "cosine": circle(1),
    "erf": math.erf,
    "exponential_minus_one": guarded(math.expm1, lambda x: math.inf),
    "log_plus_one": guarded(math.log1p, lambda x: -math.inf if x == -1 else math.nan),
}
RELATION = [
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
]


def convert(value, element):
    if element == "i1":
        return value != 0
    if element[0] in "iu":
        if isinstance(value, float):
            bits = int(element.lstrip("ui"))
            low, high = (
                (0, 2**bits - 1) if element[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            )
            return 0 if value != value else int(min(max(value, low), high))
        return int(value)
    return float(value)


def reduced(operand, dimensions, combine, shape, element):
    kept = [i for i in range(len(operand.shape)) if i not in dimensions]
    groups = {}
    for index in indices(operand.shape):
        groups.setdefault(tuple(index[i] for i in kept), []).append(operand.at(index))
    return Tensor(shape, element, [combine(groups[index]) for index in indices(shape)])


def cumsum(operand, properties, shape, element):
    """One rounded addition after the other."""
    along = integer(properties, "dimension")
    result = {}
    for index in indices(shape[:along] + (1,) + shape[along + 1 :]):
        line = [(*index[:along], k, *index[along + 1 :]) for k in range(shape[along])]
        line = line[::-1] if "reverse" in properties else line
        total = None if "exclusive" not in properties else convert(0, element)
        for place in line:
            before, value = total, operand.at(place)
            total = value if total is None else rounded(element, total + value)
            result[place] = total if "exclusive" not in properties else before
    return Tensor(shape, element, [result[index] for index in indices(shape)])


def matmul(a, b, properties, shape, element):
    ta, tb = "transpose_a" in properties, "transpose_b" in properties
    flat = []
    for *batch, i, j in indices(shape):
        k = a.shape[-2] if ta else a.shape[-1]
        flat.append(
            math.fsum(
                a.at((*batch, l, i) if ta else (*batch, i, l))
                * b.at((*batch, j, l) if tb else (*batch, l, j))
                for l in range(k)
            )
        )
    return Tensor(shape, element, flat)


def numbers(properties, names):
    """Dimension numbers under their short names (indexed.py)."""
    return {short: ints(properties, name) for short, name in names.items()} | {
        "vector": integer(properties, "index_vector_dim")
    }


def gather(args, properties, shape, element):
    said = numbers(
        properties,
        {
            "offset": "offset_dims",
            "collapsed": "collapsed_slice_dims",
            "operand_batching": "operand_batching_dims",
            "indices_batching": "start_indices_batching_dims",
            "map": "start_index_map",
        },
    )
    x, i = args
    return Tensor(
        shape,
        element,
        indexed.gather(
            x.flat, x.shape, i.flat, i.shape, shape, ints(properties, "slice_sizes"), said
        ),
    )


def scatter(args, properties, shape, element):
    said = numbers(
        properties,
        {
            "offset": "update_window_dims",
            "collapsed": "inserted_window_dims",
            "operand_batching": "input_batching_dims",
            "indices_batching": "scatter_indices_batching_dims",
            "map": "scatter_dims_to_operand_dims",
        },
    )
    x, i, u = args
    return Tensor(
        shape,
        element,
        indexed.scatter(
            x.flat,
            x.shape,
            i.flat,
            i.shape,
            u.flat,
            u.shape,
            said,
            lambda a, b: rounded(element, a + b),
        ),
    )


def dynamicSlice(args, properties, shape, element):
    return Tensor(
        shape,
        element,
        [
            args[0].at(place)
            for place in indexed.box(args[0].shape, [s.flat[0] for s in args[1:]], shape)
        ],
    )


def dynamicUpdateSlice(args, properties, shape, element):
    flat = list(args[0].flat)
    for place, value in zip(
        indexed.box(shape, [s.flat[0] for s in args[2:]], args[1].shape), args[1].flat
    ):
        flat[offset(shape, place)] = value
    return Tensor(shape, element, flat)


def pad(args, properties, shape, element):
    edges = [
        ints(properties, name)
        for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
    ]
    return Tensor(shape, element, indexed.pad(args[0].flat, args[0].shape, args[1].flat[0], *edges))


def embedding(args, properties, shape, element):
    rows, width = args[0].shape
    first = integer(properties, "first_row")
    return Tensor(
        shape,
        element,
        [
            args[0].flat[(i - first) * width + c] if 0 <= i - first < rows else 0.0
            for i in args[1].flat
            for c in range(width)
        ],
    )


def sumRows(args, properties, kinds):
    """All four results; nobody looks at the op's own memory."""
    numbers, rows = args
    settings = [integer(properties, name) for name in ("first_row", "micro_batches", "per_leaf")]
    table = kinds[2][0][0]
    made = indexed.sumRows(
        numbers.flat,
        rows.flat,
        rows.shape[-1],
        table,
        *settings,
        lambda a, b: rounded(rows.element, a + b),
    )
    return [
        Tensor(*kind, flat)
        for kind, flat in zip(kinds, [*made, [0] * table, [0] * len(numbers.flat)])
    ]


INDEXED = {
    "gather": gather,
    "scatter": scatter,
    "dynamic_slice": dynamicSlice,
    "dynamic_update_slice": dynamicUpdateSlice,
    "pad": pad,
    "embedding": embedding,
    "count_front": lambda args, _, shape, element: Tensor(
        shape, element, indexed.countFront(args[0].flat, math.prod(shape))
    ),
}
DRAWS = ("random_uniform", "random_normal", "dropout")


def topK(args, properties, kinds):
    """Both results."""
    operand, k, width = args[0], integer(properties, "k"), args[0].shape[-1]
    places = indexed.largest(operand.flat, width, k)
    return [
        Tensor(*kinds[0], [operand.flat[i] for i in places]),
        Tensor(*kinds[1], [i % width for i in places]),
    ]


def distinct(args, properties, kinds):
    made = indexed.distinct(
        args[0].flat, integer(properties, "first_row"), integer(properties, "rows")
    )
    return [Tensor(*kind, flat) for kind, flat in zip(kinds, [*made, [0] * kinds[3][0][0]])]


SEVERAL = {"top_k": topK, "sum_rows": sumRows, "distinct": distinct}


def evaluate(name, args, properties, shape, element):
    if name in ELEMENTWISE:
        return Tensor(shape, element, map(ELEMENTWISE[name], *(a.flat for a in args)))
    if name == "not" and element == "i1":
        return Tensor(shape, element, [not value for value in args[0].flat])
    if name in BITS:
        return Tensor(
            shape, element, [BITS[name](value, int(element.lstrip("ui"))) for value in args[0].flat]
        )
    if name in SHIFT:
        return Tensor(
            shape,
            element,
            [
                SHIFT[name](a, b, int(element.lstrip("ui")))
                for a, b in zip(args[0].flat, args[1].flat)
            ],
        )
    if name in DRAWS:
        return Tensor(
            shape,
            element,
            draws.evaluate(name, [arg.flat for arg in args], properties, math.prod(shape), element),
        )
    if name == "clamp":
        low, x, high = (arg.flat * (math.prod(shape) // len(arg.flat)) for arg in args)
        return Tensor(shape, element, map(clamp, low, x, high))
    if name in ACTIVATION:
        return Tensor(
            shape,
            element,
            [ACTIVATION[name](x, **activationAttributes(properties)) for x in args[0].flat],
        )
    if name in SLOPE:
        return Tensor(
            shape,
            element,
            [
                g * SLOPE[name](x, **activationAttributes(properties))
                for x, g in zip(args[0].flat, args[1].flat)
            ],
        )
    if name == "reverse":
        dimensions = ints(properties, "dimensions")
        return Tensor(
            shape,
            element,
            [
                args[0].at(
                    [
                        n - 1 - i if d in dimensions else i
                        for d, (i, n) in enumerate(zip(index, shape))
                    ]
                )
                for index in indices(shape)
            ],
        )
    if name == "cumsum":
        return cumsum(args[0], properties, shape, element)
    if name == "compare":
        relation = RELATION[
            "eq ne lt le gt ge".split().index(
                re.search(r"comparison<?\s*(\w\w)", properties).group(1)
            )
        ]
        return Tensor(shape, element, map(relation, args[0].flat, args[1].flat))
    if name == "convert":
        return Tensor(shape, element, [convert(value, element) for value in args[0].flat])
    if name == "constant":
        return dense(properties.split("value = ", 1)[1])
    if name == "iota":
        dimension = integer(properties, "dimension")
        return Tensor(
            shape, element, [convert(index[dimension], element) for index in indices(shape)]
        )
    if name in ("reshape", "stop_gradient"):
        return Tensor(shape, element, args[0].flat)
    if name == "transpose":
        permutation = ints(properties, "permutation")
        back = [permutation.index(i) for i in range(len(shape))]
        return Tensor(
            shape, element, [args[0].at([index[i] for i in back]) for index in indices(shape)]
        )
    if name == "broadcast_in_dim":
        dimensions = ints(properties, "broadcast_dimensions")
        return Tensor(
            shape,
            element,
            [
                args[0].at(
                    [0 if size == 1 else index[d] for size, d in zip(args[0].shape, dimensions)]
                )
                for index in indices(shape)
            ],
        )
    if name == "slice":
        starts, strides = ints(properties, "start_indices"), ints(properties, "strides")
        return Tensor(
            shape,
            element,
            [
                args[0].at([b + i * s for b, i, s in zip(starts, index, strides)])
                for index in indices(shape)
            ],
        )
    if name == "concatenate":
        along, flat = integer(properties, "dimension"), []
        for index in indices(shape):
            place, number = index[along], 0
            while place >= args[number].shape[along]:
                place -= args[number].shape[along]
                number += 1
            flat.append(args[number].at([*index[:along], place, *index[along + 1 :]]))
        return Tensor(shape, element, flat)
    if name in INDEXED:
        return INDEXED[name](args, properties, shape, element)
    if name == "reduce_sum":
        add = math.fsum if element.startswith("f") else sum
        return reduced(args[0], ints(properties, "dimensions"), add, shape, element)
    if name == "reduce_max":
        return reduced(args[0], ints(properties, "dimensions"), largest, shape, element)
    if name == "reduce_min":
        return reduced(args[0], ints(properties, "dimensions"), smallest, shape, element)
    if name == "reduce_prod":
        return reduced(args[0], ints(properties, "dimensions"), math.prod, shape, element)
    if name in ("reduce_and", "reduce_or"):
        return reduced(
            args[0],
            ints(properties, "dimensions"),
            functools.partial(functools.reduce, ELEMENTWISE[name[7:]]),
            shape,
            element,
        )
    if name == "argmax":
        return reduced(args[0], [integer(properties, "dimension")], firstLargest, shape, element)
    if name == "matmul":
        return matmul(*args, properties, shape, element)
    if name in windows.ROLES:
        return Tensor(
            shape,
            element,
            windows.convolution(
                name, args[0].flat, args[1].flat, [args[0].shape, args[1].shape, shape], properties
            ),
        )
    if name in windows.POOLS:
        least = -math.inf if element.startswith("f") else -(2 ** (int(element.lstrip("ui")) - 1))
        return Tensor(
            shape,
            element,
            windows.pool(
                name, [a.flat for a in args], [*(a.shape for a in args), shape], properties, least
            ),
        )
    if name == "bias_add":
        width = args[1].shape[0]
        return Tensor(
            shape,
            element,
            [value + args[1].flat[i % width] for i, value in enumerate(args[0].flat)],
        )
    raise NotImplementedError(f"graph.{name}")


def variable(properties):
    ((shape, element),) = types(re.search(r"type = (tensor<[^>]*>)", properties).group(1))
    if "#graph.value" not in properties:
        assert "#graph.zeros" in properties, properties
        return Tensor(shape, element, [convert(0, element)] * math.prod(shape))
    value = dense(re.search(r"#graph.value<(dense<.*?> : tensor<[^>]*>)>", properties).group(1))
    return Tensor(shape, element, value.flat * (math.prod(shape) // len(value.flat)))


def run(text):
    """Runs the one function of a module; returns its variables afterwards."""
    state, env = {}, {}
    for line in text.splitlines():
        match = OP.match(line)
        if not match or match["name"] in ("builtin.module", "graph.func"):
            if match is None and '"graph.' in line and "graph.func" not in line:
                raise ValueError(f"cannot read: {line}")
            continue
        name, properties = match["name"].removeprefix("graph."), match["properties"] or ""
        args = [env[word] for word in re.findall(r"%\w+(?:#\d+)?", match["operands"])]
        symbol = re.search(r'(?:variable = @|sym_name = )"?([\w./]+)', properties)
        if name == "variable":
            state[symbol.group(1)] = variable(properties)
        elif name == "read":
            env["%" + match["results"]] = state[symbol.group(1)]
        elif name == "assign":
            state[symbol.group(1)] = args[0]
        elif name in ("assign_add", "apply_sgd"):
            old = state[symbol.group(1)]
            rate = (
                1
                if name == "assign_add"
                else -rounded(
                    old.element,
                    float(re.search(r"learning_rate = (\S+) : f64", properties).group(1)),
                )
            )
            steps = [rounded(old.element, rate * step) for step in args[0].flat]
            state[symbol.group(1)] = Tensor(
                old.shape, old.element, [a + b for a, b in zip(old.flat, steps)]
            )
        elif name in SEVERAL:
            env.update(
                {
                    f"%{match['results']}#{i}": result
                    for i, result in enumerate(SEVERAL[name](args, properties, types(match["to"])))
                }
            )
        elif name != "return":
            ((shape, element),) = types(match["to"])
            env["%" + match["results"]] = evaluate(name, args, properties, shape, element)
    return state
