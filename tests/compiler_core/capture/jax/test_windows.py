"""JAX's windows are windows of the IR, whatever they begin with; and gradients of selections."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = np.random.default_rng(0).standard_normal((2, 9, 10, 3)).astype(np.float32)


def pooled(init, function, **more):
    def f(x):
        return lax.reduce_window(x, init, function, (1, 3, 3, 1), (1, 2, 2, 1), "SAME", **more)

    return f


MAX, SUM, MIN = pooled(-np.inf, lax.max), pooled(0.0, lax.add), pooled(np.inf, lax.min)
PROGRAMS = {
    "maximum": MAX,
    "sum": SUM,
    "minimum": MIN,
    "product": pooled(1.0, lax.mul),
    "sum from two on": pooled(2.0, lax.add),
    "maximum from nothing on": pooled(0.0, lax.max),
    "either": lambda x: lax.reduce_window(
        x > 0, False, lax.bitwise_or, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
    ),
    "both": lambda x: lax.reduce_window(
        x > 0, True, lax.bitwise_and, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"
    ),
    "dilated": pooled(1.0, lax.mul, window_dilation=(1, 2, 1, 1), base_dilation=(1, 1, 2, 1)),
    "a computed beginning": lambda x: pooled(x[0, 0, 0, 0], lax.add)(x),
    "gradient of the maximum": jax.grad(lambda x: jnp.sin(MAX(x)).sum()),
    "gradient of the minimum": jax.grad(lambda x: jnp.sin(MIN(x)).sum()),
    "gradient of the sum": jax.grad(lambda x: jnp.sin(SUM(x)).sum()),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert library_calls(agrees(captured("jax", PROGRAMS[name], X))) == []


def test_a_function_that_is_no_monoid_s_stays_jax_s():
    def f(x):
        return lax.reduce_window(x, 0.0, lambda a, b: a + b * b, (1, 3, 3, 1), (1,) * 4, "VALID")

    assert library_calls(captured("jax", f, X)) == ["reduce_window"]
