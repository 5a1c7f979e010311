"""Ops whose indices are data, and padding, by their definitions: element by element, as StableHLO's
text has them. Dimension numbers have short names: offset, collapsed, operand_batching,
indices_batching, map, vector.
"""

import functools
import itertools


def indices(shape):
    return list(itertools.product(*map(range, shape)))


def at(flat, shape, index):
    place = 0
    for size, i in zip(shape, index, strict=True):
        assert 0 <= i < size
        place = place * size + i
    return flat[place]


def clamp(value, low, high):
    return min(max(value, low), high)


def pad(flat, shape, value, low, high, interior):
    out = tuple(n + max(n - 1, 0) * i + a + b for n, a, b, i in zip(shape, low, high, interior))
    places = {
        tuple(a + k * (i + 1) for k, a, i in zip(index, low, interior)): element
        for index, element in zip(indices(shape), flat)
    }
    return [places.get(index, value) for index in indices(out)]


def vector(flat, shape, batch, dimension):
    """The index vector of a batch's index."""
    if dimension == len(shape):
        return [at(flat, shape, batch)]
    return [
        at(flat, shape, (*batch[:dimension], i, *batch[dimension:]))
        for i in range(shape[dimension])
    ]


def windowed(rank, batch, ofVector, numbers, size):
    """Where along each dimension of the operand the window of this batch begins; `size` clamps or
    leaves it."""
    begin = [0] * rank
    for start, dimension in zip(ofVector, numbers["map"], strict=True):
        begin[dimension] = size(dimension, start)
    for dimension, ofIndices in zip(
        numbers.get("operand_batching", []), numbers.get("indices_batching", [])
    ):
        begin[dimension] = batch[ofIndices - (ofIndices > numbers["vector"])]
    return begin


def kept(rank, numbers):
    return [
        d
        for d in range(rank)
        if d not in numbers.get("collapsed", []) and d not in numbers.get("operand_batching", [])
    ]


def gather(operand, shape, starts, startsShape, out, sizes, numbers):
    def element(index):
        batch = tuple(i for d, i in enumerate(index) if d not in numbers.get("offset", []))
        begin = windowed(
            len(shape),
            batch,
            vector(starts, startsShape, batch, numbers["vector"]),
            numbers,
            lambda d, start: clamp(start, 0, shape[d] - sizes[d]),
        )
        for d, offset in zip(
            kept(len(shape), numbers), (index[d] for d in numbers.get("offset", [])), strict=True
        ):
            begin[d] += offset
        return at(operand, shape, begin)

    return [element(index) for index in indices(out)]


def scatter(operand, shape, starts, startsShape, updates, updatesShape, numbers, add):
    result = dict(zip(indices(shape), operand))

    def batchOf(index):
        return tuple(i for d, i in enumerate(index) if d not in numbers.get("offset", []))

    # Sorting keeps the order of those alike.
    for index, update in sorted(
        zip(indices(updatesShape), updates), key=lambda one: batchOf(one[0])
    ):
        batch = batchOf(index)
        begin = windowed(
            len(shape),
            batch,
            vector(starts, startsShape, batch, numbers["vector"]),
            numbers,
            lambda d, start: start,
        )
        for d, offset in zip(
            kept(len(shape), numbers), (index[d] for d in numbers.get("offset", [])), strict=True
        ):
            begin[d] += offset
        if tuple(begin) in result:
            result[tuple(begin)] = add(result[tuple(begin)], update)
    return list(result.values())


def largest(x, width, k):
    """Places, row by row: NaN first, then the largest; of equals the first."""
    places = []
    for begin in range(0, len(x), width):
        order = sorted(
            range(begin, begin + width),
            key=lambda i: (x[i] == x[i], -x[i] if x[i] == x[i] else 0, i),
        )
        places += order[:k]
    return places


def box(shape, starts, sizes):
    """Where the elements of a box of these sizes lie; starts are clamped."""
    begin = [
        clamp(start, 0, whole - size)
        for start, whole, size in zip(starts, shape, sizes, strict=True)
    ]
    return [tuple(b + i for b, i in zip(begin, index)) for index in indices(sizes)]


def distinct(numbers, firstRow, rows):
    """`graph.distinct` by its definition: the list, the places, the count."""
    found = {}
    places = [found.setdefault(n, len(found)) if 0 <= n - firstRow < rows else -1 for n in numbers]
    return [*found, *[-1] * (len(numbers) - len(found))], places, [len(found)]


def countFront(numbers, pieces):
    each = len(numbers) // pieces
    return [
        next((i for i in range(each) if numbers[p * each + i] < 0), each) for p in range(pieces)
    ]


def sumRows(numbers, rows, width, table, firstRow, batches, perLeaf, add):
    """`graph.sum_rows` by its definition: a dense table a micro-batch, left folds to leaves, one
    tree; the rows, and which they are."""
    each = len(numbers) // batches
    dense = []
    for batch in range(batches):
        dense.append([0.0] * (table * width))
        for i in range(batch * each, (batch + 1) * each):
            if 0 <= (row := numbers[i] - firstRow) < table:
                for c in range(width):
                    dense[-1][row * width + c] = add(
                        dense[-1][row * width + c], rows[i * width + c]
                    )

    def added(a, b):
        return [add(x, y) for x, y in zip(a, b, strict=True)]

    level = [functools.reduce(added, dense[i : i + perLeaf]) for i in range(0, batches, perLeaf)]
    while len(level) > 1:
        level = [
            added(*level[i : i + 2]) if i + 1 < len(level) else level[i]
            for i in range(0, len(level), 2)
        ]
    row, sums = [], []
    for i, number in enumerate(numbers):
        isFirst = 0 <= number - firstRow < table and number not in numbers[:i]
        row.append(number - firstRow if isFirst else -1)
        sums += [
            level[0][(number - firstRow) * width + c] if isFirst else 0.0 for c in range(width)
        ]
    return row, sums
