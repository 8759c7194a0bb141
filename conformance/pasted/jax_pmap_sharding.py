import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))
sharding = NamedSharding(mesh, P("x"))
x = jax.device_put(jnp.arange(32.0).reshape(8, 4), sharding)


@jax.jit
def f(x):
    x = jax.lax.with_sharding_constraint(x, sharding)
    return jnp.sin(x) * 2


print(f(x).sharding)
print(jax.pmap(lambda v: v ** 2)(jnp.ones((1, 4))))
