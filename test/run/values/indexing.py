"""Cases of ops whose indices are data, and of padding; their definitions are in
test/reference/indexed.py."""

import math

from indexed import at, clamp, countFront, distinct, gather, indices, largest, pad, scatter, sumRows


def said(numbers, names):
    return (
        " ".join(f"{name} = {numbers[key]}" for key, name in names.items() if numbers.get(key))
        + f" index_vector_dim = {numbers['vector']}"
    )


GATHER = {
    "offset": "offset_dims",
    "collapsed": "collapsed_slice_dims",
    "operand_batching": "operand_batching_dims",
    "indices_batching": "start_indices_batching_dims",
    "map": "start_index_map",
}
SCATTER = {
    "offset": "update_window_dims",
    "collapsed": "inserted_window_dims",
    "operand_batching": "input_batching_dims",
    "indices_batching": "scatter_indices_batching_dims",
    "map": "scatter_dims_to_operand_dims",
}
FAR = [-(2**31), 2**31 - 1]
# name, operand, indices, their numbers, slice sizes, result, dimension numbers; the forms are those
# of real models.
FORMS = [
    (
        "rows",
        (5, 4),
        (3, 1),
        [4, 0, 2],
        (1, 4),
        (3, 4),
        {"offset": [1], "collapsed": [0], "map": [0], "vector": 1},
    ),
    (
        "rows_clamped",
        (5, 4),
        (2, 2),
        [-1, 9, *FAR],
        (1, 4),
        (2, 2, 4),
        {"offset": [2], "collapsed": [0], "map": [0], "vector": 2},
    ),
    (
        "columns",
        (3, 6),
        (2,),
        [5, 1],
        (3, 1),
        (3, 2),
        {"offset": [0], "collapsed": [1], "map": [1], "vector": 1},
    ),
    (
        "column",
        (3, 6),
        (1,),
        [7],
        (3, 1),
        (3,),
        {"offset": [0], "collapsed": [1], "map": [1], "vector": 0},
    ),
    (
        "middle",
        (2, 3, 2),
        (2, 1),
        [2, 0],
        (2, 1, 2),
        (2, 2, 2),
        {"offset": [0, 2], "collapsed": [1], "map": [1], "vector": 1},
    ),
    (
        "one_of_row",
        (4, 3),
        (4, 1),
        [2, 0, -5, 3],
        (1, 1),
        (4,),
        {
            "collapsed": [1],
            "operand_batching": [0],
            "indices_batching": [0],
            "map": [1],
            "vector": 1,
        },
    ),
    (
        "one_of_row_of_batch",
        (2, 3, 2),
        (2, 3, 1, 1),
        [1, 0, 1, 1, 0, 2],
        (1, 1, 1),
        (2, 3, 1),
        {
            "collapsed": [2],
            "operand_batching": [0, 1],
            "indices_batching": [0, 1],
            "map": [2],
            "vector": 3,
        },
    ),
    (
        "points",
        (4, 5),
        (2, 3),
        [0, 3, 9, 4, 0, -1],
        (1, 1),
        (3,),
        {"collapsed": [0, 1], "map": [1, 0], "vector": 0},
    ),
    (
        "boxes",
        (4, 5),
        (3, 2),
        [1, 2, 3, 4, -1, -1],
        (2, 3),
        (2, 3, 3),
        {"offset": [0, 2], "map": [0, 1], "vector": 1},
    ),
    (
        "vector_of_scalars",
        (6,),
        (4,),
        [5, 5, 0, 8],
        (1,),
        (4,),
        {"collapsed": [0], "map": [0], "vector": 1},
    ),
    ("one", (6,), (), [3], (2,), (2,), {"offset": [0], "map": [0], "vector": 0}),
]


