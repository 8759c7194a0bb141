import jax
import jax.numpy as jnp


@jax.jit
def f(x, t):
    y, f_jvp = jax.linearize(lambda x: jnp.sin(x) * jnp.cumsum(x), x)
    f_t = jax.linear_transpose(f_jvp, x)
    return y, f_jvp(t), f_t(t)[0], jax.hessian(lambda z: jnp.sum(z**3))(x)


print(f(jnp.arange(4.0), jnp.ones(4)))
