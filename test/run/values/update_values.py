"""What the ops that change variables compute, for check.py: their definitions in Python. `@a` in a
text is the variable that %a was read from."""

import math

from case import Case

SIZE = 7
W = [1.0, -2.0, 0.5, 3.0, -0.25, 4.0, 0.0]
G = [0.5, 1.0, -0.25, -4.0, 0.125, 0.0, 2.0]
S = [0.25, 1.5, 0.0, 2.0, 1.0, 0.5, 3.0]  # a slot
T = [0.125, -0.5, 0.25, 0.75, -0.0625, 0.5, 1.0]


def ends(variables):
    """Reads of variables, one behind the other."""
    if len(variables) == 1:
        return f"graph.read @{variables} : RESULT"
    reads = "".join(f"%{letter}1 = graph.read @{letter} : INPUT\n" for letter in variables)
    return f"{reads}graph.concatenate {', '.join(f'%{letter}1' for letter in variables)} dimension = 0 : ({', '.join(['INPUT'] * len(variables))}) -> RESULT"


def updates(element):
    bound = {"f32": 1e-6, "f64": 2e-15}[element]
    vector = lambda numbers: ((SIZE,), element, numbers)

    def case(name, text, variables, inputs, rule, before=""):
        """`rule` maps one element of each input to the variables' new ones."""

        def expected(*given):
            rows = [rule(*numbers) for numbers in zip(*given)]
            return [row[i] for i in range(len(variables)) for row in rows]

        return Case(
            name,
            f"{before}{text} : INPUT\n{ends(variables)}",
            [vector(numbers) for numbers in inputs],
            ((SIZE * len(variables),), element),
            expected,
            bound,
            least=1.0,
        )

    yield case("assign_add", "graph.assign_add @a, %b", "a", [W, G], lambda w, g: [w + g])
    yield case(
        "assign_moving_average",
        "graph.assign_moving_average @a, %b {momentum = 0.75}",
        "a",
        [W, G],
        lambda w, g: [0.75 * w + 0.25 * g],
    )
    yield case(
        "apply_sgd",
        "graph.apply_sgd @a, %b {learning_rate = 0.1}",
        "a",
        [W, G],
        lambda w, g: [w - 0.1 * g],
    )

    def bounded(w, g, average):
        g = max(-1.0, min(1.0, 2 * g)) + 0.25 * w
        w -= 0.5 * g
        return [w, average + (1 - 0.75) * (w - average)]

    numbers = "%rate = graph.constant dense<0.5> : tensor<f64>\n%scale = graph.constant dense<2.0> : tensor<f64>\n"
    yield case(
        "apply_sgd_bounded",
        "graph.apply_sgd @a, %b rate %rate scale %scale average @c {clip_value = 1.0, weight_decay = 0.25, average_decay = 0.75}",
        "ac",
        [W, G, S],
        bounded,
        numbers,
    )

    def momentum(nesterov):
        def rule(w, s, g):
            s = 0.9 * s + g
            return [w - 0.1 * (g + 0.9 * s if nesterov else s), s]

        return rule

    yield case(
        "apply_momentum",
        "graph.apply_momentum @a, @b, %c {learning_rate = 0.1, momentum = 0.9}",
        "ab",
        [W, S, G],
        momentum(False),
    )
    yield case(
        "apply_momentum_nesterov",
        "graph.apply_momentum @a, @b, %c {learning_rate = 0.1, momentum = 0.9, nesterov}",
        "ab",
        [W, S, G],
        momentum(True),
    )

    def adam(decay):
        def rule(w, m, v, g):
            w -= 0.1 * decay * w
            m, v = 0.8 * m + (1 - 0.8) * g, 0.95 * v + (1 - 0.95) * g * g
            return [w - 0.1 * (m * 0.5) / (math.sqrt(v * 2.0) + 1e-3), m, v]

        return rule

    for name, attributes, decay in (
        ("apply_adam", "", 0.0),
        ("apply_adam_decoupled", ", decoupled, weight_decay = 0.25", 0.25),
    ):
        yield case(
            name,
            f"graph.apply_adam @a, @b, @c, %d, %rate, %scale {{learning_rate = 0.1, beta1 = 0.8, beta2 = 0.95, epsilon = 1.0e-3{attributes}}}",
            "abc",
            [W, T, S, G],
            adam(decay),
            numbers,
        )

    def adagrad(w, s, g):
        s += g * g
        return [w - 0.1 * g / (math.sqrt(s) + 1e-3), s]

    yield case(
        "apply_adagrad",
        "graph.apply_adagrad @a, @b, %c {learning_rate = 0.1, epsilon = 1.0e-3}",
        "ab",
        [W, S, G],
        adagrad,
    )

    def rmsprop(w, s, g):
        s = 0.9 * s + (1 - 0.9) * g * g
        return [w - 0.1 * g / (math.sqrt(s) + 1e-3), s]

    yield case(
        "apply_rmsprop",
        "graph.apply_rmsprop @a, @b, %c {learning_rate = 0.1, rho = 0.9, epsilon = 1.0e-3}",
        "ab",
        [W, S, G],
        rmsprop,
    )

    def centered(w, s, mean, slot, g):
        s, mean = 0.75 * s + 0.25 * g * g, 0.75 * mean + 0.25 * g
        slot = 0.5 * slot + g / (math.sqrt(max(0.0, s - mean * mean)) + 0.5)
        return [w - 0.1 * slot, s, mean, slot]

    yield case(
        "apply_rmsprop_centered",
        "graph.apply_rmsprop @a, @b centered @c momentum @d, %e {learning_rate = 0.1, rho = 0.75, epsilon = 0.5, momentum = 0.5}",
        "abcd",
        [W, S, T, T, G],
        centered,
    )
    yield from rowUpdates(element, bound)