def indexingCases(Case, element, flat):
    """`flat`: numbers of the element type."""
    index = "i64" if element in ("f64", "i64") else "i32"
    for name, shape, startsShape, starts, sizes, out, numbers in FORMS:
        yield Case(
            f"gather_{name}",
            f"graph.gather %a, %b {said(numbers, GATHER)} slice_sizes = {list(sizes)} : (INPUTS) -> RESULT",
            [(shape, element, flat[: math.prod(shape)]), (startsShape, index, starts)],
            (out, element),
            lambda x, i, f=(shape, startsShape, out, sizes, numbers): gather(
                x, f[0], i, f[1], f[2], f[3], f[4]
            ),
        )
    zero = 0.0 if element[0] in "bf" else 0
    for name, shape, low, high, interior in (
        ("edges", (2, 3), [1, 0], [0, 2], [0, 0]),
        ("one_edge", (2, 3), [0, 1], [0, 2], [0, 0]),
        ("interior", (2, 3), [0, 1], [1, 0], [2, 1]),
        ("negative", (3, 4), [-1, 2], [1, -3], [0, 1]),
        ("negative_interior", (1, 5), [0, -5], [0, -1], [0, 2]),
        ("nothing_left", (3,), [-5], [4], [0]),
    ):
        out = tuple(n + (n - 1) * i + a + b for n, a, b, i in zip(shape, low, high, interior))
        yield Case(
            f"pad_{name}",
            f"graph.pad %a, %b edge_padding_low = {low} edge_padding_high = {high} interior_padding = {interior} "
            ": (INPUTS) -> RESULT",
            [(shape, element, flat[: math.prod(shape)]), ((), element, flat[5:6])],
            (out, element),
            lambda x, v, p=(shape, low, high, interior): pad(x, p[0], v[0], *p[1:]),
        )
    for name, starts in (("inside", [1, 2]), ("before", [-3, 0]), ("behind", [2, FAR[1]])):
        yield Case(
            f"dynamic_slice_{name}",
            f"%s = graph.constant dense<{starts[1]}> : tensor<{index}>\n"
            f"graph.dynamic_slice %a, %b, %s slice_sizes = [2, 3] : (INPUTS, tensor<{index}>) -> RESULT",
            [((3, 6), element, flat[:18]), ((), index, starts[:1])],
            ((2, 3), element),
            lambda x, s, t=starts[1]: [
                at(x, (3, 6), (clamp(s[0], 0, 1) + i, clamp(t, 0, 3) + j))
                for i, j in indices((2, 3))
            ],
        )
        yield Case(
            f"dynamic_update_slice_{name}",
            f"%s = graph.constant dense<{starts[1]}> : tensor<{index}>\n"
            f"graph.dynamic_update_slice %a, %b, %c, %s : (INPUTS, tensor<{index}>) -> RESULT",
            [((3, 6), element, flat[:18]), ((2, 3), element, flat[18:24]), ((), index, starts[:1])],
            ((3, 6), element),
            lambda x, u, s, t=starts[1]: updated(x, u, clamp(s[0], 0, 1), clamp(t, 0, 3)),
        )
    if element == "i1":
        return
    for name, shape, startsShape, starts, sizes, out, numbers in FORMS:
        yield Case(
            f"scatter_{name}",
            f"graph.scatter %a, %b, %c {said(numbers, SCATTER)} : (INPUTS) -> RESULT",
            [
                (shape, element, flat[: math.prod(shape)]),
                (startsShape, index, starts),
                (out, element, flat[-math.prod(out) :]),
            ],
            (shape, element),
            lambda x, i, u, f=(shape, startsShape, out, numbers): scatter(
                x, f[0], i, f[1], u, f[2], f[3], sumOf(element)
            ),
        )
    # One that would be wrong in any other order, with all meeting in few places.
    if element[0] == "f":
        big = {"f32": 2.0**24, "f64": 2.0**53}[element]
        updates = [big, 1.0, 1.0, -big, 3.0, big, 1.0, -big]
        yield Case(
            "scatter_order",
            "graph.scatter %a, %b, %c inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] "
            "index_vector_dim = 1 : (INPUTS) -> RESULT",
            [
                ((2,), element, [0.5, 0.0]),
                ((8,), index, [0, 0, 0, 0, 1, 1, 1, 1]),
                ((8,), element, updates),
            ],
            ((2,), element),
            lambda x, i, u: scatter(
                x,
                (2,),
                i,
                (8,),
                u,
                (8,),
                {"collapsed": [0], "map": [0], "vector": 1},
                sumOf(element),
            ),
        )
    if element != "bf16":  # whose numbers of rows are rounded
        yield from largeCases(Case, element, index)
    special = (
        [3.0, math.nan, -0.0, 0.0, math.inf, math.nan, -1.0, 3.0]
        if element[0] == "f"
        else [3, 7, 0, 0, 7, -1, -1, 3]
    )
    for k in (1, 3, 8):
        yield Case(
            f"top_{k}_values",
            f"%r:2 = graph.top_k %a k = {k} : (INPUT) -> (RESULT, {kind((2, k), 'i32')})\n"
            f"graph.reshape %r#0 : (RESULT) -> RESULT",
            [((2, 8), element, special + flat[:8])],
            ((2, k), element),
            lambda x, k=k: [x[i] for i in largest(x, 8, k)],
        )
        yield Case(
            f"top_{k}_indices",
            f"%r:2 = graph.top_k %a k = {k} : (INPUT) -> ({kind((2, k), element)}, RESULT)\n"
            f"graph.reshape %r#1 : (RESULT) -> RESULT",
            [((2, 8), element, special + flat[:8])],
            ((2, k), "i64"),
            lambda x, k=k: [i % 8 for i in largest(x, 8, k)],
        )
    if element[0] == "f":
        ids = [0, 4, -1, 2, 5, FAR[1]]
        yield Case(
            "embedding",
            "graph.embedding %a, %b : (INPUTS) -> RESULT",
            [((5, 3), element, flat[:15]), ((2, 3), index, ids)],
            ((2, 3, 3), element),
            lambda x, i: [x[r * 3 + c] if 0 <= r < 5 else zero for r in i for c in range(3)],
        )
        ids[1] = 0
        yield Case(
            "embedding_grad",
            "graph.embedding_grad %a, %b : (INPUTS) -> RESULT",
            [((6,), index, ids), ((6, 3), element, flat[:18])],
            ((5, 3), element),
            lambda i, g: scatter(
                [zero] * 15,
                (5, 3),
                i,
                (6,),
                g,
                (6, 3),
                {"offset": [1], "collapsed": [0], "map": [0], "vector": 1},
                sumOf(element),
            ),
        )
        ids = [3, 5, 9, 4, 0, -1]
        yield Case(
            "embedding_part",
            "graph.embedding %a, %b {first_row = 4 : i64} : (INPUTS) -> RESULT",
            [((5, 3), element, flat[:15]), ((2, 3), index, ids)],
            ((2, 3, 3), element),
            lambda x, i: [x[(r - 4) * 3 + c] if 4 <= r < 9 else zero for r in i for c in range(3)],
        )
        yield Case(
            "embedding_grad_part",
            "graph.embedding_grad %a, %b {first_row = 4 : i64} : (INPUTS) -> RESULT",
            [((6,), index, ids), ((6, 3), element, flat[:18])],
            ((5, 3), element),
            lambda i, g: scatter(
                [zero] * 15,
                (5, 3),
                [r - 4 for r in i],
                (6,),
                g,
                (6, 3),
                {"offset": [1], "collapsed": [0], "map": [0], "vector": 1},
                sumOf(element),
            ),
        )
        yield from rowSums(Case, element, index)
    if element in ("f32", "f64"):
        yield from distinctNumbers(Case, index)


