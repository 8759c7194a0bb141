import jax
import jax.numpy as jnp
from jax.scipy.optimize import minimize
from jax.scipy.sparse.linalg import cg, gmres
from jax.scipy.ndimage import map_coordinates


def rosenbrock(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@jax.jit
def solve(x0):
    return minimize(rosenbrock, x0, method="BFGS", options=dict(maxiter=20)).x


@jax.jit
def newton_cg_step(w, X, y):
    def loss(w):
        return jnp.mean(jax.nn.softplus(-y * (X @ w))) + 1e-2 * w @ w
    g = jax.grad(loss)(w)
    hvp = lambda v: jax.jvp(jax.grad(loss), (w,), (v,))[1]
    d, _ = cg(hvp, -g, maxiter=10)
    return w + d


@jax.jit
def warp(img, flow):
    h, w = img.shape
    grid = jnp.mgrid[0:h, 0:w].astype(jnp.float32) + flow
    return map_coordinates(img, grid, order=1, mode="nearest")


print(solve(jnp.zeros(3)))
key = jax.random.PRNGKey(0)
X = jax.random.normal(key, (64, 8))
y = jnp.sign(X @ jnp.arange(8.0))
print(newton_cg_step(jnp.zeros(8), X, y))
print(warp(jax.random.uniform(key, (16, 16)), 0.3 * jnp.ones((2, 16, 16))).sum())
