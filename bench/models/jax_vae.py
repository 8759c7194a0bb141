"""A variational autoencoder in JAX: keys for the noise, value_and_grad for the ELBO"""

import jax
import jax.numpy as jnp

PIXELS, HIDDEN, LATENT = 784, 128, 16


def dense(p, x):
    return x @ p[0] + p[1]


@jax.jit
def negative_elbo(params, key, x):
    h = jax.nn.relu(dense(params["encoder"], x))
    mean, log_variance = dense(params["mean"], h), dense(params["log_variance"], h)
    z = mean + jax.random.normal(key, mean.shape) * jnp.exp(0.5 * log_variance)
    logits = dense(params["out"], jax.nn.relu(dense(params["decoder"], z)))
    rebuilt = jnp.sum(jax.nn.softplus(logits) - x * logits, axis=-1)
    divergence = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), axis=-1)
    return jnp.mean(rebuilt + divergence)


@jax.jit
def train(params, key, x):
    loss, grads = jax.value_and_grad(negative_elbo)(params, key, x)
    return jax.tree.map(lambda p, g: p - 1e-3 * g, params, grads), loss


def layer(key, inputs, outputs):
    return jax.random.normal(key, (inputs, outputs)) * inputs**-0.5, jnp.zeros(outputs)


keys = jax.random.split(jax.random.key(0), 7)
params = {
    "encoder": layer(keys[0], PIXELS, HIDDEN),
    "mean": layer(keys[1], HIDDEN, LATENT),
    "log_variance": layer(keys[2], HIDDEN, LATENT),
    "decoder": layer(keys[3], LATENT, HIDDEN),
    "out": layer(keys[4], HIDDEN, PIXELS),
}
x = jax.random.uniform(keys[5], (64, PIXELS))
negative_elbo(params, keys[6], x)
train(params, keys[6], x)
