"""A vision transformer in JAX: its layers are stacked and run by lax.scan"""

import jax
import jax.numpy as jnp

WIDTH, HEADS, DEPTH, PATCH, CLASSES = 64, 4, 3, 4, 10


def norm(x):
    return jax.nn.standardize(x, axis=-1, epsilon=1e-6)


def layer(x, p):
    b, t, _ = x.shape
    q, k, v = jnp.moveaxis((norm(x) @ p["qkv"]).reshape(b, t, 3, HEADS, -1), 2, 0)
    x = x + jax.nn.dot_product_attention(q, k, v).reshape(b, t, WIDTH) @ p["out"]
    return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"], None


@jax.jit
def forward(params, images):
    b, h, w, c = images.shape
    x = images.reshape(b, h // PATCH, PATCH, w // PATCH, PATCH, c).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(b, -1, PATCH * PATCH * c) @ params["patches"]
    x = jnp.concatenate([jnp.tile(params["cls"], (b, 1, 1)), x], axis=1) + params["positions"]
    x, _ = jax.lax.scan(layer, x, params["layers"])
    return norm(x[:, 0]) @ params["head"]


@jax.jit
def train(params, images, labels):
    def loss_fn(params):
        log_odds = jax.nn.log_softmax(forward(params, images))
        return -(jax.nn.one_hot(labels, CLASSES) * log_odds).sum(-1).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    size = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1.0, 1.0 / size)
    return jax.tree.map(lambda p, g: p - 0.01 * scale * g, params, grads), loss


keys = iter(jax.random.split(jax.random.key(0), 9))


def weights(*shape):
    return jax.random.normal(next(keys), shape) * shape[-2] ** -0.5


params = {
    "patches": weights(PATCH * PATCH * 3, WIDTH),
    "cls": weights(1, 1, WIDTH),
    "positions": weights(1, 65, WIDTH),
    "layers": {
        "qkv": weights(DEPTH, WIDTH, 3 * WIDTH),
        "out": weights(DEPTH, WIDTH, WIDTH),
        "up": weights(DEPTH, WIDTH, 4 * WIDTH),
        "down": weights(DEPTH, 4 * WIDTH, WIDTH),
    },
    "head": weights(WIDTH, CLASSES),
}
images = jax.random.normal(next(keys), (4, 32, 32, 3))
forward(params, images)
train(params, images, jnp.array([1, 2, 3, 4]))
