import jax, jax.numpy as jnp
from jax import lax
from functools import partial

def binary_operator(q_i, q_j):
    A_i, b_i = q_i
    A_j, b_j = q_j
    return A_j * A_i, A_j * b_i + b_j

@partial(jax.jit, static_argnames=("conj_sym",))
def apply_ssm(Lambda_bar, B_bar, C_tilde, u, conj_sym=True):
    Lambda_elements = Lambda_bar * jnp.ones((u.shape[0], Lambda_bar.shape[0]))
    Bu = jax.vmap(lambda x: B_bar @ x)(u)
    _, xs = lax.associative_scan(binary_operator, (Lambda_elements, Bu))
    if conj_sym:
        return jax.vmap(lambda x: 2 * (C_tilde @ x).real)(xs)
    return jax.vmap(lambda x: (C_tilde @ x).real)(xs)

key = jax.random.PRNGKey(0)
k1, k2, k3, k4 = jax.random.split(key, 4)
P, H, L = 8, 4, 32
Lam = jnp.exp((-0.5 + 1j * jnp.arange(P)) * 0.1)
B = (jax.random.normal(k1, (P, H)) + 1j * jax.random.normal(k2, (P, H))) / 4
C = (jax.random.normal(k3, (H, P)) + 1j * jax.random.normal(k4, (H, P))) / 4
y = apply_ssm(Lam, B, C, jax.random.normal(key, (L, H)).astype(jnp.complex64))
print(y.shape)
