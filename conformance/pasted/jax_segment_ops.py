import jax
import jax.numpy as jnp


@jax.jit
def gnn(x, src, dst, e):
    msg = jax.nn.relu(x[src] + e)
    agg = jax.ops.segment_sum(msg, dst, num_segments=6)
    mx = jax.ops.segment_max(msg, dst, num_segments=6)
    pr = jax.ops.segment_prod(msg + 1, dst, num_segments=6)
    mn = jax.ops.segment_min(msg, dst, num_segments=6)
    deg = jnp.bincount(dst, length=6)
    return agg / jnp.maximum(deg, 1)[:, None] + jnp.where(jnp.isfinite(mx), mx, 0) + pr, mn


print(gnn(jnp.ones((6, 4)), jnp.array([0, 1, 2, 3, 4]), jnp.array([1, 1, 0, 5, 5]), jnp.ones((5, 4)))[0])
