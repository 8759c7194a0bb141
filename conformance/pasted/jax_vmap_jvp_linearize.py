import jax
import jax.numpy as jnp


def f(x):
    return jnp.sin(x) * jnp.sum(x ** 2)


x = jnp.arange(4.0)
print(jax.jit(jax.vmap(f))(jnp.ones((3, 4))).shape)
print(jax.jit(lambda x, t: jax.jvp(f, (x,), (t,)))(x, jnp.ones(4)))
print(jax.jit(lambda x, t: jax.linearize(f, x)[1](t))(x, jnp.ones(4)))
print(jax.jit(lambda x, c: jax.vjp(f, x)[1](c))(x, jnp.ones(4)))
print(jax.jit(jax.hessian(lambda x: jnp.sum(x ** 3)))(x).shape)
print(jax.jit(jax.jacfwd(f))(x).shape)