def rowUpdates(element, bound):
    # Of four rows; of the last ones of three one is named, and two numbers are none.
    table, rows, at = W + S[:5], G + T[:5], [2, 7, 0, -1]

    def named(w, g, numbers):
        w = list(w)
        for row, number in enumerate(numbers):
            for i in range(3):
                if 0 <= number < 4:
                    w[number * 3 + i] -= 0.1 * max(-1.0, min(1.0, g[row * 3 + i]))
        return w

    yield Case(
        "apply_sgd_rows",
        "graph.apply_sgd_rows @a, %b at %c {learning_rate = 0.1, clip_value = 1.0} : INPUT, tensor<4xi32>\ngraph.read @a : RESULT",
        [((4, 3), element, table), ((4, 3), element, rows), ((4,), "i32", at)],
        ((4, 3), element),
        named,
        bound,
        least=1.0,
    )
    yield Case(
        "gradient_squares",
        "graph.gradient_squares @a, %b : (INPUT) -> RESULT",
        [((4, 3), element, table), ((4, 3), element, rows)],
        ((4,), "f64"),
        lambda w, g: [math.fsum(x * x for x in g[i : i + 3]) for i in range(0, 12, 3)],
        2e-15,
    )


def stepCases():
    """What is computed once a step, in f64."""

    def cosine(step):
        return 0.1 * (0.9 * (1 + math.cos(math.pi * min(step, 5) / 5)) / 2 + 0.1)

    decay = "#graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 5, alpha = 0.1>"
    for name, schedule, rate in (
        ("cosine", decay, cosine),
        (
            "warmup",
            f"#graph.linear_warmup<steps = 3, start = 0.01, learning_rate = {decay}>",
            lambda step: 0.01 + (0.1 - 0.01) * step / 3 if step < 3 else cosine(step - 3),
        ),
        (
            "piecewise",
            "#graph.piecewise_constant<boundaries = [1, 4], values = [0.1, 0.05, 0.01]>",
            lambda step: 0.1 if step <= 1 else 0.05 if step <= 4 else 0.01,
        ),
        (
            "polynomial",
            "#graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 5, end_learning_rate = 0.0, power = 1.5>",
            lambda step: 0.1 * (1 - min(step, 5) / 5) ** 1.5,
        ),
    ):
        for step in (0, 2, 5, 1000000):
            yield Case(
                f"learning_rate_{name}_{step}",
                f"graph.learning_rate %a {{schedule = {schedule}}}",
                [((), "i64", [step])],
                ((), "f64"),
                lambda steps, rate=rate: [rate(steps[0])],
                1e-14,
                least=1e-3,
            )
    for step in (0, 6, 1000000):
        yield Case(
            f"bias_correction_{step}",
            "graph.bias_correction %a {decay = 0.9}",
            [((), "i64", [step])],
            ((), "f64"),
            lambda steps: [1 / (1 - 0.9 ** (steps[0] + 1))],
            1e-14,
        )


def integerUpdates(element):
    yield Case(
        "assign_add",
        "graph.assign_add @a, %b : INPUT\ngraph.read @a : RESULT",
        [((3,), element, [1, -7, 2**31 - 1]), ((3,), element, [5, -1, 3])],
        ((3,), element),
        lambda w, g: [a + b for a, b in zip(w, g)],
    )
