"""dot_general by its definition: sums of products over the contracting dimensions, for each index
of the others."""

import itertools
import math

# name, left, right, batching dimensions of both, contracting dimensions of both; the forms are
# those of real models.
FORMS = [
    ("rows", (2, 3, 4), (4, 5), [], [], [2], [0]),
    ("rows_transposed", (2, 3, 4), (5, 4), [], [], [2], [1]),
    ("weights", (2, 3, 4), (2, 3, 5), [], [], [0, 1], [0, 1]),
    ("two", (2, 3, 2, 2), (2, 2, 3), [], [], [2, 3], [0, 1]),
    ("two_crossed", (2, 3, 2), (2, 3, 4), [], [], [1, 2], [1, 0]),
    ("heads", (2, 3, 2, 4), (2, 5, 2, 4), [0, 2], [0, 2], [3], [3]),
    ("heads_of_values", (2, 2, 3, 4), (2, 4, 2, 3), [0, 1], [0, 2], [3], [1]),
    ("weights_first", (2, 3, 2), (2, 2, 2, 3), [0, 2], [0, 1], [1], [3]),
    ("outer", (3,), (4,), [], [], [], []),
    ("inner", (6,), (6,), [], [], [0], [0]),
    ("batches_alone", (3, 2), (3, 2), [0, 1], [0, 1], [], []),
]
NAMES = (
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
)


def rest(shape, *others):
    return [d for d in range(len(shape)) if not any(d in other for other in others)]


def resultOf(form):
    _, left, right, leftBatch, rightBatch, leftSum, rightSum = form
    return tuple(
        [left[d] for d in leftBatch]
        + [left[d] for d in rest(left, leftBatch, leftSum)]
        + [right[d] for d in rest(right, rightBatch, rightSum)]
    )


def textOf(form):
    said = " ".join(
        f"{name} = {dimensions}" for name, dimensions in zip(NAMES, form[3:]) if dimensions
    )
    return f"graph.dot_general %a, %b {said} : (INPUTS) -> RESULT"


def dot(form, x, y):
    _, left, right, leftBatch, rightBatch, leftSum, rightSum = form
    leftFree, rightFree = rest(left, leftBatch, leftSum), rest(right, rightBatch, rightSum)

    def element(flat, shape, index):
        place = 0
        for d, size in enumerate(shape):
            place = place * size + index[d]
        return flat[place]

    result = []
    for index in itertools.product(*map(range, resultOf(form))):
        batch, i, j = (
            index[: len(leftBatch)],
            index[len(leftBatch) : len(leftBatch) + len(leftFree)],
            index[len(leftBatch) + len(leftFree) :],
        )
        terms = [
            element(x, left, dict(zip(leftBatch + leftFree + leftSum, (*batch, *i, *k))))
            * element(y, right, dict(zip(rightBatch + rightFree + rightSum, (*batch, *j, *k))))
            for k in itertools.product(*(range(left[d]) for d in leftSum))
        ]
        result.append(math.fsum(terms) if isinstance(terms[0], float) else sum(terms))
    return result


def dotCases(Case, element, flat, bound):
    for form in FORMS:
        yield Case(
            f"dot_general_{form[0]}",
            textOf(form),
            [
                (form[1], element, flat[: math.prod(form[1])]),
                (form[2], element, flat[60 : 60 + math.prod(form[2])]),
            ],
            (resultOf(form), element),
            lambda x, y, form=form: dot(form, x, y),
            bound,
        )
