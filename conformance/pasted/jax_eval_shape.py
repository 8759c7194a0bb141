import jax
import jax.numpy as jnp


def f(A, x):
    return jnp.tanh(jnp.dot(A, x))


class MyArgArray:
    def __init__(self, shape, dtype):
        self.shape = shape
        self.dtype = jnp.dtype(dtype)


A = MyArgArray((200, 100), jnp.float32)
x = MyArgArray((100, 50), jnp.float32)
print(jax.eval_shape(f, A, x).shape)
