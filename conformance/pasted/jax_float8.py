import jax, jax.numpy as jnp

@jax.jit
def fp8_dot(x, w):
    E4M3 = jnp.float8_e4m3fn
    def quant(a):
        s = jnp.max(jnp.abs(a)) / jnp.finfo(E4M3).max.astype(a.dtype)
        return jnp.clip(a / s, -448, 448).astype(E4M3), s
    xq, sx = quant(x)
    wq, sw = quant(w)
    y = jax.lax.dot_general(xq, wq, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
    return (y * sx * sw).astype(jnp.bfloat16)

print(fp8_dot(jnp.ones((8, 16)), jnp.ones((16, 8))))

@jax.jit
def dequant(q: jax.Array, s):
    return q.astype(jnp.float32) * s
print(dequant(jnp.arange(8.).astype(jnp.float8_e5m2), 0.5))
