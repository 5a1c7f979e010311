"""A reference interpreter of graph functions: slow, short, and written from the ops' definitions, not from our code.

Reads the generic text that `graph-opt --mlir-print-op-generic` prints and runs one graph.func on Python numbers. Composite
ops are not known here; run --decompose first. f32 results are rounded after every op.
"""
import functools
import itertools
import math
import re
import struct

import indexed

OP = re.compile(r'^\s*(?:%(?P<results>\w+)(?::\d+)? = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)\s*(?:<\{(?P<properties>.*)\}>)?'
                r'\s*(?:\{(?P<attributes>[^}]*)\})?\s*(?:\(\{)?\s*: \((?P<from>.*)\) -> (?P<to>.*)$')
TYPE = re.compile(r"tensor<((?:\d+x)*)(\w+)>")


class Tensor:
    def __init__(self, shape, element, flat):
        self.shape, self.element = tuple(shape), element
        self.flat = [rounded(element, value) for value in flat]
        assert len(self.flat) == math.prod(self.shape), (shape, len(self.flat))

    def at(self, index):
        return self.flat[offset(self.shape, index)]


def rounded(element, value):
    if element in ("i32", "i64"):
        half = 2**(int(element[1:]) - 1)
        return (int(value) + half) % (2 * half) - half
    if element == "f32" and math.isfinite(value):
        try:
            return struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


def offset(shape, index):
    place = 0
    for size, i in zip(shape, index, strict=True):
        place = place * size + i
    return place


def indices(shape):
    return itertools.product(*map(range, shape))


def types(text):
    return [(tuple(int(size) for size in sizes.split("x")[:-1]), element) for sizes, element in TYPE.findall(text)]


def number(text):
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x"):
        width = (len(text) - 2) // 2
        return struct.unpack(">d" if width == 8 else ">f", bytes.fromhex(text[2:]))[0]
    return float(text) if re.search(r"[.einf]", text) else int(text)


def dense(text):
    """The constant of `dense<…> : tensor<…>`."""
    body, kind = re.match(r"dense<(.*?)> : (tensor<[^>]*>)", text).groups()
    (shape, element), = types(kind)
    elements = [number(word) for word in re.findall(r"[^\s,\[\]]+", body)]
    if len(elements) == 1:
        elements *= math.prod(shape)
    return Tensor(shape, element, elements)


def ints(properties, name):
    return [int(n) for n in re.search(rf"{name} = array<i64(?:: ([^>]*))?>", properties).group(1).split(",")] \
        if re.search(rf"{name} = array<i64:", properties) else []


def integer(properties, name):
    return int(re.search(rf"{name} = (-?\d+)", properties).group(1))


def divide(a, b):
    if isinstance(a, float):
        if b == 0:
            return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
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


ELEMENTWISE = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b, "divide": divide,
    "maximum": maximum, "minimum": minimum, "negate": lambda a: -a, "abs": abs,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan, "exponential": exponential, "log": logarithm,
    "tanh": math.tanh, "relu": lambda a: a if a > 0 else 0.0, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
    "not": lambda a: not a, "select": lambda p, a, b: a if p else b,
}
RELATION = [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b,
            lambda a, b: a >= b]


def convert(value, element):
    if element == "i1":
        return value != 0
    if element.startswith("i"):
        if isinstance(value, float):
            low, high = -2**(int(element[1:]) - 1), 2**(int(element[1:]) - 1) - 1
            return 0 if value != value else int(min(max(value, low), high))
        return int(value)
    return float(value)


def reduced(operand, dimensions, combine, shape, element):
    kept = [i for i in range(len(operand.shape)) if i not in dimensions]
    groups = {}
    for index in indices(operand.shape):
        groups.setdefault(tuple(index[i] for i in kept), []).append(operand.at(index))
    return Tensor(shape, element, [combine(groups[index]) for index in indices(shape)])


def matmul(a, b, properties, shape, element):
    ta, tb = "transpose_a" in properties, "transpose_b" in properties
    flat = []
    for *batch, i, j in indices(shape):
        k = a.shape[-2] if ta else a.shape[-1]
        flat.append(math.fsum(a.at((*batch, l, i) if ta else (*batch, i, l)) * b.at((*batch, j, l) if tb else (*batch, l, j))
                              for l in range(k)))
    return Tensor(shape, element, flat)


def numbers(properties, names):
    """Dimension numbers under their short names (indexed.py)."""
    return {short: ints(properties, name) for short, name in names.items()} | {"vector": integer(properties, "index_vector_dim")}


def gather(args, properties, shape, element):
    said = numbers(properties, {"offset": "offset_dims", "collapsed": "collapsed_slice_dims", "operand_batching": "operand_batching_dims",
                                "indices_batching": "start_indices_batching_dims", "map": "start_index_map"})
    x, i = args
    return Tensor(shape, element, indexed.gather(x.flat, x.shape, i.flat, i.shape, shape, ints(properties, "slice_sizes"), said))


