"""The networks of the benchmarks in TensorFlow, for one process (single.py) and several (tf_ps.py).
`variable(name, shape, value)` makes a variable or finds it; value: "ones", "zeros", None:
random."""

import numpy as np, tensorflow as tf

V, S, D, L, HD = 512, 128, 256, 4, 4


def resnet20(x, variable):
    def conv(x, name, i, o, k, s):
        return tf.nn.conv2d(x, variable(name, [k, k, i, o], None), s, "SAME")

    def norm(x, name, o):  # training: by the batch's own statistics, which are not kept
        return tf.compat.v1.nn.fused_batch_norm(
            x,
            variable(name + "_scale", [o], "ones"),
            variable(name + "_offset", [o], "zeros"),
            epsilon=1e-5,
            is_training=True,
        )[0]

    x = tf.nn.relu(norm(conv(x, "stem", 3, 16, 3, 1), "stem", 16))
    i = 16
    for o, st in ((16, 1), (32, 2), (64, 2)):
        for k in range(3):
            n, s = f"{o}_{k}", st if k == 0 else 1
            y = tf.nn.relu(norm(conv(x, n + "a", i, o, 3, s), n + "a", o))
            y = norm(conv(y, n + "b", o, o, 3, 1), n + "b", o)
            x = tf.nn.relu(y + (x if i == o and s == 1 else conv(x, n + "s", i, o, 1, s)))
            i = o
    return tf.reduce_mean(x, [1, 2]) @ variable("w", [64, 10], None) + variable("b", [10], "zeros")


def gpt(ids, variable):
    b = ids.shape[0]

    def norm(x, name):
        m, v = tf.nn.moments(x, -1, keepdims=True)
        return tf.nn.batch_normalization(
            x,
            m,
            v,
            variable(name + "_offset", [D], "zeros"),
            variable(name + "_scale", [D], "ones"),
            1e-5,
        )

    def dense(x, name, i, o):
        return tf.nn.bias_add(
            x @ variable(name, [i, o], None), variable(name + "_bias", [o], "zeros")
        )

    mask = tf.constant(np.where(np.tril(np.ones((S, S), bool)), 0, -1e9).astype("f"))
    x = tf.reshape(
        tf.gather(variable("e", [V, D], None), ids) + variable("p", [S, D], "zeros"), [b * S, D]
    )
    for l in range(L):
        q, k, v = tf.unstack(
            tf.transpose(
                tf.reshape(dense(norm(x, f"{l}n1"), f"{l}qkv", D, 3 * D), [b, S, 3, HD, D // HD]),
                [2, 0, 3, 1, 4],
            )
        )
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (D // HD) ** -0.5 + mask) @ v
        x = x + dense(tf.reshape(tf.transpose(a, [0, 2, 1, 3]), [b * S, D]), f"{l}o", D, D)
        x = x + dense(
            tf.nn.gelu(dense(norm(x, f"{l}n2"), f"{l}f1", D, 4 * D), approximate=True),
            f"{l}f2",
            4 * D,
            D,
        )
    return norm(x, "n") @ variable("h", [D, V], None)


def vit(x, variable, d=96, h=3, layers=4, p=4):
    b = x.shape[0]
    t = 1 + (32 // p) ** 2

    def norm(x, name):
        m, v = tf.nn.moments(x, -1, keepdims=True)
        return tf.nn.batch_normalization(
            x,
            m,
            v,
            variable(name + "_offset", [d], "zeros"),
            variable(name + "_scale", [d], "ones"),
            1e-6,
        )

    def dense(x, name, i, o):
        return tf.nn.bias_add(
            x @ variable(name, [i, o], None), variable(name + "_bias", [o], "zeros")
        )

    x = tf.nn.bias_add(
        tf.nn.conv2d(x, variable("patches", [p, p, 3, d], None), p, "VALID"),
        variable("patches_bias", [d], "zeros"),
    )
    x = tf.concat(
        [
            tf.tile(variable("cls", [1, 1, d], "zeros") + 0.0, [b, 1, 1]),
            tf.reshape(x, [b, t - 1, d]),
        ],
        1,
    ) + variable("pos", [1, t, d], None)
    x = tf.reshape(x, [b * t, d])
    for l in range(layers):
        q, k, v = tf.unstack(
            tf.transpose(
                tf.reshape(dense(norm(x, f"{l}n1"), f"{l}qkv", d, 3 * d), [b, t, 3, h, d // h]),
                [2, 0, 3, 1, 4],
            )
        )
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (d // h) ** -0.5) @ v
        x = x + dense(tf.reshape(tf.transpose(a, [0, 2, 1, 3]), [b * t, d]), f"{l}o", d, d)
        x = x + dense(tf.nn.gelu(dense(norm(x, f"{l}n2"), f"{l}f1", d, 4 * d)), f"{l}f2", 4 * d, d)
    return dense(norm(tf.reshape(x, [b, t, d])[:, 0], "n"), "w", d, 10)


def update(case, vs):
    """What takes the gradients: SGD; of the vision transformer AdamW with a bounded norm, warm-up
    and cosine."""
    if case != "vit":
        return lambda gs: [v.assign_sub(0.01 * tf.convert_to_tensor(g)) for v, g in zip(vs, gs)]
    t = tf.Variable(0.0)
    ms = [tf.Variable(tf.zeros_like(v)) for v in vs]
    ss = [tf.Variable(tf.zeros_like(v)) for v in vs]

    def step(gs):
        gs, _ = tf.clip_by_global_norm(gs, 1.0)
        rate = 1e-3 * tf.where(
            t < 100.0, t / 100.0, 0.5 * (1 + tf.cos(np.pi * tf.minimum((t - 100.0) / 900.0, 1.0)))
        )
        t.assign_add(1.0)
        first, second = 1 - 0.9**t, 1 - 0.999**t
        for v, g, m, s in zip(vs, gs, ms, ss):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            v.assign_sub(rate * (m / first / (tf.sqrt(s / second) + 1e-8) + 0.01 * v))

    return step


def batch(case, rng):
    if case == "vit":
        return rng.rand(32, 32, 32, 3).astype("f"), rng.randint(0, 10, 32).astype("i")
    if case == "gpt":
        return rng.randint(0, V, (8, S)).astype("i"), rng.randint(0, V, (8, S)).astype("i")
    return rng.rand(64, 32, 32, 3).astype("f"), rng.randint(0, 10, 64).astype("i")


def loss(case, x, y, variable):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(y, [-1]),
            logits=dict(resnet20=resnet20, gpt=gpt, vit=vit)[case](x, variable),
        )
    )
