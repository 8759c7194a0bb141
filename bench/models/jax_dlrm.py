"""A recommender in JAX: embeddings, an MLP, pairwise products, and Adagrad on the tables"""

import jax
import jax.numpy as jnp

WIDTH, ROWS, BATCH = 16, (1000, 500, 200), 64


def mlp(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


@jax.jit
def forward(params, dense, indices):
    x = jax.nn.relu(mlp(params["bottom"], dense))
    bags = [table[i].sum(1) for table, i in zip(params["tables"], indices)]
    features = jnp.stack([x, *bags], axis=1)
    products = jnp.einsum("bid,bjd->bij", features, features)
    rows, columns = jnp.tril_indices(len(ROWS) + 1, k=-1)
    return mlp(params["top"], jnp.concatenate([x, products[:, rows, columns]], axis=1))[:, 0]


@jax.jit
def train(params, sums, dense, indices, clicked):
    def loss_fn(params):
        logits = forward(params, dense, indices)
        return jnp.mean(jax.nn.softplus(logits) - clicked * logits)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    sums = jax.tree.map(lambda s, g: s + g * g, sums, grads)
    step = jax.tree.map(lambda p, g, s: p - 0.01 * g / jnp.sqrt(s + 1e-10), params, grads, sums)
    return step, sums, loss


keys = iter(jax.random.split(jax.random.key(0), 16))


def layers(*sizes):
    return [
        (jax.random.normal(next(keys), (i, o)) * i**-0.5, jnp.zeros(o))
        for i, o in zip(sizes, sizes[1:])
    ]


params = {
    "tables": [jax.random.normal(next(keys), (n, WIDTH)) * 0.1 for n in ROWS],
    "bottom": layers(13, 64, WIDTH),
    "top": layers(WIDTH + 6, 64, 1),
}
dense = jax.random.normal(next(keys), (BATCH, 13))
indices = [jax.random.randint(next(keys), (BATCH, 3), 0, n) for n in ROWS]
clicked = jax.random.bernoulli(next(keys), 0.5, (BATCH,)).astype(float)
forward(params, dense, indices)
train(params, jax.tree.map(jnp.zeros_like, params), dense, indices, clicked)
