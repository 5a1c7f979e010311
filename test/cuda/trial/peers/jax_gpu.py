"""The cases of device.sh in JAX, each one compiled function with donated parameters.
usage: jax_gpu.py CASES.json [--seconds N] [--only NAME]"""

from measure import arguments, batches, cases, missing, report

options = arguments()
try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    missing("jax", options, str(error))

PRECISION = {"ieee": "highest", "tf32": "high"}  # on a GPU JAX's own default is TF32


def product(a, b, precision):
    if precision == "bf16":
        return jnp.matmul(
            a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32
        )
    return jnp.matmul(a, b, precision=PRECISION[precision])


def weights(shape, seed):
    return jax.random.uniform(jax.random.key(seed), shape, jnp.float32, -0.05, 0.05)


def null(case):
    state = [jnp.ones((1,), jnp.float32)]
    gradient = jax.value_and_grad(lambda w: jnp.sum(w * w))

    def train(w):
        loss, g = gradient(w)
        return w - 0.01 * g, loss

    compiled = jax.jit(train, donate_argnums=0)

    def step():
        state[0], loss = compiled(state[0])
        return loss

    return step


def matmul(case):
    n = case["n"]
    a, b = weights((n, n), 1), weights((n, n), 2)
    compiled = jax.jit(lambda a, b: product(a, b, case["precision"]))
    return lambda: compiled(a, b)


def mlp(case):
    sizes = case["layers"]
    state = [
        [
            (weights((i, o), n), jnp.zeros((o,), jnp.float32))
            for n, (i, o) in enumerate(zip(sizes, sizes[1:]))
        ]
    ]

    def loss(parameters, x, y):
        for w, b in parameters[:-1]:
            x = jax.nn.relu(product(x, w, case["precision"]) + b)
        w, b = parameters[-1]
        logits = product(x, w, case["precision"]) + b
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))

    def train(parameters, x, y):
        value, gradients = jax.value_and_grad(loss)(parameters, x, y)
        return jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradients), value

    compiled, data, number = jax.jit(train, donate_argnums=0), batches(case), [0]
    there = jax.device_put(data[0])

    def step():
        number[0] += 1
        x, y = jax.device_put(data[number[0] % len(data)]) if case["fed"] else there
        state[0], value = compiled(state[0], x, y)
        return value

    return step


for case in cases(options):
    step = {"null": null, "matmul": matmul, "mlp": mlp}[case["kind"]](case)
    report("jax", case, step, jax.block_until_ready, options)
