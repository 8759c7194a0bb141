import jax
import jax.numpy as jnp


def mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [
        {"w": jax.random.normal(k, (m, n)) * m ** -0.5, "b": jnp.zeros(n)}
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


params = init(jax.random.PRNGKey(0), [8, 32, 4])
loss_grad = jax.jit(jax.grad(lambda p, x: jnp.mean(mlp(p, x) ** 2)))
print(loss_grad(params, jnp.ones((16, 8)))[0]["w"].shape)
