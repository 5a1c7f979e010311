"""What the ops that `differentiate` makes compute, for check.py: derivatives of the forward
definitions, in closed form or by differences in f64."""

import math

import interpret
from attention_values import attend, attendPacked
from case import Case
from harness import count, tensor
from norm_values import EPSILON, grouped, normalized, statistics


def slope(function, inputs, which, upstream, step=1e-3):
    """The gradient of sum(upstream * function(*inputs)) by one of the inputs. Differences of five
    points: off by 1e-11 where derivatives are of size 1."""

    def at(place, by):
        moved = [list(numbers) for numbers in inputs]
        moved[which][place] += by
        return math.fsum(u * y for u, y in zip(upstream, function(*moved)))

    return [
        (8 * (at(i, step) - at(i, -step)) - (at(i, 2 * step) - at(i, -2 * step))) / (12 * step)
        for i in range(len(inputs[which]))
    ]


def softmax(row):
    top = max(row)
    powers = [math.exp(x - top) for x in row]
    return [p / math.fsum(powers) for p in powers]


def backward(element):
    yield from activationGrads(element)
    yield from lossGrads(element)
    yield from normGrads(element)
    yield from attentionGrads(element)


def wave(size, phase):
    return [math.sin(phase + i * 1.7) * 2 + math.cos(i * i * 0.3) for i in range(size)]


def activationGrads(element):
    values = [
        x for x in (0.0, -0.0, 1e-20, -1e-20, 3.0, -3.0, 30.0, -30.0, 80.0, -80.0, *wave(80, 0.0))
    ]
    upstream = wave(len(values), 1.0)
    for op, attributes, arguments in (
        ("gelu_grad", "", {}),
        ("gelu_grad", ' {approximate = "tanh"}', {"approximate": "tanh"}),
        ("silu_grad", "", {}),
    ):
        yield Case(
            "_".join([op, *arguments.values()]),
            f"graph.{op} %a, %b{attributes} : RESULT",
            [((len(values),), element, values), ((len(values),), element, upstream)],
            ((len(values),), element),
            lambda x, u, op=op, given=arguments: [
                interpret.SLOPE[op](v, **given) * g for v, g in zip(x, u)
            ],
            {"f32": 3e-6, "f64": 6e-15}[element],
            least=1.0,
        )


def lossGrads(element):
    bound = {"f32": 1e-6, "f64": 2e-15}[element]
    classes, batch = 37, 4
    logits = ((batch, classes), element, wave(batch * classes, 0.0))
    upstream = ((), element, [1.75])
    rows = lambda flat: [flat[i : i + classes] for i in range(0, len(flat), classes)]
    yield Case(
        "softmax_cross_entropy_grad",
        "graph.softmax_cross_entropy_grad %a, %b, %c : (INPUTS) -> RESULT",
        [logits, ((batch,), "i32", [3, 36, 0, 17]), upstream],
        ((batch, classes), element),
        lambda x, y, u: [
            (p - (i == label)) * u[0] / batch
            for row, label in zip(rows(x), y)
            for i, p in enumerate(softmax(row))
        ],
        bound,
        least=1.0,
    )
    targets = ((batch, classes), element, [abs(v) for v in wave(batch * classes, 2.0)])
    yield Case(
        "dense_softmax_cross_entropy_grad",
        "graph.dense_softmax_cross_entropy_grad %a, %b, %c : (INPUTS) -> RESULT",
        [logits, targets, upstream],
        ((batch, classes), element),
        lambda x, t, u: [
            (p * math.fsum(ts) - want) * u[0] / batch
            for row, ts in zip(rows(x), rows(t))
            for p, want in zip(softmax(row), ts)
        ],
        bound * 40,
        least=1.0,
    )


def each(op, name, text, operands, results, derivative, bound):
    """A case for each result of an op: `derivative` gets its number and the operands."""
    kinds = lambda tensors: ", ".join(tensor(*of[:2]) for of in tensors)
    names = [f"%{letter}" for letter in "xyz"[: len(results)]]
    letters = ", ".join(f"%{letter}" for letter in "abcdef"[: len(operands)]).replace(
        ", %f", " mask %f"
    )
    made = f"{', '.join(names)} = graph.{op} {text.replace('OPERANDS', letters)} : ({kinds(operands)}) -> ({kinds(results)})"
    for number, result in enumerate(results):
        yield Case(
            f"{name}_{number}",
            f"{made}\ngraph.negate {names[number]} : RESULT",
            operands,
            result,
            lambda *given, number=number: [-d for d in derivative(number, *given)],
            bound,
            least=1.0,
        )


