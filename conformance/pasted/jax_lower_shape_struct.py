import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return jax.nn.gelu(x @ w)


spec = jax.ShapeDtypeStruct
print(step.lower(spec((64, 32), jnp.bfloat16), spec((8, 64), jnp.bfloat16)).compile().as_text()[:40])
