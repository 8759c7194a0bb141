import jax
import jax.numpy as jnp

traced = jax.jit(lambda a, b: jnp.maximum(a @ b, 0)).trace(jnp.ones((4, 8)), jnp.ones((8, 2)))
print(traced.jaxpr)
