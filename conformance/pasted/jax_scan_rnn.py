import jax
import jax.numpy as jnp


def rnn_cell(params, h, x):
    return jnp.tanh(x @ params["wx"] + h @ params["wh"] + params["b"])


@jax.jit
def rnn(params, xs):
    h0 = jnp.zeros(params["b"].shape)

    def step(h, x):
        h = rnn_cell(params, h, x)
        return h, h

    return jax.lax.scan(step, h0, xs)


k = jax.random.key(0)
params = {"wx": jax.random.normal(k, (4, 8)), "wh": jnp.eye(8), "b": jnp.zeros(8)}
print(rnn(params, jnp.ones((10, 4)))[1].shape)
