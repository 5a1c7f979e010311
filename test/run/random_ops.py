"""Ops of random graphs (random_graphs.py): each function adds one to the graph, or returns None
where nothing fits."""

FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i64")
NARROW = ("i8", "ui8", "ui32", "bf16")  # computed with in another type
REALS, WHOLE = FLOATS + ("bf16",), INTEGERS + ("i8", "ui8", "ui32")


def text(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def unary(g):
    op = g.random.choice(
        ("negate", "abs", "sign", "tanh", "exponential", "logistic", "relu", "sqrt", "log", "rsqrt")
    )
    floats = op not in ("negate", "abs", "sign")
    value = g.pick(lambda s, e: e in REALS or (not floats and e in WHOLE))
    if not value:
        return None
    if op in ("sqrt", "log", "rsqrt"):  # of numbers above zero, so that no step ends in NaN
        value = g.emit(f"exponential {g.emit(f'tanh {value[0]}', *value[1:])[0]}", *value[1:])
    if op == "exponential":
        value = g.emit(f"tanh {value[0]}", *value[1:])
    return g.emit(f"{op} {value[0]}", *value[1:])


def binary(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    op = g.random.choice(("add", "subtract", "multiply", "maximum", "minimum"))
    return b and g.emit(f"{op} {a[0]}, {b[0]}", *a[1:])


def choose(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    test = g.emit(
        f"compare {g.random.choice(('eq', 'lt', 'ge'))}, {a[0]}, {b[0]}",
        a[1],
        "i1",
        text(a[1], a[2]),
    )
    return g.emit(f"select {test[0]}, {a[0]}, {b[0]}", *a[1:])


def convert(g):
    a = g.pick(lambda s, e: e != "f64")
    to = g.random.choice(FLOATS + NARROW if a and a[2] not in NARROW else FLOATS + INTEGERS)
    if a and a[2] in REALS and to in WHOLE:
        a = g.emit(f"tanh {a[0]}", *a[1:])
    return (
        a
        and a[2] != to
        and g.emit(f"convert {a[0]}", a[1], to, f"({text(*a[1:])}) -> {text(a[1], to)}")
    )


def constant(g):
    shape, element = g.shape(), g.random.choice(FLOATS + INTEGERS + NARROW)
    return g.emit(f"constant dense<{g.number(element)}>", shape, element)


def reduce(g):
    op = g.random.choice(("reduce_sum", "reduce_max", "reduce_min", "reduce_mean"))
    a = g.pick(lambda s, e: s and e != "i1" and (op != "reduce_mean" or e in REALS))
    if not a:
        return None
    dims = sorted(g.random.sample(range(len(a[1])), g.random.randint(1, len(a[1]))))
    shape = tuple(d for i, d in enumerate(a[1]) if i not in dims)
    return g.emit(
        f"{op} {a[0]} dimensions = [{', '.join(map(str, dims))}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def transpose(g):
    a = g.pick(lambda s, e: len(s) > 1)
    if not a:
        return None
    order = g.random.sample(range(len(a[1])), len(a[1]))
    shape = tuple(a[1][i] for i in order)
    return g.emit(
        f"transpose {a[0]} permutation = [{', '.join(map(str, order))}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def reshape(g):
    a = g.pick(lambda s, e: len(s) > 1)
    if not a:
        return None
    count = 1
    for d in a[1]:
        count *= d
    return g.emit(f"reshape {a[0]}", (count,), a[2], f"({text(*a[1:])}) -> {text((count,), a[2])}")


def broadcast(g):
    a = g.pick(lambda s, e: len(s) < 3)
    if not a:
        return None
    lead = g.random.choice((2, 3, 5))
    shape = (lead,) + a[1]
    dims = ", ".join(str(i + 1) for i in range(len(a[1])))
    return g.emit(
        f"broadcast_in_dim {a[0]} broadcast_dimensions = [{dims}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def slice_(g):
    a = g.pick(lambda s, e: s)
    if not a:
        return None
    starts = [g.random.randrange(d) for d in a[1]]
    limits = [g.random.randint(b + 1, d) for b, d in zip(starts, a[1])]
    strides = [g.random.choice((1, 1, 1, 2, 3)) for _ in a[1]]
    shape = tuple((e - b - 1) // s + 1 for b, e, s in zip(starts, limits, strides))
    return g.emit(
        f"slice {a[0]} start_indices = {starts} limit_indices = {limits} strides = {strides}",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def concatenate(g):
    a = g.pick(lambda s, e: s)
    if not a:
        return None
    along = g.random.randrange(len(a[1]))
    rest = lambda s: s[:along] + s[along + 1 :]
    pieces = [a]
    for _ in range(g.random.randint(1, 3)):
        pieces.append(
            g.pick(lambda s, e: e == a[2] and len(s) == len(a[1]) and rest(s) == rest(a[1]))
        )
    shape = a[1][:along] + (sum(p[1][along] for p in pieces),) + a[1][along + 1 :]
    if shape[along] > 200:
        return None
    return g.emit(
        f"concatenate {', '.join(p[0] for p in pieces)} dimension = {along}",
        shape,
        a[2],
        f"({', '.join(text(*p[1:]) for p in pieces)}) -> {text(shape, a[2])}",
    )


def matmul(g):
    a = g.pick(lambda s, e: len(s) == 2 and e != "i1")
    if not a:
        return None
    rows, inner = a[1]
    small = lambda columns: g.library or a[2] != "f32" or rows * inner * columns < 4096
    b = g.pick(lambda s, e: len(s) == 2 and e == a[2] and s[0] == inner and small(s[1]))
    if not b:
        b = g.emit(f"constant dense<{g.number(a[2])}>", (inner, g.random.choice((1, 4, 7))), a[2])
    if not small(b[1][1]):
        return None
    shape = (rows, b[1][1])
    return g.emit(
        f"matmul {a[0]}, {b[0]}",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*b[1:])}) -> {text(shape, a[2])}",
    )


def softmax(g):
    a = g.pick(lambda s, e: s and e in REALS)
    return a and g.emit(f"{g.random.choice(('softmax', 'log_softmax'))} {a[0]}", *a[1:])


def dense(g):
    """A product that is the library's business, with its last steps; each op may be placed apart
    from the others."""
    rows, inner, columns = (
        g.random.choice((8, 17)),
        g.random.choice((24, 33)),
        g.random.choice((24, 40)),
    )
    make = lambda *shape: g.emit(f"constant dense<{g.number('f32')}>", shape, "f32")
    a = g.pick(lambda s, e: e == "f32" and len(s) == 2 and s[0] * s[1] * columns >= 4096) or make(
        rows, inner
    )
    rows, inner = a[1]
    start = g.pick(lambda s, e: e == "f32" and s == ())
    b = make(inner, columns)
    if start:  # not a constant, so that nothing folds
        wide = g.emit(
            f"broadcast_in_dim {start[0]} broadcast_dimensions = []",
            b[1],
            "f32",
            f"({text((), 'f32')}) -> {text(b[1], 'f32')}",
        )
        ramp = g.emit("iota dimension = 1", b[1], "f32")
        b = g.emit(f"tanh {g.emit(f'add {wide[0]}, {ramp[0]}', b[1], 'f32')[0]}", b[1], "f32")
    product = g.emit(
        f"matmul {a[0]}, {b[0]}",
        (rows, columns),
        "f32",
        f"({text(*a[1:])}, {text(*b[1:])}) -> {text((rows, columns), 'f32')}",
    )
    bias = make(columns)
    biased = g.emit(
        f"bias_add {product[0]}, {bias[0]}",
        (rows, columns),
        "f32",
        f"{text(*product[1:])}, {text(*bias[1:])}",
    )
    return g.emit(f"relu {biased[0]}", *biased[1:])


def divide(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    if a[2] in REALS:  # by numbers above zero
        b = g.emit(f"exponential {g.emit(f'tanh {b[0]}', *b[1:])[0]}", *b[1:])
    return g.emit(f"divide {a[0]}, {b[0]}", *a[1:])


def power(g):
    a = g.pick(lambda s, e: e in FLOATS)
    if not a:
        return None
    exponent = g.emit(f"constant dense<{g.random.choice((2.0, 3.0, -1.0, 0.5, 2.5))}>", *a[1:])
    base = g.emit(f"exponential {g.emit(f'tanh {a[0]}', *a[1:])[0]}", *a[1:])
    return g.emit(f"power {base[0]}, {exponent[0]}", *a[1:])


def truth(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    p, q = (
        g.emit(f"compare {g.random.choice(('ne', 'le', 'gt'))}, {x}, {y}", a[1], "i1", text(*a[1:]))
        for x, y in ((a[0], b[0]), (b[0], a[0]))
    )
    r = g.emit(f"{g.random.choice(('and', 'or'))} {p[0]}, {q[0]}", *p[1:])
    return g.emit(f"select {g.emit(f'not {r[0]}', *r[1:])[0]}, {a[0]}, {b[0]}", *a[1:])


def largest(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    dim = g.random.randrange(len(a[1]))
    shape = a[1][:dim] + a[1][dim + 1 :]
    return g.emit(
        f"argmax {a[0]} dimension = {dim}",
        shape,
        "i32",
        f"({text(*a[1:])}) -> {text(shape, 'i32')}",
    )


def classes(g):
    a = g.pick(lambda s, e: e in INTEGERS and len(s) < 3)
    if not a:
        return None
    shape, element = a[1] + (4,), g.random.choice(FLOATS)
    return g.emit(f"one_hot {a[0]}", shape, element, f"({text(*a[1:])}) -> {text(shape, element)}")


def loss(g):
    a = g.pick(lambda s, e: len(s) == 2 and e in FLOATS)
    if not a:
        return None
    labels = g.emit("iota dimension = 0", a[1][:1], "i32")
    return g.emit(
        f"softmax_cross_entropy {a[0]}, {labels[0]}",
        (),
        a[2],
        f"({text(*a[1:])}, {text(*labels[1:])}) -> {text((), a[2])}",
    )


def rounding(g):
    a = g.pick(lambda s, e: e in REALS)
    op = g.random.choice(
        (
            "floor",
            "ceil",
            "round_nearest_even",
            "sine",
            "cosine",
            "erf",
            "exponential_minus_one",
            "log_plus_one",
        )
    )
    if not a:
        return None
    if op in ("exponential_minus_one", "log_plus_one"):
        a = g.emit(f"tanh {a[0]}", *a[1:])
    if op == "log_plus_one":
        a = g.emit(f"exponential {a[0]}", *a[1:])
    return g.emit(f"{op} {a[0]}", *a[1:])


def activation(g):
    a = g.pick(lambda s, e: e in REALS)
    op = g.random.choice(
        ("gelu", "silu", "softplus", "elu", "leaky_relu", "hard_sigmoid", "hard_swish")
    )
    return a and g.emit(f"{op} {g.emit(f'sine {a[0]}', *a[1:])[0]}", *a[1:])


def remainder(g):
    a = g.pick(lambda s, e: e != "i1")
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    if not b:
        return None
    if a[2] in REALS:  # by numbers above zero
        b = g.emit(f"exponential {g.emit(f'tanh {b[0]}', *b[1:])[0]}", *b[1:])
    return g.emit(f"remainder {a[0]}, {b[0]}", *a[1:])


def clamp(g):
    a = g.pick(lambda s, e: e != "i1")
    if not a:
        return None
    low, high = (
        g.emit(f"constant dense<{n}{'.0' if a[2] in REALS else ''}>", (), a[2])
        for n in ((0, 5) if a[2] in ("ui8", "ui32") else (-1, 1))
    )
    return g.emit(
        f"clamp {low[0]}, {a[0]}, {high[0]}",
        *a[1:],
        f"({text((), a[2])}, {text(*a[1:])}, {text((), a[2])}) -> {text(*a[1:])}",
    )


def bits(g):
    a = g.pick(lambda s, e: e in WHOLE)
    b = a and g.pick(lambda s, e: (s, e) == a[1:])
    op = g.random.choice(
        ("and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical")
    )
    return b and g.emit(f"{op} {a[0]}, {b[0]}", *a[1:])


def along(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    dim = g.random.randrange(len(a[1]))
    if g.random.random() < 0.4:
        return g.emit(f"reverse {a[0]} dimensions = [{dim}]", *a[1:])
    flags = ", ".join(flag for flag in ("exclusive", "reverse") if g.random.random() < 0.5)
    name = g.emit(f"cumsum {a[0]} dimension = {dim}", *a[1:])
    if flags:
        g.body[-1] = g.body[-1].replace("{", "{%s, " % flags, 1)
    return name


def product(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    if a[2] in REALS:
        a = g.emit(f"tanh {a[0]}", *a[1:])
    dim = g.random.randrange(len(a[1]))
    shape = a[1][:dim] + a[1][dim + 1 :]
    return g.emit(
        f"reduce_prod {a[0]} dimensions = [{dim}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def draw(g):
    """Random numbers, of few seeds, so that some draws are equal in the text."""
    op = g.random.choice(("random_uniform", "random_normal", "dropout"))
    a = g.pick(lambda s, e: e in FLOATS) if op == "dropout" else None
    if op == "dropout" and not a:
        return None
    element = a[2] if a else g.random.choice(FLOATS + (INTEGERS if op == "random_uniform" else ()))
    value = g.emit(f"dropout {a[0]}" if a else op, a[1] if a else g.shape(), element)
    attributes = (
        "rate = 0.3"
        if a
        else "low = -3, high = 4"
        if element in INTEGERS
        else "low = -0.5"
        if op == "random_uniform"
        else "stddev = 0.5"
    )
    g.body[-1] = g.body[-1].replace("{", f"{{{attributes}, seed = {g.random.randint(1, 3)}, ", 1)
    return value


OPS = (
    unary,
    unary,
    binary,
    binary,
    choose,
    convert,
    constant,
    reduce,
    transpose,
    reshape,
    broadcast,
    slice_,
    concatenate,
    matmul,
    softmax,
    dense,
    divide,
    power,
    truth,
    largest,
    classes,
    loss,
    rounding,
    activation,
    remainder,
    clamp,
    bits,
    along,
    product,
    draw,
    draw,
)
