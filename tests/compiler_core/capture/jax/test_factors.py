"""Small matrices are factorized and solved with by the IR's own operations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.scipy.linalg import cho_factor, cho_solve, solve_triangular

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

A = np.random.RandomState(0).randn(2, 4, 4).astype(np.float32)
SINGULAR = np.array([[0.0, 2, 1], [0, 4, 2], [0, 1, 3]], np.float32)


def _kalman(x):
    def step(covariance, z):
        gain = covariance @ jnp.linalg.inv(covariance + jnp.eye(4))
        return covariance - gain @ covariance + 0.1 * jnp.eye(4), gain @ z

    return lax.scan(step, jnp.eye(4), x[0])


def _newton(x):
    def f(v):
        return jnp.stack([v[0] ** 2 + v[1] ** 2 - 4, jnp.exp(v[0]) + v[1] - 1])

    def more(state):
        return (jnp.abs(f(state[1])).max() > 1e-5) & (state[0] < 20)

    def step(state):
        return state[0] + 1, state[1] - jnp.linalg.solve(jax.jacfwd(f)(state[1]), f(state[1]))

    return lax.while_loop(more, step, (0, x[0, 0, :2] * 0 + jnp.array([1.0, -1.5])))[1]


PROGRAMS = {
    "factors": (lax.linalg.lu, A),
    "of more rows": (lambda x: lax.linalg.lu(x[:, :, :3]), A),
    "of more columns": (lambda x: lax.linalg.lu(x[:, :3]), A),
    "of a singular one": (lax.linalg.lu, SINGULAR),
    "roots": (lambda x: jnp.linalg.cholesky(x @ x.mT + 3 * jnp.eye(4)), A),
    "roots that are none": (jnp.linalg.cholesky, A),
    "a solution": (lambda x: jnp.linalg.solve(x, x[:, :, :2]), A),
    "an inverse": (jnp.linalg.inv, A[0]),
    "a determinant": (jnp.linalg.slogdet, A),
    "by roots": (lambda x: cho_solve(cho_factor(x @ x.T + jnp.eye(4)), x), A[0]),
    "in a loop": (_kalman, A),
    "until it is small": (_newton, A),
    "its gradient": (jax.grad(lambda x: jnp.linalg.inv(x).sum()), A[0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    function, x = PROGRAMS[name]
    assert library_calls(agrees(captured("jax", function, x))) == []


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_systems(trans, lower, unit):
    def program(x):
        left = solve_triangular(x, x[:, :2], trans, lower, unit)
        options = {"lower": lower, "transpose_a": bool(trans), "unit_diagonal": unit}
        return left, lax.linalg.triangular_solve(x, x[:3], **options)

    assert library_calls(agrees(captured("jax", program, A[0] + 2 * np.eye(4)))) == []


@pytest.mark.parametrize("value", [np.nan, -9.0])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_roots_go_as_far_as_those_of_lapack(value, place):
    """A pivot below zero ends the factorization, and all of it is NaN; a NaN does not."""
    x = A[0] @ A[0].T + 3 * np.eye(4, dtype=np.float32)
    x[place, place] = value
    assert library_calls(agrees(captured("jax", jnp.linalg.cholesky, x))) == []


LARGER = np.random.RandomState(1).randn(40, 40).astype(np.float32)


def _covariance(a, b):
    return jnp.exp(-8 * (a[:, None] - b) ** 2)


def _gaussian_process(x):
    """Of 40 points, at 3 others."""
    at, others = jnp.linspace(0, 1, 40), jnp.linspace(0, 1, 3)
    root = jnp.linalg.cholesky(_covariance(at, at) + jnp.eye(40))
    between = solve_triangular(root, _covariance(at, others), lower=True)
    mean = _covariance(others, at) @ cho_solve((root, True), x[0])
    return mean, _covariance(others, others) - between.T @ between


LARGER_PROGRAMS = {
    "roots": lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(40)),
    "a solution": lambda x: jnp.linalg.solve(x, x[:, :2]),
    "a Gaussian process": _gaussian_process,
}


@pytest.mark.parametrize("name", LARGER_PROGRAMS)
def test_of_dozens_of_rows(name):
    assert library_calls(agrees(captured("jax", LARGER_PROGRAMS[name], LARGER))) == []


def test_larger_ones_stay_a_librarys():
    result = captured("jax", lambda x: jnp.linalg.solve(x @ x.T + jnp.eye(97), x), np.ones((97, 2)))
    assert "custom_linear_solve" in library_calls(result)


def test_many_larger_ones_stay_a_librarys():
    many = np.ones((8, 40, 40), np.float32) + 40 * np.eye(40, dtype=np.float32)
    assert library_calls(captured("jax", jnp.linalg.cholesky, many)) == ["cholesky"]
