import jax
import jax.numpy as jnp


@jax.jit
def dropout(key, x, rate=0.5):
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), 0)


@jax.jit
def noise(key):
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1, (4, 8)) + jax.random.uniform(k2, (8,)) + jax.random.gumbel(k1, (8,))


key = jax.random.key(42)
print(dropout(key, jnp.ones((4, 4))), noise(jax.random.PRNGKey(0)).shape)
