"""A residual network in JAX: convolutions, batch norm with running statistics, a training step"""

import jax
import jax.numpy as jnp
from jax import lax

CHANNELS = (16, 16, 32)


def conv(x, w, stride=1):
    return lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def batch_norm(p, stats, x, training):
    if training:
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        stats = {
            "mean": 0.9 * stats["mean"] + 0.1 * mean,
            "var": 0.9 * stats["var"] + 0.1 * var,
        }
    else:
        mean, var = stats["mean"], stats["var"]
    return p["scale"] * (x - mean) * lax.rsqrt(var + 1e-5) + p["shift"], stats


def model(params, stats, x, training):
    x = jax.nn.relu(conv(x, params["stem"]))
    new = []
    for p, s in zip(params["blocks"], stats):
        stride = 1 if p["conv1"].shape[2] == p["conv1"].shape[3] else 2
        y, s1 = batch_norm(p["bn1"], s[0], conv(x, p["conv1"], stride), training)
        y, s2 = batch_norm(p["bn2"], s[1], conv(jax.nn.relu(y), p["conv2"]), training)
        x = jax.nn.relu(y + (conv(x, p["skip"], stride) if "skip" in p else x))
        new.append((s1, s2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.mean((1, 2)) @ params["head"], new


@jax.jit
def forward(params, stats, x):
    return model(params, stats, x, training=False)[0]


@jax.jit
def train(params, stats, momenta, x, labels):
    def loss_fn(params):
        logits, new = model(params, stats, x, training=True)
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -picked.mean(), new

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    momenta = jax.tree.map(lambda m, g: 0.9 * m + g, momenta, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, momenta), stats, momenta, loss


keys = iter(jax.random.split(jax.random.key(0), 16))


def weights(*shape):
    fan_in = shape[0] * shape[1] * shape[2]
    return jax.random.normal(next(keys), shape) * (2 / fan_in) ** 0.5


def of_norm(n):
    return {"scale": jnp.ones(n), "shift": jnp.zeros(n)}, {"mean": jnp.zeros(n), "var": jnp.ones(n)}


blocks, stats = [], []
for inputs, outputs in zip(CHANNELS, CHANNELS[1:]):
    bn, state = of_norm(outputs)
    block = {"conv1": weights(3, 3, inputs, outputs), "bn1": bn, "bn2": bn,
             "conv2": weights(3, 3, outputs, outputs)}  # fmt: skip
    if inputs != outputs:
        block["skip"] = weights(1, 1, inputs, outputs)
    blocks.append(block)
    stats.append((state, state))
params = {"stem": weights(3, 3, 3, CHANNELS[0]), "blocks": blocks,
          "head": jax.random.normal(next(keys), (CHANNELS[-1], 10)) * 0.1}  # fmt: skip
x = jax.random.normal(next(keys), (4, 32, 32, 3))
forward(params, stats, x)
train(params, stats, jax.tree.map(jnp.zeros_like, params), x, jnp.array([3, 1, 4, 1]))
