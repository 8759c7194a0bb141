import jax.numpy as np
from jax import jit, vmap


def pairwise_distance(x, y):
    return np.sqrt(np.sum((x[:, None, :] - y[None, :, :]) ** 2, -1))


fast = jit(pairwise_distance)