def normGrads(element):
    bound = {"f32": 5e-5, "f64": 1e-9}[element]
    given = lambda shape, phase: (shape, element, wave(count(shape), phase))
    epsilon = f"epsilon = {EPSILON:.1e}"
    for axis, shape in ((1, (4, 37)), (1, (2, 5, 6))):
        width = count(shape[axis:])
        groups = [list(range(i, i + width)) for i in range(0, count(shape), width)]
        operands = [given(shape, 0.0), given(shape[axis:], 0.5), given(shape, 1.0)]
        results = [(shape, element), (shape[axis:], element), (shape[axis:], element)]
        for op, centered in (("layer_norm_grad", True), ("rms_norm_grad", False)):

            def forward(x, s, o, groups=groups, width=width, centered=centered):
                return [
                    v * s[i % width] + o[i % width]
                    for i, v in enumerate(normalized(x, groups, centered))
                ]

            yield from each(
                op,
                f"{op}_{len(shape)}",
                f"OPERANDS axis = {axis} {epsilon}",
                operands,
                results[: 2 + centered],
                lambda number, x, s, g, forward=forward: slope(
                    forward, (x, s, [0.0] * len(s)), number, g
                ),
                bound,
            )
    for number, feature, shape in ((2, 1, (3, 6, 7)), (3, 2, (2, 5, 6))):
        width = shape[feature] // number
        groups = grouped(shape, lambda index: (index[0], index[feature] // width))
        yield from channels(
            element,
            "group_norm_grad",
            f"num_groups = {number} ",
            feature,
            shape,
            groups,
            epsilon,
            bound,
        )
    for feature, shape in ((1, (4, 3, 6)), (2, (2, 5, 6))):
        groups = grouped(shape, lambda index: index[feature])
        yield from channels(element, "batch_norm_grad", "", feature, shape, groups, epsilon, bound)


def channels(element, op, attributes, feature, shape, groups, epsilon, bound):
    channel = [index[feature] for index in interpret.indices(shape)]

    def forward(x, s, o):
        return [v * s[i] + o[i] for v, i in zip(normalized(x, groups), channel)]

    number = (shape[feature],)
    x, s, g = (wave(count(of), phase) for of, phase in ((shape, 0.0), (number, 0.5), (shape, 1.0)))
    kept = []
    if op == "batch_norm_grad":  # it takes what the forward pass has kept
        x = [interpret.rounded(element, v) for v in x]
        kept = [
            (number, element, numbers)
            for numbers in zip(*(statistics([x[p] for p in places]) for places in groups))
        ]
    operands = [(shape, element, x), (number, element, s), *kept, (shape, element, g)]
    yield from each(
        op,
        f"{op}_{feature}",
        f"OPERANDS {attributes}feature_index = {feature} {epsilon}",
        operands,
        [(shape, element), (number, element), (number, element)],
        lambda which, x, s, *more: slope(forward, (x, s, [0.0] * len(s)), which, more[-1]),
        bound,
    )


def attentionGrads(element):
    for name, shapes, mask, attributes in (
        ("plain", ((5, 3), (7, 3), (7, 4)), None, ""),
        ("causal", ((2, 6, 4), (2, 5, 4), (2, 5, 3)), None, "causal"),
        ("mask", ((2, 4, 3), (2, 6, 3), (2, 6, 2)), (2, 1, 6), "scale = 0.75"),
    ):
        qs, ks, vs = shapes
        scale = 0.75 if "scale" in attributes else 1 / math.sqrt(qs[-1])
        looks = [bool((i * 7919) % 3) for i in range(count(mask))] if mask else None

        def forward(
            q, k, v, shapes=shapes, scale=scale, causal="causal" in attributes, looks=looks
        ):
            return attend(
                q,
                k,
                v,
                shapes,
                scale,
                lambda leading, i, j: (
                    (not causal or j <= i) and (looks is None or looks[leading[0] * 6 + j])
                ),
            )

        given = [
            (s, element, [interpret.rounded(element, x) for x in wave(count(s), 0.3 * i)])
            for i, s in enumerate(shapes)
        ]
        out = qs[:-1] + vs[-1:]
        operands = [
            *given,
            (out, element, forward(*(numbers for _, _, numbers in given))),
            (out, element, wave(count(out), 1.0)),
        ]
        if mask:
            operands.append((mask, "i1", looks))
        yield from each(
            "attention_grad",
            f"attention_grad_{name}",
            f"OPERANDS {{{attributes}}}".replace(" {}", ""),
            operands,
            [(s, element) for s in shapes],
            lambda which, q, k, v, o, g, m=None, forward=forward: slope(
                forward, (q, k, v), which, g
            ),
            {"f32": 5e-5, "f64": 1e-9}[element],
        )

    for name, shape, heads, attributes in (
        ("plain", (2, 4, 12), 2, ""),
        ("causal", (5, 9), 1, "causal"),
        ("scaled", (2, 3, 18), 3, "scale = 0.75"),
    ):
        scale = 0.75 if "scale" in attributes else 1 / math.sqrt(shape[-1] // 3 // heads)

        def packed(x, shape=shape, heads=heads, scale=scale, causal="causal" in attributes):
            return attendPacked(x, shape, heads, scale, lambda leading, i, j: not causal or j <= i)

        out = (*shape[:-1], shape[-1] // 3)
        x = [interpret.rounded(element, v) for v in wave(count(shape), 0.0)]
        yield Case(
            f"packed_attention_grad_{name}",
            f"graph.packed_attention_grad %a, %b, %c heads = {heads}{f' {{{attributes}}}' if attributes else ''} : (INPUTS) -> RESULT",
            [(shape, element, x), (out, element, packed(x)), (out, element, wave(count(out), 1.0))],
            (shape, element),
            lambda x, o, g, packed=packed: slope(packed, (x,), 0, g),
            {"f32": 5e-5, "f64": 1e-9}[element],
            least=0.1,
        )
