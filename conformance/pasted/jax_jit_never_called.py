import jax
import jax.numpy as jnp


@jax.jit
def predict(W1, b1, W2, b2, x):
    h = jnp.tanh(x @ W1 + b1)
    return h @ W2 + b2
