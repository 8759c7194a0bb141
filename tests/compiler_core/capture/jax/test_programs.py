"""JAX programs become the IR's own operations, and stay right."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
N = np.arange(24, dtype=np.int32).reshape(4, 6) - 7

PROGRAMS = {
    "softmax": jax.nn.softmax,
    "log_softmax": jax.nn.log_softmax,
    "gelu": jax.nn.gelu,
    "exact gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "silu": jax.nn.silu,
    "relu": jax.nn.relu,
    "softplus": jax.nn.softplus,
    "standardize": jax.nn.standardize,
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=1),
    "var": jnp.var,
    "norm": jnp.linalg.norm,
    "product": lambda x: x @ x.T,
    "einsum": lambda x: jnp.einsum("ik,jk->ij", x, x),
    "where": lambda x: jnp.where(x > 0, x, 0.1 * x),
    "select by a number": lambda x: lax.select_n(np.bool_(True), x, 2 * x),
    "slices": lambda x: x[1:3, ::2] + x[0, :3],
    "negative padding": lambda x: lax.pad(x, 0.0, ((1, -1, 0), (-2, 3, 1))),
    "reshape in another order": lambda x: lax.reshape(x, (3, 8), (1, 0)),
    "associative scan": lambda x: lax.associative_scan(jnp.add, x, axis=1),
    "concatenate": lambda x: jnp.concatenate([x, 2 * x], axis=1),
    "stack": lambda x: jnp.stack([x, 2 * x, jnp.ones_like(x)], axis=1),
    "unstack": lambda x: jnp.unstack(x, axis=1)[2] + jnp.unstack(x, axis=1)[4],
    "tile": lambda x: jnp.tile(x, (3, 2)),
    "bits": lambda x: lax.bitcast_convert_type(x, jnp.int32) >> 3,
    "reverse": lambda x: x[::-1],
    "cumsum": lambda x: jnp.cumsum(x, axis=0),
    "cummax": lambda x: lax.cummax(x, axis=1, reverse=True),
    "argmax": lambda x: jnp.argmax(x, axis=1),
    "powers": lambda x: x**3 + x**7 - (x + 4) ** -2 + (x + 4) ** 0.3,
    "circular": lambda x: jnp.sin(x) + jnp.arctan(x) + jnp.arcsin(x / 4) + jnp.arccos(x / 4),
    "hyperbolic": lambda x: jnp.sinh(x) + jnp.cosh(x) + jnp.arcsinh(x) + jnp.arctanh(x / 4),
    "clip": lambda x: jnp.clip(x, -1, 1),
    "rounding": lambda x: jnp.round(x) + jnp.floor(x) + jnp.ceil(x) + jnp.sign(x),
    "iota": lambda x: x + jnp.arange(6),
    "searched": lambda x: jnp.searchsorted(jnp.sort(x[0]), x, method="sort"),
    "interpolated": lambda x: jnp.interp(x, jnp.arange(-4.0, 4), jnp.arange(8.0) ** 2),
    "of each platform": lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
    "of other platforms": lambda x: lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos),
    "products by groups": lambda x: lax.ragged_dot(
        x, jnp.arange(36.0).reshape(2, 6, 3) - 9, jnp.array([1, 3])
    ),
    "bfloat16": lambda x: jnp.tanh(x.astype(jnp.bfloat16)) * 2,
    "preferred type": lambda x: jnp.matmul(
        x.astype(jnp.bfloat16), x.T.astype(jnp.bfloat16), preferred_element_type=jnp.float32
    ),
    "gradient": jax.grad(lambda x: (jax.nn.gelu(x) ** 2).sum()),
    "value and gradient": jax.value_and_grad(lambda x: jax.nn.softmax(x).max()),
    "vmap": jax.vmap(lambda row: row / row.sum()),
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(jnp.cos(x))),
    "closed over": lambda x: x + jnp.asarray(X) * 2,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert library_calls(agrees(captured("jax", PROGRAMS[name], X))) == []


INTEGERS = {
    "arithmetic": lambda i: (i * 3 - 1) // 2,
    "remainder": lambda i: i % 5,
    "bits": lambda i: (i & 6) | (i ^ 3) << 1 >> 2,
    "logic": lambda i: jnp.all(i > 0) | jnp.any(i < -3),
    "sum": lambda i: i.sum(axis=0),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    assert library_calls(agrees(captured("jax", INTEGERS[name], N))) == []


def test_custom_vjp():
    @jax.custom_vjp
    def double(x):
        return x * 2

    double.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 7,))
    agrees(captured("jax", double, X))
    agrees(captured("jax", jax.grad(lambda x: double(x).sum()), X))


def test_trees_go_in_and_come_out():
    def program(params, x):
        return {"y": x @ params["w"], "n": (params["b"],)}

    result = agrees(captured("jax", program, {"w": X.T, "b": X[0]}, X))
    assert result.rebuild([1, 2]) == {"n": (1,), "y": 2}
    assert "%params[w]: f32[6,4]" in result.whole.text


def test_static_arguments_are_fixed():
    def program(x, n, scale=1, *, flip=False):
        return -x * n * scale if flip else x * n

    result = captured(
        "jax", program, X, 3, kwargs={"flip": True, "scale": 2.0},
        static_argnums=(1,), static_argnames=("flip",),
    )  # fmt: skip
    agrees(result)
    assert [str(p.type) for p in result.graph.inputs] == ["f32[4,6]", "f32[]"]


def test_keys_travel_as_their_words():
    def program(key, x):
        return x + jax.random.uniform(key, (6,))

    result = agrees(captured("jax", program, jax.random.key(3), X))
    assert str(result.graph.inputs[0].type) == "u32[2]"
    assert library_calls(agrees(result)) == []


def test_complex_numbers_pass_through_library_calls():
    agrees(captured("jax", lambda x: jnp.abs(jnp.fft.fft(x)) + 1, X))


def test_what_has_an_effect_and_no_result_is_told_and_left_out():
    def program(x):
        jax.debug.print("sum {}", x.sum())
        return x * 2

    result = agrees(captured("jax", program, X))
    assert library_calls(result) == []
    (line,) = [text for text in result.whole.text.splitlines() if "debug_print" in text]
    assert line.endswith("# an effect alone: not in the graph")
    assert result.effects == (("jax.debug.print", 1),)


def test_a_callback_with_a_result_is_a_library_call():
    def program(x):
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x) * 2

    assert library_calls(agrees(captured("jax", program, X))) == ["pure_callback"]


LIBRARY = {
    "fft": (lambda x: jnp.fft.rfft(x).real, "fft", "there is no rule for fft of complex numbers"),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_what_has_no_rule_is_a_labelled_library_call(name):
    program, primitive, reason = LIBRARY[name]
    result = agrees(captured("jax", program, X))
    call = next(n for n in result.graph.operations if n.op == "library_call")
    assert (call["callee"].name, call["callee"].reason) == (primitive, reason)
