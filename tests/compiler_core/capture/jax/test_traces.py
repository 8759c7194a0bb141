"""Where nothing is timed, a program with loops is run by its trace, whose loops are compiled
once."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from compiler_core.measure.runnable import eager
from tests.compiler_core.capture.oracle import captured

pytestmark = pytest.mark.cpu
X = np.arange(4, dtype=np.float32)


def _program(ran):
    def f(x):
        ran.append(len(ran))
        return {"sum": lax.scan(lambda c, v: (c + v, None), jnp.float32(0), x)[0], "x": x + 1}

    return f


def test_a_loop_is_traced_for_the_first_of_several_calls():
    ran: list[int] = []
    version = eager(captured("jax", _program(ran), X), "jax")
    first = len(ran)
    for given in (X, 2 * X):
        total, more = version.run([jnp.asarray(given)])
        assert (float(total), more.tolist()) == (given.sum(), (given + 1).tolist())
    assert len(ran) == first


def test_what_is_timed_is_the_program_itself():
    ran: list[int] = []
    version = eager(captured("jax", _program(ran), X), "jax")
    first, given = len(ran), version.prepare([jnp.asarray(X)])
    for count in (1, 2):
        version.finished(given)
        assert len(ran) == first + count


def test_without_loops_every_call_is_the_programs_own():
    ran: list[int] = []
    version = eager(captured("jax", lambda x: (ran.append(0), x * 2)[1], X), "jax")
    for _ in range(2):
        version.run([jnp.asarray(X)])
    assert len(ran) == 3  # captured, and called twice