def scatter(args, properties, shape, element):
    said = numbers(properties, {"offset": "update_window_dims", "collapsed": "inserted_window_dims", "operand_batching": "input_batching_dims",
                                "indices_batching": "scatter_indices_batching_dims", "map": "scatter_dims_to_operand_dims"})
    x, i, u = args
    return Tensor(shape, element, indexed.scatter(x.flat, x.shape, i.flat, i.shape, u.flat, u.shape, said, lambda a, b: rounded(element, a + b)))


def dynamicSlice(args, properties, shape, element):
    return Tensor(shape, element, [args[0].at(place) for place in indexed.box(args[0].shape, [s.flat[0] for s in args[1:]], shape)])


def dynamicUpdateSlice(args, properties, shape, element):
    flat = list(args[0].flat)
    for place, value in zip(indexed.box(shape, [s.flat[0] for s in args[2:]], args[1].shape), args[1].flat):
        flat[offset(shape, place)] = value
    return Tensor(shape, element, flat)


def pad(args, properties, shape, element):
    edges = [ints(properties, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")]
    return Tensor(shape, element, indexed.pad(args[0].flat, args[0].shape, args[1].flat[0], *edges))


def embedding(args, properties, shape, element):
    rows, width = args[0].shape
    return Tensor(shape, element, [args[0].flat[i * width + c] if 0 <= i < rows else 0.0 for i in args[1].flat for c in range(width)])


INDEXED = {"gather": gather, "scatter": scatter, "dynamic_slice": dynamicSlice, "dynamic_update_slice": dynamicUpdateSlice, "pad": pad,
           "embedding": embedding}


def topK(operand, k, kinds):
    """Both results."""
    width = operand.shape[-1]
    places = indexed.largest(operand.flat, width, k)
    return [Tensor(*kinds[0], [operand.flat[i] for i in places]), Tensor(*kinds[1], [i % width for i in places])]


def evaluate(name, args, properties, shape, element):
    if name in ELEMENTWISE:
        return Tensor(shape, element, map(ELEMENTWISE[name], *(a.flat for a in args)))
    if name == "compare":
        relation = RELATION["eq ne lt le gt ge".split().index(re.search(r"comparison<?\s*(\w\w)", properties).group(1))]
        return Tensor(shape, element, map(relation, args[0].flat, args[1].flat))
    if name == "convert":
        return Tensor(shape, element, [convert(value, element) for value in args[0].flat])
    if name == "constant":
        return dense(properties.split("value = ", 1)[1])
    if name == "iota":
        dimension = integer(properties, "dimension")
        return Tensor(shape, element, [convert(index[dimension], element) for index in indices(shape)])
    if name == "reshape":
        return Tensor(shape, element, args[0].flat)
    if name == "transpose":
        permutation = ints(properties, "permutation")
        back = [permutation.index(i) for i in range(len(shape))]
        return Tensor(shape, element, [args[0].at([index[i] for i in back]) for index in indices(shape)])
    if name == "broadcast_in_dim":
        dimensions = ints(properties, "broadcast_dimensions")
        return Tensor(shape, element, [args[0].at([0 if size == 1 else index[d] for size, d in
                                                   zip(args[0].shape, dimensions)]) for index in indices(shape)])
    if name == "slice":
        starts, strides = ints(properties, "start_indices"), ints(properties, "strides")
        return Tensor(shape, element, [args[0].at([b + i * s for b, i, s in zip(starts, index, strides)])
                                       for index in indices(shape)])
    if name == "concatenate":
        along, flat = integer(properties, "dimension"), []
        for index in indices(shape):
            place, number = index[along], 0
            while place >= args[number].shape[along]:
                place -= args[number].shape[along]
                number += 1
            flat.append(args[number].at([*index[:along], place, *index[along + 1:]]))
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
    if name == "argmax":
        return reduced(args[0], [integer(properties, "dimension")], firstLargest, shape, element)
    if name == "matmul":
        return matmul(*args, properties, shape, element)
    if name == "bias_add":
        width = args[1].shape[0]
        return Tensor(shape, element, [value + args[1].flat[i % width] for i, value in enumerate(args[0].flat)])
    raise NotImplementedError(f"graph.{name}")


def variable(properties):
    (shape, element), = types(re.search(r"type = (tensor<[^>]*>)", properties).group(1))
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
            rate = 1 if name == "assign_add" else -rounded(old.element, float(
                re.search(r"learning_rate = (\S+) : f64", properties).group(1)))
            steps = [rounded(old.element, rate * step) for step in args[0].flat]
            state[symbol.group(1)] = Tensor(old.shape, old.element, [a + b for a, b in zip(old.flat, steps)])
        elif name == "top_k":
            for number, result in enumerate(topK(args[0], integer(properties, "k"), types(match["to"]))):
                env[f"%{match['results']}#{number}"] = result
        elif name != "return":
            (shape, element), = types(match["to"])
            env["%" + match["results"]] = evaluate(name, args, properties, shape, element)
    return state
