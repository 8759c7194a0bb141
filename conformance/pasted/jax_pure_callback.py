import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def f(x):
    y = jax.pure_callback(lambda v: np.sinc(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return y * 2


print(f(jnp.linspace(0, 1, 5)))
