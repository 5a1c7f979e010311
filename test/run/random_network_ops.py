"""Ops of networks in random graphs (random_graphs.py), as random_ops.py has the others."""

from random_ops import FLOATS, INTEGERS, REALS, WHOLE, text


def tamed(g, a):
    """Between -1 and 1."""
    return g.emit(f"sine {a[0]}", *a[1:])


def made(g, shape, element):
    """A value of the shape that no fold knows: of a scalar that a variable or a batch has, or of a
    ramp."""
    scalar = g.pick(lambda s, e: (s, e) == ((), element))
    if scalar:
        value = g.emit(
            f"broadcast_in_dim {scalar[0]} broadcast_dimensions = []",
            shape,
            element,
            f"({text(*scalar[1:])}) -> {text(shape, element)}",
        )
    else:
        value = g.emit("iota dimension = 0", shape, element)
    return tamed(g, value)


def pad(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    low, high, inner = (
        [g.random.choice(choice) for _ in a[1]]
        for choice in ((-1, 0, 0, 2), (-1, 0, 1), (0, 0, 1, 2))
    )
    shape = tuple(l + h + d + (d - 1) * i for l, h, i, d in zip(low, high, inner, a[1]))
    if min(shape) < 1 or max(shape) > 60:
        return None
    fill = g.emit(f"constant dense<{g.number(a[2])}>", (), a[2])
    return g.emit(
        f"pad {a[0]}, {fill[0]} edge_padding_low = {low} edge_padding_high = {high} interior_padding = {inner}",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*fill[1:])}) -> {text(shape, a[2])}",
    )


def rows(g):
    """Rows of a table by numbers: gather, and scatter, whose windows overlap."""
    a = g.pick(lambda s, e: len(s) in (1, 2))
    if not a:
        return None
    ids = g.emit("iota dimension = 0", (g.random.choice((1, 3, 20)),), g.random.choice(INTEGERS))
    if g.random.random() < 0.7:  # some twice, some nowhere
        divisor = g.emit("constant dense<2>", ids[1], ids[2])
        ids = g.emit(f"{g.random.choice(('divide', 'subtract'))} {ids[0]}, {divisor[0]}", *ids[1:])
    rest = a[1][1:]
    numbers = "[1] " if rest else "[] "
    shape = ids[1] + rest
    taken = g.emit(
        f"gather {a[0]}, {ids[0]} "
        + (f"offset_dims = {numbers}" if rest else "")
        + "collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 "
        f"slice_sizes = {[1, *rest]}",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*ids[1:])}) -> {text(shape, a[2])}",
    )
    if a[2] == "i1":
        return taken
    return g.emit(
        f"scatter {a[0]}, {ids[0]}, {taken[0]} "
        + (f"update_window_dims = {numbers}" if rest else "")
        + "inserted_window_dims = [0] "
        "scatter_dims_to_operand_dims = [0] index_vector_dim = 1",
        *a[1:],
        f"({text(*a[1:])}, {text(*ids[1:])}, {text(*taken[1:])}) -> {text(*a[1:])}",
    )


def embedding(g):
    a = g.pick(lambda s, e: len(s) == 2 and e in FLOATS)
    if not a:
        return None
    ids = g.emit("iota dimension = 0", (g.random.choice((1, 4, 9)),), g.random.choice(INTEGERS))
    shape = ids[1] + a[1][1:]
    return g.emit(
        f"embedding {a[0]}, {ids[0]}",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*ids[1:])}) -> {text(shape, a[2])}",
    )


def window(g):
    """dynamic_slice, and its update elsewhere; a start outside is the nearest that is not."""
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    starts = [
        g.pick(lambda s, e: s == () and e == "i32")
        or g.emit(f"constant dense<{g.random.randint(-2, 9)}>", (), "i32")
        for _ in a[1]
    ]
    again = [g.emit(f"constant dense<{g.random.randint(-2, 9)}>", (), "i32") for _ in a[1]]
    shape = tuple(g.random.randint(1, d) for d in a[1])
    indices = ", ".join([text((), "i32")] * len(starts))
    part = g.emit(
        f"dynamic_slice {a[0]}, {', '.join(s[0] for s in starts)} slice_sizes = {list(shape)}",
        shape,
        a[2],
        f"({text(*a[1:])}, {indices}) -> {text(shape, a[2])}",
    )
    return g.emit(
        f"dynamic_update_slice {a[0]}, {part[0]}, {', '.join(s[0] for s in again)}",
        *a[1:],
        f"({text(*a[1:])}, {text(*part[1:])}, {indices}) -> {text(*a[1:])}",
    )


def largest(g):
    a = g.pick(lambda s, e: s and e != "i1")
    if not a:
        return None
    k = g.random.randint(1, a[1][-1])
    shape = a[1][:-1] + (k,)
    return g.emitSeveral(
        f"top_k {a[0]} k = {k}", [a], [(shape, a[2]), (shape, g.random.choice(INTEGERS))]
    )


def contraction(g):
    a = g.pick(lambda s, e: len(s) in (2, 3) and e in FLOATS + INTEGERS)
    if not a or (not g.library and a[2] == "f32"):
        return None
    b = (
        made(g, (a[1][0], g.random.choice((1, 3)), a[1][-1]), a[2])
        if a[2] in FLOATS
        else g.emit("iota dimension = 2", (a[1][0], 3, a[1][-1]), a[2])
    )
    shape = a[1][:1] + a[1][1:-1] + b[1][1:2]
    return g.emit(
        f"dot_general {a[0]}, {b[0]} lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [{len(a[1]) - 1}] "
        "rhs_contracting_dimensions = [2]",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*b[1:])}) -> {text(shape, a[2])}",
    )


