"""One small function for each differentiable op: variables, and the graph text from them to a
result.

A case's text uses %NAME for each variable, ELEMENT for the element type and ends by defining %out,
whose type is `out`. Values are multiples of 1/128, so that bf16, f32 and f64 start from the same
numbers, and stay away from kinks and ties.
"""

import itertools
import os
import random
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference")
)
from harness import count, tensor  # noqa: E402
from attention_cases import attentions  # noqa: E402
from norm_cases import norms  # noqa: E402


class Case:
    def __init__(
        self,
        name,
        variables,
        text,
        out,
        step=2.0**-17,
        tolerance=1e-6,
        bound=2e-5,
        bfloat=4 * 2.0**-8,
        constants="",
    ):
        self.name = name
        self.variables = variables  # name -> (shape, values)
        self.text = text
        self.out = out  # shape
        self.step = step  # of the central differences
        # f64 gradient against differences, relative to the largest gradient
        self.tolerance = tolerance
        self.bound = bound  # f32 gradient against f64's, likewise
        # bf16 gradient against f64's, of variables that bf16 has exactly, likewise
        self.bfloat = bfloat
        self.constants = constants  # shared by all evaluations: labels, predicates


def values(seed, shape, low=-2.0, high=2.0, apart=0.0):
    """Distinct multiples of 1/128 in [low, high) with eight bits, none nearer to 0 than `apart`."""
    choice = [
        i / 128
        for i in range(int(low * 128), int(high * 128))
        if abs(i / 128) >= apart and (abs(i) < 256 or i % 2 == 0)
    ]
    return shape, random.Random(seed).sample(choice, count(shape))


def unary(op, low=-2.0, high=2.0, apart=0.0, **more):
    shape = (2, 3)
    return Case(
        op,
        {"x": values(op, shape, low, high, apart)},
        f"%out = graph.{op} %x : {tensor(shape)}",
        shape,
        **more,
    )


def binary(op, low=-2.0, high=2.0, apart=0.0, **more):
    shape = (2, 3)
    both = {
        "x": values(op, shape, low, high, apart),
        "y": values(op + "y", shape, low, high, apart),
    }
    return Case(op, both, f"%out = graph.{op} %x, %y : {tensor(shape)}", shape, **more)


def power_of(exponent):
    shape = (5,)
    text = (
        f"%e = graph.constant dense<{exponent:.17e}> : {tensor(shape)}\n"
        f"%out = graph.power %x, %e : {tensor(shape)}"
    )
    low = 0.25 if exponent != int(exponent) else -2.0
    return Case(
        f"power_{exponent}", {"x": values(f"p{exponent}", shape, low, 2.0, 0.25)}, text, shape
    )


def shaped(name, op, shape, out, attributes):
    text = f"%out = graph.{op} %x {attributes} : ({tensor(shape)}) -> {tensor(out)}"
    return Case(name, {"x": values(name, shape)}, text, out)


def matmul(transpose_a, transpose_b, batch):
    m, n, k = 2, 4, 3
    a = batch + ((k, m) if transpose_a else (m, k))
    b = batch + ((n, k) if transpose_b else (k, n))
    flags = [
        flag for flag, on in (("transpose_a", transpose_a), ("transpose_b", transpose_b)) if on
    ]
    name = "_".join(["matmul", *(["batch"] if batch else []), *flags])
    attributes = f" {{{', '.join(flags)}}}" if flags else ""
    out = batch + (m, n)
    text = f"%out = graph.matmul %x, %y{attributes} : ({tensor(a)}, {tensor(b)}) -> {tensor(out)}"
    return Case(name, {"x": values(name, a), "y": values(name + "y", b)}, text, out)


