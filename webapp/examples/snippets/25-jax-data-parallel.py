"""A data-parallel MLP on a mesh (NamedSharding)"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("data"))
everywhere = NamedSharding(mesh, P())


@jax.jit
def gradient(w, v, x, y):
    def loss(w, v):
        h = jax.nn.gelu(x @ w)
        return jnp.mean((h @ v - y) ** 2)

    return jax.grad(loss, argnums=(0, 1))(w, v)


k = jax.random.split(jax.random.key(0), 4)
w = jax.device_put(jax.random.normal(k[0], (128, 256)) / 16, everywhere)
v = jax.device_put(jax.random.normal(k[1], (256, 16)) / 16, everywhere)
x = jax.device_put(jax.random.normal(k[2], (512, 128)), rows)
y = jax.device_put(jax.random.normal(k[3], (512, 16)), rows)
gradient(w, v, x, y)