def convolution(g):
    a = g.pick(lambda s, e: len(s) == 3 and e in FLOATS)
    if not a or (not g.library and a[2] == "f32"):
        return None
    size, stride = g.random.choice((1, 2, 3)), g.random.choice((1, 1, 2))
    places = a[1][2] + size - 1
    w = made(g, (g.random.choice((1, 4)), a[1][1], size), a[2])
    shape = (a[1][0], w[1][0], (places - size) // stride + 1)
    low = (size - 1) // 2
    return g.emit(
        f"convolution {a[0]}, {w[0]} window_strides = [{stride}] padding_low = [{low}] padding_high = [{size - 1 - low}]",
        shape,
        a[2],
        f"({text(*a[1:])}, {text(*w[1:])}) -> {text(shape, a[2])}",
    )


def pool(g):
    op = g.random.choice(("max_pool", "avg_pool"))
    a = g.pick(lambda s, e: len(s) == 3 and e in FLOATS + (INTEGERS if op == "max_pool" else ()))
    if not a:
        return None
    size, stride = g.random.randint(1, min(3, a[1][2])), g.random.choice((1, 2))
    shape = (*a[1][:2], (a[1][2] - size) // stride + 1)
    return g.emit(
        f"{op} {a[0]} window_dimensions = [{size}] window_strides = [{stride}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def norm(g):
    a = g.pick(lambda s, e: len(s) >= 2 and e in FLOATS)
    if not a:
        return None
    a = tamed(g, a)
    op = g.random.choice(("layer_norm", "rms_norm", "group_norm", "batch_norm_training"))
    if op in ("layer_norm", "rms_norm"):
        last = len(a[1]) - 1
        parts = [made(g, a[1][-1:], a[2]) for _ in range(2 if op == "layer_norm" else 1)]
        return g.emit(
            f"{op} {a[0]}, {', '.join(p[0] for p in parts)} axis = {last} epsilon = 1.0e-03",
            *a[1:],
            f"({', '.join(text(*v[1:]) for v in (a, *parts))}) -> {text(*a[1:])}",
        )
    parts = [made(g, a[1][1:2], a[2]) for _ in range(2)]
    names = f"{op} {a[0]}, {parts[0][0]}, {parts[1][0]}"
    if op == "group_norm":
        return g.emit(
            f"{names} num_groups = 1 feature_index = 1 epsilon = 1.0e-03",
            *a[1:],
            f"({', '.join(text(*v[1:]) for v in (a, *parts))}) -> {text(*a[1:])}",
        )
    return g.emitSeveral(
        f"{names} feature_index = 1 epsilon = 1.0e-03",
        [a, *parts],
        [a[1:], parts[0][1:], parts[0][1:]],
    )


def attention(g):
    a = g.pick(lambda s, e: len(s) >= 2 and e in FLOATS and (g.library or e != "f32"))
    if not a:
        return None
    a = tamed(g, a)
    value = g.emit(
        "attention " + ", ".join([a[0]] * 3),
        *a[1:],
        f"({', '.join([text(*a[1:])] * 3)}) -> {text(*a[1:])}",
    )
    if g.random.random() < 0.5:
        g.body[-1] = g.body[-1].replace("{", "{causal, ", 1)
    return value


def losses(g):
    a = g.pick(lambda s, e: len(s) == 2 and e in FLOATS)
    if not a:
        return None
    op = g.random.choice(("sigmoid_cross_entropy", "dense_softmax_cross_entropy", "nll_loss"))
    if op == "nll_loss":
        other = g.emit("iota dimension = 0", a[1][:1], "i32")
        a = g.emit(f"log_softmax {a[0]}", *a[1:])
    else:
        other = g.emit(f"softmax {a[0]}", *a[1:])
    return g.emit(
        f"{op} {a[0]}, {other[0]}",
        (),
        a[2],
        f"({text(*a[1:])}, {text(*other[1:])}) -> {text((), a[2])}",
    )


def truths(g):
    """Of bits, and of truths."""
    a = g.pick(lambda s, e: s and e in WHOLE + ("i1",)) if g.random.random() < 0.5 else None
    if not a:
        a = g.pick(lambda s, e: s and e in REALS)
        a = a and g.emit(f"is_finite {a[0]}", a[1], "i1", text(*a[1:]))
    if not a:
        return None
    dim = g.random.randrange(len(a[1]))
    shape = a[1][:dim] + a[1][dim + 1 :]
    return g.emit(
        f"{g.random.choice(('reduce_and', 'reduce_or'))} {a[0]} dimensions = [{dim}]",
        shape,
        a[2],
        f"({text(*a[1:])}) -> {text(shape, a[2])}",
    )


def counts(g):
    a = g.pick(lambda s, e: e in WHOLE)
    return a and g.emit(
        f"{g.random.choice(('popcnt', 'count_leading_zeros', 'not'))} {a[0]}", *a[1:]
    )


NETWORK_OPS = (
    pad,
    rows,
    rows,
    embedding,
    window,
    window,
    largest,
    contraction,
    convolution,
    pool,
    norm,
    norm,
    attention,
    losses,
    truths,
    counts,
)