def indexed():
    """Indices that are data, and padding. Of the indices some are outside, some meet others."""

    def kind(shape, element):
        return tensor(shape).replace("ELEMENT", element)

    def constant(name, numbers, shape):
        return f"%{name} = graph.constant dense<{numbers}> : {kind(shape, 'i32')}"

    for name, shape, at, where, numbers, out in (
        (
            "rows",
            (4, 3),
            [0, 3, 0, 9, -1],
            (5,),
            "offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 "
            "slice_sizes = [1, 3]",
            (5, 3),
        ),
        (
            "boxes",
            (4, 5),
            [[1, 2], [3, 4], [-1, 1]],
            (3, 2),
            "offset_dims = [0, 2] start_index_map = [0, 1] index_vector_dim = 1 "
            "slice_sizes = [2, 3]",
            (2, 3, 3),
        ),
        (
            "one_of_row",
            (3, 4),
            [[2], [0], [9]],
            (3, 1),
            "collapsed_slice_dims = [1] operand_batching_dims = [0] "
            "start_indices_batching_dims = [0] start_index_map = [1] index_vector_dim = 1 slice_sizes = [1, 1]",
            (3,),
        ),
    ):
        yield Case(
            f"gather_{name}",
            {"x": values(f"g{name}", shape)},
            f"%out = graph.gather %x, %at {numbers} : ({tensor(shape)}, {kind(where, 'i32')}) -> {tensor(out)}",
            out,
            constants=constant("at", at, where),
        )
        dims = {
            "offset_dims": "update_window_dims",
            "collapsed_slice_dims": "inserted_window_dims",
            "operand_batching_dims": "input_batching_dims",
            "start_indices_batching_dims": "scatter_indices_batching_dims",
            "start_index_map": "scatter_dims_to_operand_dims",
        }
        said = numbers.split(" slice_sizes")[0]
        for old, new in dims.items():
            said = said.replace(old, new)
        yield Case(
            f"scatter_{name}",
            {"x": values(f"s{name}", shape), "y": values(f"u{name}", out)},
            f"%out = graph.scatter %x, %at, %y {said} : ({tensor(shape)}, {kind(where, 'i32')}, {tensor(out)}) -> {tensor(shape)}",
            shape,
            constants=constant("at", at, where),
        )
    starts = (
        "%i = graph.constant dense<1> : tensor<i32>\n%j = graph.constant dense<7> : tensor<i32>"
    )
    # Starts that are variables, so that no fold knows them.
    both = "%p = graph.convert %i : (tensor<i32>) -> tensor<i64>\n%q = graph.convert %j : (tensor<i32>) -> tensor<i64>\n"
    yield Case(
        "dynamic_slice",
        {"x": values("ds", (4, 5)), "s": ((), [1.5])},
        both + f"%k = graph.convert %s : ({tensor(())}) -> tensor<i64>\n"
        f"%out = graph.dynamic_slice %x, %k, %q slice_sizes = [2, 3] : ({tensor((4, 5))}, tensor<i64>, tensor<i64>) -> {tensor((2, 3))}",
        (2, 3),
        constants=starts,
    )
    yield Case(
        "dynamic_update_slice",
        {"x": values("dx", (4, 5)), "y": values("du", (2, 3)), "s": ((), [1.5])},
        both + f"%k = graph.convert %s : ({tensor(())}) -> tensor<i64>\n"
        f"%out = graph.dynamic_update_slice %x, %y, %k, %q : ({tensor((4, 5))}, {tensor((2, 3))}, tensor<i64>, tensor<i64>) -> "
        f"{tensor((4, 5))}",
        (4, 5),
        constants=starts,
    )
    for name, low, high, interior in (
        ("edges", [1, 0], [0, 2], [0, 0]),
        ("interior", [0, 1], [1, 0], [1, 2]),
        ("negative", [-1, 1], [2, -4], [0, 2]),
    ):
        out = tuple(n + (n - 1) * i + a + b for n, a, b, i in zip((2, 3), low, high, interior))
        yield Case(
            f"pad_{name}",
            {"x": values(f"p{name}", (2, 3)), "v": values(f"v{name}", ())},
            f"%out = graph.pad %x, %v edge_padding_low = {low} edge_padding_high = {high} interior_padding = {interior} : "
            f"({tensor((2, 3))}, {tensor(())}) -> {tensor(out)}",
            out,
        )
    yield Case(
        "top_k",
        {"x": values("top", (3, 6))},
        f"%t, %n = graph.top_k %x k = 3 : ({tensor((3, 6))}) -> ({tensor((3, 3))}, tensor<3x3xi32>)\n"
        f"%out = graph.negate %t : {tensor((3, 3))}",
        (3, 3),
    )
    yield Case(
        "embedding",
        {"x": values("embedding", (4, 3))},
        f"%out = graph.embedding %x, %at : ({tensor((4, 3))}, tensor<2x3xi32>) -> {tensor((2, 3, 3))}",
        (2, 3, 3),
        constants=constant("at", [[0, 3, 0], [4, -1, 1]], (2, 3)),
    )
    for name, left, right, numbers, out in (
        (
            "rows",
            (2, 3, 4),
            (4, 2),
            "lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [0]",
            (2, 3, 2),
        ),
        (
            "heads",
            (2, 3, 2, 2),
            (2, 2, 2, 2),
            "lhs_batching_dimensions = [0, 2] rhs_batching_dimensions = [0, 2] "
            "lhs_contracting_dimensions = [3] rhs_contracting_dimensions = [3]",
            (2, 2, 3, 2),
        ),
        (
            "crossed",
            (2, 3, 2),
            (2, 3, 4),
            "lhs_contracting_dimensions = [1, 2] rhs_contracting_dimensions = [1, 0]",
            (2, 4),
        ),
    ):
        yield Case(
            f"dot_general_{name}",
            {"x": values(f"l{name}", left), "y": values(f"r{name}", right)},
            f"%out = graph.dot_general %x, %y {numbers} : ({tensor(left)}, {tensor(right)}) -> {tensor(out)}",
            out,
        )


