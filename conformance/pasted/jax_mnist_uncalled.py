"""MNIST CNN in pure JAX with hand-written Adam, as the course notebook has it (never called)."""
import jax
import jax.numpy as jnp
from jax import lax


def conv(params, x, stride=1):
    w, b = params
    y = lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + b


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def init_params(key):
    k1, k2, k3 = jax.random.split(key, 3)
    he = jax.nn.initializers.he_normal()
    return {
        "conv1": (he(k1, (3, 3, 1, 16)), jnp.zeros(16)),
        "conv2": (he(k2, (3, 3, 16, 32)), jnp.zeros(32)),
        "dense": (he(k3, (7 * 7 * 32, 10)), jnp.zeros(10)),
    }


def forward(params, images):
    x = images
    for name in ("conv1", "conv2"):
        x = max_pool(jax.nn.relu(conv(params[name], x)))
    w, b = params["dense"]
    return x.reshape(x.shape[0], -1) @ w + b


def loss_fn(params, images, labels):
    logp = jax.nn.log_softmax(forward(params, images))
    return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 10) * logp, axis=-1))


@jax.jit
def update(params, opt_state, images, labels, step, lr=1e-3):
    loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)
    m, v = opt_state
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, v, grads)
    params = jax.tree.map(lambda p, m, v: p - lr * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8), params, m, v)
    return params, (m, v), loss
