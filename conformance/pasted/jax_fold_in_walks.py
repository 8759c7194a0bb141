import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnums=(1, 2))
def walks(key, n, steps):
    def one(i):
        k = jax.random.fold_in(key, i)
        def body(pos, t):
            d = jax.random.randint(jax.random.fold_in(k, t), (), 0, 4)
            pos = pos + jnp.array([[1, 0], [-1, 0], [0, 1], [0, -1]])[d]
            return pos, pos
        return jax.lax.scan(body, jnp.zeros(2, jnp.int32), jnp.arange(steps))[1]
    return jax.vmap(one)(jnp.arange(n))


@jax.jit
def metropolis(key, x):
    logp = lambda x: -0.5 * jnp.sum(x ** 2) + jnp.log1p(jnp.exp(-jnp.abs(x[0])))
    def step(x, k):
        k1, k2 = jax.random.split(k)
        y = x + 0.5 * jax.random.normal(k1, x.shape)
        ok = jnp.log(jax.random.uniform(k2)) < logp(y) - logp(x)
        x = jnp.where(ok, y, x)
        return x, (x, ok)
    return jax.lax.scan(step, x, jax.random.split(key, 40))


@jax.jit
def draws(key):
    ks = jax.random.split(key, 12)
    return (jax.random.permutation(ks[0], 10), jax.random.choice(ks[1], 8, (5,), replace=False),
            jax.random.gumbel(ks[2], (4,)), jax.random.exponential(ks[3], (4,)), jax.random.laplace(ks[4], (4,)),
            jax.random.truncated_normal(ks[5], -1.0, 1.0, (4,)), jax.random.dirichlet(ks[6], jnp.ones(3)),
            jax.random.categorical(ks[7], jnp.zeros((3, 5))), jax.random.multivariate_normal(ks[8], jnp.zeros(2), jnp.eye(2)),
            jax.random.bits(ks[9], (3,)), jax.random.gamma(ks[10], 2.0, (4,)), jax.random.orthogonal(ks[11], 3))


print(walks(jax.random.key(3), 5, 12)[:, -1])
print(metropolis(jax.random.PRNGKey(1), jnp.zeros(2))[0])
print(draws(jax.random.PRNGKey(2))[0])