def rowSums(Case, element, index):
    """In other orders the sums would be others: of each of few rows micro-batches have one, two and
    none."""
    big = {"f32": 2.0**24, "f64": 2.0**53}[element]
    numbers = [0, 0, 3, 1, 0, -1, 1, 1, 2, 9, 0, 3, 3, 0, 0, 1, 1, 2, 0, 7, 3, 3, 3, 1] * 2
    rows = [
        x * s
        for x, s in zip(
            [big, 1.0, 1.0, -big, 3.0, 1.0, -0.0, big, -1.0, 0.5, -big, 1.0, 2.0] * 8,
            [1.0, -1.0, 1.0] * 40,
        )
    ][:96]
    for batches, perLeaf in (
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 2),
        (6, 1),
        (6, 2),
        (8, 8),
        (12, 2),
        (24, 1),
        (48, 4),
    ):
        for first in (0, 1):
            for what in (0, 1):
                types = [
                    kind((12, 4), index),
                    kind((12, 4, 2), element),
                    kind((4,), "i32"),
                    kind((48,), "i32"),
                ]
                types[what] = "RESULT"
                yield Case(
                    f"sum_rows_{batches}_{perLeaf}_{first}_{('row', 'sums')[what]}",
                    f"%r:4 = graph.sum_rows %a, %b "
                    f"{{first_row = {first} : i64, micro_batches = {batches} : i64, per_leaf = {perLeaf} : i64}} : (INPUTS) -> "
                    f"({', '.join(types)})\ngraph.reshape %r#{what} : (RESULT) -> RESULT",
                    [((12, 4), index, numbers), ((12, 4, 2), element, rows)],
                    ((12, 4), index) if what == 0 else ((12, 4, 2), element),
                    lambda n, g, w=what, f=first, b=batches, p=perLeaf: sumRows(
                        n, g, 2, 4, f, b, p, sumOf(element)
                    )[w],
                )