def convolutions():
    """Each of the three by both of its operands: they are each other's gradients."""
    for name, shape, filter, out, attributes in (
        (
            "strided",
            (2, 2, 5, 4),
            (3, 2, 2, 3),
            (2, 3, 3, 4),
            "window_strides = [2, 1] padding_low = [1, 2] padding_high = [0, 0]",
        ),
        (
            "dilated",
            (1, 6, 5, 2),
            (2, 2, 2, 3),
            (1, 4, 4, 3),
            "padding_high = [1, 1] rhs_dilation = [3, 2] {nhwc, hwio}",
        ),
        (
            "grouped",
            (2, 5, 4),
            (2, 2, 6),
            (2, 5, 6),
            "padding_low = [1] feature_group_count = 2 {nhwc, hwio}",
        ),
    ):
        for op, x, y, result in (
            ("convolution", shape, filter, out),
            ("convolution_input_grad", out, filter, shape),
            ("convolution_filter_grad", shape, out, filter),
        ):
            yield Case(
                f"{op}_{name}",
                {"x": values(f"{op}{name}x", x), "y": values(f"{op}{name}y", y)},
                f"%out = graph.{op} %x, %y {attributes} : ({tensor(x)}, {tensor(y)}) -> {tensor(result)}",
                result,
            )


def pools():
    attributes = "window_dimensions = [3, 2] window_strides = [2, 2] padding_low = [1, 0] padding_high = [0, 1]"
    yield shaped("max_pool", "max_pool", (2, 2, 6, 5), (2, 2, 3, 3), attributes)
    yield shaped(
        "max_pool_last", "max_pool", (1, 4, 4, 3), (1, 3, 3, 3), "window_dimensions = [2, 2] {nhwc}"
    )
    yield shaped(
        "max_pool_global",
        "max_pool",
        (2, 3, 4, 2),
        (2, 1, 1, 2),
        "window_dimensions = [3, 4] {nhwc}",
    )
    yield shaped(
        "avg_pool_global",
        "avg_pool",
        (2, 3, 4, 2),
        (2, 1, 1, 2),
        "window_dimensions = [3, 4] {nhwc}",
    )
    yield shaped("avg_pool", "avg_pool", (2, 2, 6, 5), (2, 2, 3, 3), attributes)
    yield shaped(
        "avg_pool_all",
        "avg_pool",
        (2, 5, 6, 2),
        (2, 3, 4, 2),
        "window_dimensions = [2, 3] window_strides = [2, 2] padding_low = [0, 2] padding_high = [1, 1] {count_include_pad, nhwc}",
    )


