"""XLA's total order: by sign, exponent and fraction of a float. lax.top_k orders by it, and a
binary search compares by it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from compiler_core.ir.eval_numpy import evaluate
from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

NAN = np.copysign(np.nan, [1.0, -1.0])
ROW = np.array([1.0, NAN[1], 3.0, -0.0, NAN[0], -np.inf, 0.0, np.inf, NAN[1], -2.0, 0.0])


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float16])
@pytest.mark.parametrize("k", [2, len(ROW)])
def test_nan_with_a_sign_is_the_least_and_zero_more_than_minus_zero(dtype, k):
    x = jnp.asarray(ROW).astype(dtype)
    graph = captured("jax", lambda x: lax.top_k(x, k), x).graph
    values, places = evaluate(graph, [np.asarray(x)])
    theirs = jax.jit(lambda x: lax.top_k(x, k))(x)
    np.testing.assert_array_equal(places, theirs[1])
    np.testing.assert_array_equal(np.signbit(values), np.signbit(theirs[0]))


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32])
def test_comparisons_in_it_are_xlas_own(dtype):
    given = np.arange(11) - 5 if dtype is jnp.int32 else ROW
    x = jnp.asarray(given).astype(dtype)

    def f(x):
        sides = jnp.repeat(x, len(x)), jnp.tile(x, len(x))
        return tuple(p.bind(*sides) for p in (lax.lt_to_p, lax.le_to_p, lax.eq_to_p))

    found = agrees(captured("jax", f, x))
    assert library_calls(found) == []
