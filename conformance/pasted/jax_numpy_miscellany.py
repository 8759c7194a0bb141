import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

@functools.partial(jax.jit, static_argnames=("kernel", "mode"))
def conv_block(x, w, *, kernel=3, mode="SAME"):
    y = lax.conv_general_dilated(x, w, (1, 1), mode, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, kernel, kernel, 1), (1, 2, 2, 1), "SAME")
    mu, var = y.mean((0, 1, 2)), y.var((0, 1, 2))
    return (y - mu) * lax.rsqrt(var + 1e-5)

out = conv_block(np.random.randn(2, 16, 16, 3).astype(np.float32), np.random.randn(3, 3, 3, 8).astype(np.float32))

@jax.jit
def misc(x, i):
    a = x.at[i].add(1.0, mode="drop")
    b = lax.dynamic_slice(x, (i,), (3,))
    c = jnp.select([x > 0.5, x > 0], [x, x * 2], -1)
    d = jnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, jnp.sqrt])
    e = jnp.interp(x, jnp.linspace(0, 1, 5), jnp.arange(5.) ** 2)
    f = jnp.histogram(x, bins=4, range=(0., 1.))[0]
    g = jnp.unique(jnp.round(x * 4), size=4, fill_value=-1)
    h = jnp.nonzero(x > 0.3, size=5, fill_value=0)[0]
    k = jnp.percentile(x, 30.), jnp.median(x), jnp.convolve(x, jnp.ones(3) / 3, mode="same")
    m = lax.switch(i % 3, [lambda v: v.sum(), lambda v: v.max(), lambda v: v.prod()], x)
    return a, b, c, d, e, f, g, h, k, m
print(misc(jnp.linspace(-0.2, 1, 10), 2))
