from functools import partial

import jax
import jax.numpy as jnp


def loss_fn(params, x, y):
    w, b = params
    return jnp.mean((x @ w + b - y) ** 2)


@partial(jax.jit, donate_argnums=(0,))
def update(params, x, y, lr=0.1):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss


params = (jnp.zeros((4, 1)), jnp.zeros(1))
x = jnp.ones((32, 4))
for _ in range(3):
    params, loss = update(params, x, x.sum(1, keepdims=True))
print(loss)