def primitiveCases():
    """Rounding, functions, bounds, products, sums along a dimension, activations."""
    for op in ("exponential_minus_one", "sine", "cosine", "erf", "gelu", "silu", "softplus"):
        yield unary(op)
    yield unary("log_plus_one", low=-0.75, high=4.0)
    for op in ("elu", "leaky_relu", "hard_swish"):
        yield unary(op, apart=0.1)
    yield unary("hard_sigmoid", high=4.0)  # above 2.5 it is flat
    shape = (2, 3)
    for op, attributes in (
        ("gelu", 'approximate = "tanh"'),
        ("elu", "alpha = 0.5"),
        ("leaky_relu", "alpha = 0.25"),
        ("hard_sigmoid", "alpha = 0.25, beta = 0.375"),
    ):
        yield Case(
            f"{op}_{attributes.split(' = ')[0]}",
            {"x": values(attributes, shape, -1.25, 2.0, 0.1)},
            f"%out = graph.{op} %x {{{attributes}}} : {tensor(shape)}",
            shape,
        )
    # Flat between their steps.
    for op in ("floor", "ceil", "round_nearest_even"):
        yield Case(
            op,
            {"x": (shape, [-1.75, -0.25, 0.25, 0.75, 1.25, 1.625])},
            f"%r = graph.{op} %x : {tensor(shape)}\n%out = graph.multiply %r, %x : {tensor(shape)}",
            shape,
        )
    yield Case(
        "stop_gradient",
        {"x": (shape, [-1.75, -0.25, 0.25, 0.75, 1.25, 1.625])},  # of what has no gradient anyway
        f"%f = graph.floor %x : {tensor(shape)}\n%r = graph.stop_gradient %f : {tensor(shape)}\n%out = graph.multiply %r, %x : {tensor(shape)}",
        shape,
    )
    # Quotients that are far from whole numbers.
    yield Case(
        "remainder",
        {
            "x": (shape, [5.5, -5.5, 7.25, 0.5, -3.75, 2.0]),
            "y": (shape, [2.0, 1.5, -3.0, 1.25, -1.0, 0.75]),
        },
        f"%out = graph.remainder %x, %y : {tensor(shape)}",
        shape,
    )
    bounds = {
        "x": values("clampx", shape),
        "low": values("clamplow", shape, -1.5, 0.0),
        "high": values("clamphigh", shape, 0.25, 1.5),
    }
    yield Case(
        "clamp",
        bounds,
        f"%out = graph.clamp %low, %x, %high : ({tensor(shape)}, {tensor(shape)}, {tensor(shape)}) -> {tensor(shape)}",
        shape,
    )
    yield Case(
        "clamp_scalars",
        {
            "x": (shape, [-1.5, -0.25, 0.125, 0.5, 1.25, 1.75]),
            "low": ((), [-0.5]),
            "high": ((), [1.0]),
        },
        f"%out = graph.clamp %low, %x, %high : ({tensor(())}, {tensor(shape)}, {tensor(())}) -> {tensor(shape)}",
        shape,
    )
    yield Case(
        "clamp_crossed",
        {
            "x": (shape, [-1.5, -0.25, 0.125, 0.5, 1.25, 1.75]),
            "low": ((), [1.0]),
            "high": ((), [-0.5]),
        },
        f"%out = graph.clamp %low, %x, %high : ({tensor(())}, {tensor(shape)}, {tensor(())}) -> {tensor(shape)}",
        shape,
    )
    for dimensions, out in (([0], (4,)), ([1], (3,)), ([0, 1], ())):
        yield Case(
            f"reduce_prod_{len(dimensions)}_{dimensions[0]}",
            {"x": values(f"prod{dimensions}", (3, 4), 0.5)},
            f"%out = graph.reduce_prod %x dimensions = {dimensions} : ({tensor((3, 4))}) -> {tensor(out)}",
            out,
        )
    # Rows without zeros, with one, with two.
    yield Case(
        "reduce_prod_zeros",
        {"x": ((3, 3), [1.5, -2.0, 0.5, 0.0, 1.25, -1.5, 0.0, 0.75, 0.0])},
        f"%out = graph.reduce_prod %x dimensions = [1] : ({tensor((3, 3))}) -> {tensor((3,))}",
        (3,),
    )
    for dimension, flags in (
        (0, ""),
        (1, ""),
        (0, " {exclusive}"),
        (1, " {reverse}"),
        (1, " {exclusive, reverse}"),
    ):
        yield Case(
            f"cumsum_{dimension}{''.join(c if c.isalpha() else '_' for c in flags)}",
            {"x": values(f"cumsum{dimension}{flags}", (3, 4))},
            f"%out = graph.cumsum %x dimension = {dimension}{flags} : {tensor((3, 4))}",
            (3, 4),
        )
    yield Case(
        "reverse",
        {"x": values("reverse", (3, 4))},
        f"%out = graph.reverse %x dimensions = [1] : {tensor((3, 4))}",
        (3, 4),
    )