def distinctNumbers(Case, index):
    """Many that are alike, few, none, and such that meet in the hash table's places; numbers of no
    row among them."""
    far = FAR[1]
    lists = {
        "alike": [7] * 12,
        "different": list(range(12)),
        "mixed": [3, 5, 3, -1, 99, 5, 0, 9, 10, 0, far, 3],
        "none": [-1, 10, 11, far, -far, -5, 10, 10, -1, -1, 20, 30],
        "meeting": [i * 4096 for i in range(12)],
    }
    for name, numbers in lists.items():
        for first, rows in ((0, 10), (4, 6), (0, 2**31 - 1)):
            for what, shape, element in ((0, (12,), index), (1, (3, 4), index), (2, (), "i64")):
                types = [
                    kind((12,), index),
                    kind((3, 4), index),
                    kind((), "i64"),
                    kind((32,), "i32"),
                ]
                types[what] = "RESULT"
                yield Case(
                    f"distinct_{name}_{first}_{rows}_{('list', 'places', 'count')[what]}",
                    f"%r:4 = graph.distinct %a "
                    f"{{first_row = {first} : i64, rows = {rows} : i64}} : (INPUT) -> ({', '.join(types)})\n"
                    f"graph.reshape %r#{what} : (RESULT) -> RESULT",
                    [((3, 4), index, numbers)],
                    (shape, element),
                    lambda n, w=what, f=first, r=rows: distinct(n, f, r)[w],
                )
    for pieces in ((), (1,), (2,), (4,)):
        counted = [5, 0, 3, -1, -2, 3, 1, 1, 2, 9, 0, -1]
        yield Case(
            f"count_front_{'x'.join(map(str, pieces)) or 'all'}",
            "graph.count_front %a : (INPUT) -> RESULT",
            [((12,), index, counted)],
            (pieces, "i64"),
            lambda n, p=math.prod(pieces): countFront(n, p),
        )


def updated(x, update, row, column):
    result = list(x)
    for (i, j), element in zip(indices((2, 3)), update):
        result[(row + i) * 6 + column + j] = element
    return result


def kind(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def sumOf(element):
    import interpret

    return lambda a, b: interpret.rounded("f32" if element == "bf16" else element, a + b)


def largeCases(Case, element, index):
    """Large enough to be cut into blocks, and for many blocks of a GPU; the numbers are made where
    they are needed."""
    rows, width, count = 300, 96, 720
    table = (
        f"%t = graph.iota dimension = 0 : {kind((rows, width), element)}\n%u = graph.iota dimension = 1 : {kind((rows, width), element)}\n"
        f"%v = graph.subtract %t, %u : {kind((rows, width), element)}\n"
    )
    # i * 7919 mod 331, of which some are no rows
    ids = (
        f"%i = graph.iota dimension = 0 : {kind((count,), index)}\n%p = graph.constant dense<7919> : {kind((count,), index)}\n"
        f"%q = graph.constant dense<331> : {kind((count,), index)}\n%j = graph.multiply %i, %p : {kind((count,), index)}\n"
        f"%k = graph.divide %j, %q : {kind((count,), index)}\n%l = graph.multiply %k, %q : {kind((count,), index)}\n"
        f"%m = graph.subtract %j, %l : {kind((count,), index)}\n"
    )
    of = [i * 7919 % 331 for i in range(count)]
    number = float if element[0] == "f" else int
    yield Case(
        "gather_large",
        table
        + ids
        + "graph.gather %v, %m offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] "
        f"index_vector_dim = 1 slice_sizes = [1, {width}] : ({kind((rows, width), element)}, {kind((count,), index)}) -> RESULT",
        [],
        ((count, width), element),
        lambda: [number(min(r, rows - 1) - c) for r in of for c in range(width)],
    )
    updates = (
        f"%x = graph.iota dimension = 0 : {kind((count, width), element)}\n%y = graph.iota dimension = 1 : {kind((count, width), element)}\n"
        f"%w = graph.add %x, %y : {kind((count, width), element)}\n"
    )
    sums = [0] * (rows * width)
    for i, r in enumerate(of):
        if r < rows:
            for c in range(width):
                sums[r * width + c] += i + c
    yield Case(
        "scatter_large",
        table
        + ids
        + updates
        + "graph.scatter %v, %m, %w update_window_dims = [1] inserted_window_dims = [0] "
        f"scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : ({kind((rows, width), element)}, {kind((count,), index)}, "
        f"{kind((count, width), element)}) -> RESULT",
        [],
        ((rows, width), element),
        lambda: [number(r - c + sums[r * width + c]) for r in range(rows) for c in range(width)],
    )
