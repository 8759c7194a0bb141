import jax
import jax.numpy as jnp


def sample(key, logits, temperature=1.0):
    return jax.random.categorical(key, logits / temperature, axis=-1)


def noisy_relu(rng, x):
    return jax.nn.relu(x + 0.1 * jax.random.normal(rng, x.shape))
