"""JAX's loops and branches become operations with regions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from compiler_core.capture import capture
from compiler_core.ir.text import to_text
from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)
W = np.linspace(-0.5, 0.5, 36, dtype=np.float32).reshape(6, 6)


def rnn(xs, w):
    def step(h, x):
        h = jnp.tanh(x + h @ w)
        return h, h

    return lax.scan(step, jnp.zeros(6), xs)


def newton(x):
    """sqrt(|x| + 1), to convergence."""
    a = jnp.abs(x) + 1
    start = (a, jnp.float32(1))
    return lax.while_loop(
        lambda c: c[1] > 1e-3, lambda c: ((c[0] + a / c[0]) / 2, c[1] * 0.3), start
    )[0]


TABLE = jnp.arange(6.0)


def conjugate_gradients(x):
    """(A + 1) u = x, with A the negated second difference around each row."""
    a = lambda u: 3 * u - jnp.roll(u, 1, 1) - jnp.roll(u, -1, 1)  # noqa: E731
    return jax.scipy.sparse.linalg.cg(a, x, maxiter=8)[0]


def root(a):
    """x**3 + a x = 1, whose derivative is that of the root, not of the steps towards it."""
    return lax.custom_root(
        lambda x: x**3 + a * x - 1, jnp.ones_like(a) / 2,
        lambda f, start: lax.fori_loop(0, 9, lambda _, x: x - f(x) / (3 * x * x + a), start),
        lambda g, y: y / g(jnp.ones_like(y)),
    )  # fmt: skip


PROGRAMS = {
    "cond": lambda x: lax.cond(x.sum() > 1, lambda v: v * 2, lambda v: v - 1, x),
    "switch": lambda x: lax.switch(1, [jnp.sin, jnp.cos, lambda v: -v], x),
    "switch beyond the last": lambda x: lax.switch(
        x.size, [lambda v: v, lambda v: 2 * v], x
    ),
    "while_loop": newton,
    "fori_loop": lambda x: lax.fori_loop(0, 5, lambda i, v: v * 0.5 + i, x),
    "fori_loop of a length that is data": lambda x: lax.fori_loop(
        0, (x > 0).sum(), lambda i, v: v * 0.5 + i, x
    ),
    "scan": lambda x: rnn(x, W),
    "reversed scan": lambda x: lax.scan(lambda c, v: (c + v, c * v), X[0], x, reverse=True),
    "scan without rows": lambda x: lax.scan(lambda c, _: (c * 0.9, None), x, None, length=7)[0],
    "scan of no steps": lambda x: lax.scan(lambda c, v: (c + v, v), X[0], x[:0]),
    "scan of a tree": lambda x: lax.scan(
        lambda c, v: ({"a": c["a"] + v["x"], "n": c["n"] + 1}, (v["y"], c["n"])),
        {"a": X[0], "n": 0}, {"x": x, "y": 2 * x},
    ),
    "closed over in a nested loop": lambda x: lax.scan(
        lambda c, v: (lax.fori_loop(0, 2, lambda i, u: u * 0.5 + TABLE, c) + v, None), X[0], x
    )[0],
    "a loop in a branch": lambda x: lax.cond(
        x[0, 0] > 5, lambda v: v, lambda v: lax.fori_loop(0, 3, lambda i, u: u * 0.5 + i, v), x
    ),
    "batched condition": jax.vmap(
        lambda v: lax.while_loop(lambda c: (c < 9).all(), lambda c: c * 1.5 + 1, jnp.abs(v))
    ),
    "gradient of a scan": jax.grad(lambda x: rnn(x, W)[1].sum()),
    "gradient by the weights": lambda x: jax.grad(lambda w: (rnn(x, w)[0] ** 2).sum())(W),
    "gradient of a cond": jax.grad(
        lambda x: lax.cond(x.sum() > 1, jnp.sin, lambda v: v**2, x).sum()
    ),
    "gradient of a fori_loop": jax.grad(
        lambda x: lax.fori_loop(0, 4, lambda i, v: jnp.tanh(v) + x, x).sum()
    ),
    "conjugate gradients": conjugate_gradients,
    "derivative of a root": jax.grad(lambda x: root(jnp.abs(x)).sum()),
    "checkpointed step": jax.grad(
        lambda x: lax.scan(jax.checkpoint(lambda c, v: (jnp.sin(c) * v, None)), X[0], x)[0].sum()
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    result = agrees(captured("jax", PROGRAMS[name], X))
    assert library_calls(result) == []


def test_the_text_shows_the_programs_inside():
    result = captured("jax", lambda x: lax.fori_loop(0, 3, lambda i, v: v * 2.0, x), X[0])
    assert result.whole.text == (
        "f(%x: f32[6])\n"
        "  %0 = scan[length=3](0, %x) : (i32[], f32[6])\n"
        "    body(%0.0: i32[], %0.1: f32[6])\n"
        "      %1 = add(%0.0, 1) : i32[]\n"
        "      %2 = mul(%0.1, 2.0) : f32[6]\n"
        "      return %1, %2\n"
        "  return %0#1\n"
    )
    assert result.whole.text_nodes == ((), (0,), (0,), (1,), (2,), (), ())


SNIPPET = """
# inputs: f32[8]
import jax
import jax.numpy as jnp

def f(x):
    def step(v):
        v = jnp.sin(v)
        return v + 1
    return jax.lax.while_loop(lambda v: v.sum() < 20, step, x)
"""


def test_operations_inside_know_their_own_lines():
    result = capture(explore(SNIPPET).programs[0])
    assert [(n.op, n.line) for n in result.nodes] == [
        ("while", 10), ("reduce_sum", 10), ("lt", 10), ("sin", 8), ("add", 9),
    ]  # fmt: skip
    (loop,) = result.graph.operations
    cond, body = loop.regions
    assert [o.origins for o in cond.operations] == [(1,), (2,), (2,)]
    assert body.operations[0].origins == (3,) and loop.origins == (0,)


def test_numbers_need_no_operands():
    result = captured("jax", lambda x: lax.fori_loop(0, 3, lambda i, v: v * 2.0, x), X[0])
    scan = result.graph.outputs[0].operation
    assert len(scan.operands) == 2 and "constant() {value = 2.0}" in to_text(result.graph)


def test_what_a_loop_does_not_use_twice_is_passed_once():
    result = captured(
        "jax", lambda x, w: lax.fori_loop(0, 3, lambda i, v: v @ w + v @ w.T, x), X, W
    )
    scan = result.graph.outputs[0].operation
    assert [str(x.type) for x in scan.operands] == ["i32[]", "f32[4,6]", "f32[6,6]"]


def test_a_loop_that_calls_a_library_stays_jaxs_own():
    def program(x):
        return lax.fori_loop(0, 3, lambda i, v: jnp.fft.fft(v).real + i, x)

    result = agrees(captured("jax", program, X[0]))
    (call,) = (o for o in result.graph.operations if o.op == "library_call")
    assert call["callee"].name == "scan"
    assert call["callee"].reason.startswith("its body calls ")
    assert [n.op for n in result.nodes] == ["scan"]


def test_a_loop_may_sort():
    def program(x):
        return lax.fori_loop(0, 3, lambda i, v: jnp.sort(v)[::-1] + i, x)

    assert library_calls(agrees(captured("jax", program, X[0]))) == []


def test_a_branch_may_call_a_library():
    def program(x):
        return lax.cond(x[0] > 9, jnp.sort, lambda v: v * 2, x)

    result = agrees(captured("jax", program, X[0]))
    assert "case" in [o.op for o in result.graph.operations]
