"""Cases of the norms, for cases.py."""

from harness import tensor


def norms(Case, values):
    def case(name, text, shape, more=None, out=None):
        variables = {"x": values(name, shape)}
        variables.update(more or {})
        return Case(name, variables, text, out or shape)

    def parameters(name, shape):
        return {"s": values(name + "s", shape, 0.5, 2.0), "b": values(name + "b", shape)}

    for feature, shape in ((1, (3, 2, 4)), (2, (3, 4, 2)), (0, (2, 5))):
        name, c = f"batch_norm_{feature}", (shape[feature],)
        types = f"({', '.join([tensor(shape), tensor(c), tensor(c)])}) -> ({', '.join([tensor(shape), tensor(c), tensor(c)])})"
        training = f"%out, %m, %v = graph.batch_norm_training %x, %s, %b feature_index = {feature} epsilon = 1.0e-02 : {types}"
        yield case(name, training, shape, parameters(name, c))
        # By way of mean and variance too, and of these alone.
        name += "_statistics"
        repeat = f"broadcast_dimensions = [{feature}] : ({tensor(c)}) -> {tensor(shape)}"
        yield case(
            name,
            training.replace("%out", "%y")
            + "\n"
            + "\n".join(
                [
                    f"%p = graph.multiply %m, %v : {tensor(c)}",
                    f"%q = graph.broadcast_in_dim %p {repeat}",
                    f"%out = graph.add %y, %q : {tensor(shape)}",
                ]
            ),
            shape,
            parameters(name, c),
        )
        yield case(
            name + "_alone",
            training.replace("%out", "%y") + f"\n%out = graph.subtract %m, %v : {tensor(c)}",
            shape,
            parameters(name, c),
            c,
        )
        name, five = f"batch_norm_inference_{feature}", ", ".join([tensor(shape)] + [tensor(c)] * 4)
        given = {"m": values(name + "m", c), "v": values(name + "v", c, 0.25, 2.0)}
        yield case(
            name,
            f"%out = graph.batch_norm_inference %x, %s, %b, %m, %v feature_index = {feature} epsilon = 1.0e-02 : "
            f"({five}) -> {tensor(shape)}",
            shape,
            parameters(name, c) | given,
        )
    for axis, shape in ((1, (3, 5)), (1, (2, 2, 3)), (0, (6,)), (2, (2, 2, 4))):
        row = shape[axis:]
        name = f"layer_norm_{len(shape)}_{axis}"
        yield case(
            name,
            f"%out = graph.layer_norm %x, %s, %b axis = {axis} epsilon = 1.0e-02 : "
            f"({tensor(shape)}, {tensor(row)}, {tensor(row)}) -> {tensor(shape)}",
            shape,
            parameters(name, row),
        )
        name = f"rms_norm_{len(shape)}_{axis}"
        yield case(
            name,
            f"%out = graph.rms_norm %x, %s axis = {axis} epsilon = 1.0e-02 : "
            f"({tensor(shape)}, {tensor(row)}) -> {tensor(shape)}",
            shape,
            {"s": values(name + "s", row, 0.5, 2.0)},
        )
    for groups, feature, shape in (
        (2, 1, (2, 4, 3)),
        (2, 2, (2, 3, 4)),
        (1, 1, (3, 4)),
        (3, 1, (2, 3, 4)),
    ):
        c = (shape[feature],)
        name = f"group_norm_{groups}_{feature}_{len(shape)}"
        yield case(
            name,
            f"%out = graph.group_norm %x, %s, %b num_groups = {groups} feature_index = {feature} epsilon = 1.0e-02 : "
            f"({tensor(shape)}, {tensor(c)}, {tensor(c)}) -> {tensor(shape)}",
            shape,
            parameters(name, c),
        )
