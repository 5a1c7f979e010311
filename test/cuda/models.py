"""Models of a bundle in the text of the graph dialect."""

PRECISIONS = ("ieee", "tf32", "bf16")


def tensor(*shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def matmul(a, b, precision, types):
    return f"graph.matmul {a}, {b}{'' if precision == 'ieee' else f' precision = {precision}'} : {types}"


def flops(layers, batch):
    """Of the products of a step of training: forward, and backward but for the gradient of the
    data."""
    products = [2 * batch * i * o for i, o in zip(layers, layers[1:])]
    return 3 * sum(products) - products[0]


def perceptron(layers, batch, fed, precision="ieee"):
    """Fully connected layers with ReLU, softmax cross-entropy, SGD. `fed`: each step takes a batch
    from a data set, else data are variables."""
    head, body = [], []
    x, y = tensor(batch, layers[0]), tensor(batch, element="i32")
    if fed:
        head.append(
            f"graph.dataset @train : ({tensor(layers[0])}, {tensor(element='i32')}) = #graph.synthetic<samples = {32 * batch}, seed = 7, limits = [0, {layers[-1]}]>"
        )
        body.append(f"%x, %y = graph.next_batch @train {{batch = {batch}}} : {x}, {y}")
    else:
        head += [
            f"graph.variable @x : {x} = #graph.uniform<low = 0.0, high = 1.0, seed = 7> {{trainable = false}}",
            f"graph.variable @y : {y} = #graph.zeros {{trainable = false}}",
        ]
        body += [f"%x = graph.read @x : {x}", f"%y = graph.read @y : {y}"]
    last, value = x, "%x"
    for n, (i, o) in enumerate(zip(layers, layers[1:])):
        w, b, out = tensor(i, o), tensor(o), tensor(batch, o)
        head += [
            f"graph.variable @w{n} : {w} = #graph.glorot_uniform<seed = {n + 1}>",
            f"graph.variable @b{n} : {b} = #graph.zeros",
        ]
        body += [
            f"%w{n} = graph.read @w{n} : {w}",
            f"%b{n} = graph.read @b{n} : {b}",
            f"%p{n} = " + matmul(value, f"%w{n}", precision, f"({last}, {w}) -> {out}"),
            f"%l{n} = graph.bias_add %p{n}, %b{n} : {out}, {b}",
        ]
        last, value = out, f"%l{n}"
        if n + 2 < len(layers):
            body.append(f"%h{n} = graph.relu {value} : {out}")
            value = f"%h{n}"
    body += [
        f"%loss = graph.softmax_cross_entropy {value}, %y : ({last}, {y}) -> tensor<f32>",
        "graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>",
        "graph.return %loss : tensor<f32>",
    ]
    return step(head, body, ' -> (tensor<f32> {graph.name = "loss"})')


def product(n, precision):
    square = tensor(n, n)
    head = [
        f"graph.variable @{name} : {square} = #graph.uniform<low = -1.0, high = 1.0, seed = {seed}> {{trainable = false}}"
        for seed, name in ((1, "a"), (2, "b"))
    ]
    head.append(f"graph.variable @c : {square} = #graph.zeros {{trainable = false}}")
    body = [
        f"%a = graph.read @a : {square}",
        f"%b = graph.read @b : {square}",
        "%c = " + matmul("%a", "%b", precision, f"({square}, {square}) -> {square}"),
        f"graph.assign @c, %c : {square}",
        "graph.return",
    ]
    return step(head, body)


def sums(rows, columns):
    """Of a variable that each step changes: over rows, columns and all, in f32 and f64; a softmax;
    what is elementwise."""
    matrix, head = tensor(rows, columns), []
    body = [
        f"%v = graph.read @v : {matrix}",
        f"%t = graph.tanh %v : {matrix}",
        f"%e = graph.exponential %t : {matrix}",
        f"%s = graph.softmax %v : {matrix}",
        f"%d = graph.convert %v : ({matrix}) -> {tensor(rows, columns, element='f64')}",
    ]
    head.append(
        f"graph.variable @v : {matrix} = #graph.uniform<low = -1.0, high = 1.0, seed = 1> {{trainable = false}}"
    )

    def keep(name, text, kind):
        head.append(f"graph.variable @{name} : {kind} = #graph.zeros {{trainable = false}}")
        body.extend([f"%{name} = {text}", f"graph.assign @{name}, %{name} : {kind}"])

    for of, element in (("e", "f32"), ("d", "f64")):
        for over, dimensions, shape in (
            ("rows", "[0]", (columns,)),
            ("columns", "[1]", (rows,)),
            ("all", "[0, 1]", ()),
        ):
            kind = tensor(*shape, element=element)
            for op in "reduce_sum", "reduce_max":
                keep(
                    f"{op}_{over}_{element}",
                    f"graph.{op} %{of} dimensions = {dimensions} : ({tensor(rows, columns, element=element)}) -> {kind}",
                    kind,
                )
    keep(
        "softmax_of_rows",
        f"graph.reduce_sum %s dimensions = [0] : ({matrix}) -> {tensor(columns)}",
        tensor(columns),
    )
    keep(
        "places",
        f"graph.argmax %e dimension = 1 : ({matrix}) -> {tensor(rows, element='i32')}",
        tensor(rows, element="i32"),
    )
    keep(
        "turned",
        f"graph.transpose %s permutation = [1, 0] : ({matrix}) -> {tensor(columns, rows)}",
        tensor(columns, rows),
    )
    body += [f"graph.assign @v, %t : {matrix}", "graph.return"]
    return step(head, body)


def step(head, body, results=""):
    return "\n".join(
        [
            *head,
            f"graph.func @train_step(){results} attributes {{role = #graph.role<train>}} {{",
            *body,
            "}",
            "",
        ]
    )
