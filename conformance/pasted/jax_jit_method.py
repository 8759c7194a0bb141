from functools import partial

import jax
import jax.numpy as jnp


class CustomClass:
    def __init__(self, x, mul):
        self.x = x
        self.mul = mul

    @partial(jax.jit, static_argnums=0)
    def calc(self, y):
        if self.mul:
            return self.x * y
        return y


print(CustomClass(2, True).calc(jnp.arange(3)))
