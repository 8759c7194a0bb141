import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve, solve_triangular

def rbf(x1, x2, ls, var):
    d = ((x1[:, None] - x2[None]) / ls) ** 2
    return var * jnp.exp(-0.5 * d.sum(-1))

def nll(params, X, y):
    ls, var, noise = jnp.exp(params["ls"]), jnp.exp(params["var"]), jnp.exp(params["noise"])
    K = rbf(X, X, ls, var) + noise * jnp.eye(X.shape[0])
    L = jnp.linalg.cholesky(K)
    a = solve_triangular(L.T, solve_triangular(L, y, lower=True), lower=False)
    return 0.5 * y @ a + jnp.log(jnp.diag(L)).sum() + 0.5 * len(y) * jnp.log(2 * jnp.pi)

@jax.jit
def predict(params, X, y, Xs):
    K = rbf(X, X, jnp.exp(params["ls"]), 1.0) + 1e-2 * jnp.eye(len(X))
    c = cho_factor(K)
    Ks = rbf(Xs, X, jnp.exp(params["ls"]), 1.0)
    mu = Ks @ cho_solve(c, y)
    cov = rbf(Xs, Xs, jnp.exp(params["ls"]), 1.0) - Ks @ cho_solve(c, Ks.T)
    return mu, jnp.sqrt(jnp.clip(jnp.diag(cov), 1e-9))

X = jnp.linspace(-3, 3, 20)[:, None]
y = jnp.sin(X[:, 0])
p = {"ls": jnp.zeros(1), "var": jnp.array(0.), "noise": jnp.array(-2.)}
g = jax.jit(jax.grad(nll))(p, X, y)
print(g, predict(p, X, y, jnp.linspace(-4, 4, 7)[:, None])[0])
