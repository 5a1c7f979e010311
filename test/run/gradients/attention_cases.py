"""Cases of attention, for cases.py."""

from harness import tensor


def attentions(Case, values):
    for name, shapes, mask, attributes in (
        ("attention", ((4, 3), (5, 3), (5, 2)), None, ""),
        ("attention_causal", ((2, 2, 4, 2), (2, 2, 4, 2), (2, 2, 4, 2)), None, " {causal}"),
        (
            "attention_masked",
            ((2, 3, 2), (2, 4, 2), (2, 4, 3)),
            "dense<[[[true, false, true, true], [false, false, false, false], "
            "[false, true, true, false]]]> : tensor<1x3x4xi1>",
            " {scale = 0.5}",
        ),
    ):
        qs, ks, vs = shapes
        out = qs[:-1] + vs[-1:]
        kinds = [tensor(s) for s in shapes] + (["tensor<1x3x4xi1>"] if mask else [])
        yield Case(
            name,
            {"x": values(name, qs), "k": values(name + "k", ks), "v": values(name + "v", vs)},
            f"%out = graph.attention %x, %k, %v{' mask %mask' if mask else ''}{attributes} : ({', '.join(kinds)}) -> {tensor(out)}",
            out,
            constants=f"%mask = graph.constant {mask}" if mask else "",
        )

    for name, shape, heads, mask, attributes in (
        ("packed_attention", (2, 4, 12), 2, None, " {causal}"),
        ("packed_attention_alone", (3, 6), 1, None, " {scale = 0.5}"),
        (
            "packed_attention_masked",
            (2, 3, 12),
            2,
            "dense<[[[[true, false, true]]], [[[false, false, false]]]]> : tensor<2x1x1x3xi1>",
            "",
        ),
    ):
        out = shape[:-1] + (shape[-1] // 3,)
        kinds = [tensor(shape)] + (["tensor<2x1x1x3xi1>"] if mask else [])
        yield Case(
            name,
            {"x": values(name, shape)},
            f"%out = graph.packed_attention %x{' mask %mask' if mask else ''} heads = {heads}{attributes} : ({', '.join(kinds)}) -> {tensor(out)}",
            out,
            constants=f"%mask = graph.constant {mask}" if mask else "",
        )
