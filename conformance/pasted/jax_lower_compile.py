import jax
import jax.numpy as jnp


def f(x, y):
    return 2 * x + y


x, y = jnp.ones(16), jnp.arange(16.0)
lowered = jax.jit(f).lower(x, y)
print(lowered.as_text())
compiled = lowered.compile()
print(compiled.cost_analysis() is not None)
