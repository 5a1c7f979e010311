"""What attention computes, for check.py: its definition in Python."""

import math

from interpret import indices, offset
from harness import count, tensor


def attend(q, k, v, shapes, scale, sees):
    """`sees(leading, i, j)`: whether query i may look at key j."""
    qs, ks, vs = shapes
    out = []
    for leading in indices(qs[:-2]):
        for i in range(qs[-2]):
            keys = [j for j in range(ks[-2]) if sees(leading, i, j)]
            scores = [
                scale
                * math.fsum(
                    q[offset(qs, (*leading, i, d))] * k[offset(ks, (*leading, j, d))]
                    for d in range(qs[-1])
                )
                for j in keys
            ]
            powers = [math.exp(s - max(scores)) for s in scores]
            total = math.fsum(powers)
            out += [
                math.fsum(p * v[offset(vs, (*leading, j, d))] for p, j in zip(powers, keys)) / total
                if keys
                else 0.0
                for d in range(vs[-1])
            ]
    return out


def attendPacked(x, shape, heads, scale, sees):
    """Of rows that hold query, key and value of each head side by side."""
    width = shape[-1] // 3
    size = width // heads
    split = (*shape[:-2], heads, shape[-2], size)
    parts = [
        [
            x[offset(shape, (*at[:-3], at[-2], part * width + at[-3] * size + at[-1]))]
            for at in indices(split)
        ]
        for part in range(3)
    ]
    y = attend(*parts, (split,) * 3, scale, sees)
    return [
        y[offset(split, (*at[:-2], at[-1] // size, at[-2], at[-1] % size))]
        for at in indices((*shape[:-1], width))
    ]


def attentions(Case, element, bound):
    numbers = lambda size, phase: [math.sin(phase + i * 1.7) + 1.5 for i in range(size)]
    for name, shapes, mask, attributes in (
        ("plain", ((5, 3), (7, 3), (7, 4)), None, ""),
        ("causal", ((2, 2, 6, 4), (2, 2, 6, 4), (2, 2, 6, 3)), None, "causal"),
        ("scaled", ((3, 17, 8), (3, 20, 8), (3, 20, 16)), None, "scale = 0.75"),
        ("causal_across", ((2, 9, 4), (2, 5, 4), (2, 5, 4)), None, "causal"),
        ("padding", ((2, 2, 5, 4), (2, 2, 6, 4), (2, 2, 6, 4)), (2, 1, 1, 6), ""),
        ("mask", ((3, 5, 4), (3, 6, 4), (3, 6, 4)), (1, 5, 6), "causal"),
        # large enough for the kernel that a CPU has for f32
        ("call", ((2, 40, 12), (2, 40, 12), (2, 40, 16)), None, "causal"),
        ("call_mask", ((1, 2, 24, 8), (1, 2, 30, 8), (1, 2, 30, 7)), (1, 1, 24, 30), ""),
    ):
        qs, ks, vs = shapes
        given = [(s, element, numbers(count(s), 0.3 * i)) for i, s in enumerate(shapes)]
        if mask:  # among them a query, or a sample, that may look at nothing
            rows = [bool((i * 7919) % 3) for i in range(count(mask))]
            rows[: mask[-1]] = [False] * mask[-1]
            given.append((mask, "i1", rows))
        scale = 0.75 if "scale" in attributes else 1 / math.sqrt(qs[-1])

        def expected(
            q, k, v, m=None, shapes=shapes, scale=scale, causal="causal" in attributes, mask=mask
        ):
            def sees(leading, i, j):
                here = (
                    m is None
                    or m[
                        offset(
                            mask,
                            [0 if size == 1 else at for size, at in zip(mask, (*leading, i, j))],
                        )
                    ]
                )
                return here and (not causal or j <= i)

            return attend(q, k, v, shapes, scale, sees)

        kinds = [tensor(s, element) for s in shapes] + ([tensor(mask, "i1")] if mask else [])
        text = (
            f"graph.attention %a, %b, %c{' mask %d' if mask else ''}{f' {{{attributes}}}' if attributes else ''} : "
            f"({', '.join(kinds)}) -> RESULT"
        )
        yield Case(
            f"attention_{name}", text, given, (qs[:-1] + vs[-1:], element), expected, bound * 10
        )

    for name, shape, heads, mask, attributes in (
        ("plain", (2, 5, 12), 2, None, "causal"),
        ("alone", (7, 9), 1, None, "scale = 0.75"),
        ("mask", (2, 6, 24), 4, (2, 1, 1, 6), ""),
        # large enough for the kernel that a CPU has for f32
        ("call", (2, 40, 72), 2, None, "causal"),
        ("call_mask", (1, 24, 48), 2, (1, 2, 24, 24), ""),
    ):
        given = [(shape, element, numbers(count(shape), 0.3))]
        if mask:
            given.append(
                (
                    mask,
                    "i1",
                    [False] * mask[-1]
                    + [bool((i * 7919) % 3) for i in range(count(mask) - mask[-1])],
                )
            )
        width = shape[-1] // 3
        scale = 0.75 if "scale" in attributes else 1 / math.sqrt(width // heads)

        def packed(
            x,
            m=None,
            shape=shape,
            heads=heads,
            scale=scale,
            causal="causal" in attributes,
            mask=mask,
        ):
            def sees(leading, i, j):
                here = (
                    m is None
                    or m[
                        offset(
                            mask,
                            [0 if size == 1 else at for size, at in zip(mask, (*leading, i, j))],
                        )
                    ]
                )
                return here and (not causal or j <= i)

            return attendPacked(x, shape, heads, scale, sees)

        kinds = [tensor(shape, element)] + ([tensor(mask, "i1")] if mask else [])
        text = (
            f"graph.packed_attention %a{' mask %b' if mask else ''} heads = {heads}{f' {{{attributes}}}' if attributes else ''} : "
            f"({', '.join(kinds)}) -> RESULT"
        )
        yield Case(
            f"packed_attention_{name}",
            text,
            given,
            ((*shape[:-1], width), element),
            packed,
            bound * 10,
        )
