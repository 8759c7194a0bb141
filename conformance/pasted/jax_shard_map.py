import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:1]), ("batch",))


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P("batch", None), P(None, None)), out_specs=P("batch", None))
def matmul(a, b):
    return jnp.dot(a, b)


print(matmul(jnp.ones((8, 4)), jnp.ones((4, 2))).shape)
