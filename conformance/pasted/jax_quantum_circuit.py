# quantum circuits as tensors: complex numbers in JAX
import jax
import jax.numpy as jnp

H = jnp.array([[1, 1], [1, -1]], dtype=jnp.complex64) / jnp.sqrt(2)


def apply_gate(state, gate, qubit):
    state = jnp.tensordot(gate, state, axes=[[1], [qubit]])
    return jnp.moveaxis(state, 0, qubit)


def rx(t):
    c, s = jnp.cos(t / 2), jnp.sin(t / 2)
    return jnp.array([[c, -1j * s], [-1j * s, c]])


def cnot(state, c, t):
    n = state.ndim
    idx0 = [slice(None)] * n
    idx1 = list(idx0)
    idx1[c] = 1
    return state.at[tuple(idx1)].set(jnp.flip(state[tuple(idx1)], axis=t if t < c else t - 1))


@jax.jit
def circuit(thetas):
    n = thetas.shape[1]
    state = jnp.zeros((2,) * n, jnp.complex64).at[(0,) * n].set(1)
    for layer in thetas:
        for q in range(n):
            state = apply_gate(state, rx(layer[q]), q)
        for q in range(n - 1):
            state = cnot(state, q, q + 1)
    probs = jnp.abs(state) ** 2
    z = probs.sum(axis=tuple(range(1, n)))
    return z[0] - z[1]


thetas = jax.random.uniform(jax.random.key(0), (3, 4), maxval=2 * jnp.pi)
print(circuit(thetas))
print(jax.jit(jax.grad(circuit))(thetas))