def cases():
    yield unary("negate")
    yield unary("abs", apart=0.1)
    yield unary("sign", apart=0.1)
    yield unary("sqrt", low=0.25, high=4.0)
    yield unary("rsqrt", low=0.25, high=4.0)
    yield unary("exponential")
    yield unary("log", low=0.25, high=4.0)
    yield unary("tanh")
    yield unary("logistic")
    yield unary("relu", apart=0.1)
    yield from primitiveCases()
    yield binary("add")
    yield binary("subtract")
    yield binary("multiply")
    yield binary("divide", apart=0.25)
    yield binary("maximum")
    yield binary("minimum")
    yield binary("power", low=0.25)
    for exponent in (-2.0, -1.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0):
        yield power_of(exponent)

    shape = (6,)
    yield Case(
        "select",
        {"x": values("s", shape), "y": values("t", shape)},
        f"%out = graph.select %p, %x, %y : {tensor(shape)}",
        shape,
        constants="%p = graph.constant dense<[true, false, true, true, false, false]> : tensor<6xi1>",
    )
    # Exact in both types, so the step may be large; f32 keeps it exact too.
    yield Case(
        "convert",
        {"x": values("convert", shape)},
        "%c = graph.convert %x : (tensor<6xELEMENT>) -> tensor<6xOTHER>\n"
        "%out = graph.convert %c : (tensor<6xOTHER>) -> tensor<6xELEMENT>",
        shape,
        step=0.25,
    )

    yield shaped("reshape", "reshape", (2, 6), (3, 4), "")
    yield shaped("transpose", "transpose", (2, 3, 4), (4, 2, 3), "permutation = [2, 0, 1]")
    yield shaped("broadcast_new", "broadcast_in_dim", (3,), (2, 3, 2), "broadcast_dimensions = [1]")
    yield shaped(
        "broadcast_unit", "broadcast_in_dim", (1, 3), (2, 3), "broadcast_dimensions = [0, 1]"
    )
    yield shaped("broadcast_scalar", "broadcast_in_dim", (), (2, 3), "broadcast_dimensions = []")
    yield shaped(
        "slice",
        "slice",
        (4, 5),
        (2, 3),
        "start_indices = [1, 2] limit_indices = [3, 5] strides = [1, 1]",
    )
    yield shaped(
        "slice_strides",
        "slice",
        (2, 7, 3),
        (2, 2, 2),
        "start_indices = [0, 1, 0] limit_indices = [2, 6, 3] strides = [1, 3, 2]",
    )
    for along, other, out in ((0, (1, 3), (3, 3)), (1, (2, 2), (2, 5))):
        yield Case(
            f"concatenate_{along}",
            {"x": values(f"c{along}", (2, 3)), "y": values(f"d{along}", other)},
            f"%out = graph.concatenate %x, %y dimension = {along} : ({tensor((2, 3))}, {tensor(other)}) -> {tensor(out)}",
            out,
        )
    yield from indexed()
    for op in ("sum", "mean", "max", "min"):
        yield shaped(f"reduce_{op}_first", f"reduce_{op}", (3, 4), (4,), "dimensions = [0]")
        yield shaped(f"reduce_{op}_last", f"reduce_{op}", (3, 4), (3,), "dimensions = [1]")
        yield shaped(f"reduce_{op}_all", f"reduce_{op}", (2, 2, 2), (), "dimensions = [0, 1, 2]")
        yield shaped(f"reduce_{op}_middle", f"reduce_{op}", (2, 3, 2), (2, 2), "dimensions = [1]")

    for transpose_a, transpose_b, batch in itertools.product(
        (False, True), (False, True), ((), (2,))
    ):
        yield matmul(transpose_a, transpose_b, batch)
    yield from convolutions()
    yield from pools()
    yield Case(
        "bias_add",
        {"x": values("bias", (3, 4)), "y": values("biasy", (4,))},
        f"%out = graph.bias_add %x, %y : {tensor((3, 4))}, {tensor((4,))}",
        (3, 4),
    )

    # Four ops backward, each rounded; the upstream gradient less its mean cancels, so that
    # roundings of the mean weigh more.
    yield Case(
        "softmax",
        {"x": values("softmax", (3, 4))},
        f"%out = graph.softmax %x : {tensor((3, 4))}",
        (3, 4),
        bfloat=8 * 2.0**-8,
    )
    yield Case(
        "log_softmax",
        {"x": values("log_softmax", (3, 4))},
        f"%out = graph.log_softmax %x : {tensor((3, 4))}",
        (3, 4),
    )
    labels = "%labels = graph.constant dense<[2, 0, 3]> : tensor<3xi32>"
    for op in ("softmax_cross_entropy", "nll_loss"):
        yield Case(
            op,
            {"x": values(op, (3, 4))},
            f"%out = graph.{op} %x, %labels : ({tensor((3, 4))}, tensor<3xi32>) -> {tensor(())}",
            (),
            constants=labels,
        )

    for op in ("dense_softmax_cross_entropy", "sigmoid_cross_entropy"):
        yield Case(
            op,
            {"x": values(op, (3, 4)), "t": values(op + "t", (3, 4), 0, 1)},
            f"%out = graph.{op} %x, %t : ({tensor((3, 4))}, {tensor((3, 4))}) -> {tensor(())}",
            (),
        )
    # All evaluations and the gradient draw the same.
    yield Case(
        "dropout",
        {"x": values("dropout", (5, 7))},
        f"%once = graph.dropout %x at %micro {{rate = 0.4, seed = 3, draw = 2}} : {tensor((5, 7))}\n"
        f"%square = graph.multiply %once, %once : {tensor((5, 7))}\n"
        f"%out = graph.dropout %square at %micro {{rate = 0.2, seed = 3, draw = 4}} : {tensor((5, 7))}",
        (5, 7),
        constants="%micro = graph.constant dense<11> : tensor<i64>",
    )
    yield from norms(Case, values)
    yield from attentions(Case, values)

    # Every op of a network at once: sums over uses, relu by its result, gradients through two
    # products.
    yield Case(
        "network",
        {
            "x": values("n1", (3, 5)),
            "w": values("n2", (5, 4), -1, 1),
            "b": values("n3", (4,), -1, 1),
            "v": values("n4", (4, 4), -1, 1),
        },
        f"""%h0 = graph.matmul %x, %w : ({tensor((3, 5))}, {tensor((5, 4))}) -> {tensor((3, 4))}
                   %h1 = graph.bias_add %h0, %b : {tensor((3, 4))}, {tensor((4,))}
                   %h2 = graph.relu %h1 : {tensor((3, 4))}
                   %h3 = graph.tanh %h1 : {tensor((3, 4))}
                   %h4 = graph.add %h2, %h3 : {tensor((3, 4))}
                   %h5 = graph.matmul %h4, %v : ({tensor((3, 4))}, {tensor((4, 4))}) -> {tensor((3, 4))}
                   %out = graph.softmax_cross_entropy %h5, %labels : ({tensor((3, 4))}, tensor<3xi32>) -> {tensor(())}""",
        (),
        constants=labels,
    )
