"""JAX programs in float64, whatever types they name, and in no other thread than this."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import checkify

from compiler_core.capture import capture
from compiler_core.capture.jax import float64
from compiler_core.capture.jax.float64 import InFloat64, evaluate
from compiler_core.capture.jax.traces import Traces
from compiler_core.capture.jax.within import jaxprs_within
from compiler_core.snippet.program import FoundProgram
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
X = np.array([0.1, 0.7, -1.3, 2.9], np.float32)


def named_types(x):
    return x.astype(jnp.bfloat16).astype(jnp.float16) + jnp.ones(4, jnp.float32) / 3


def loops(x):
    total, parts = lax.scan(lambda c, v: (c + v, c * v), jnp.float32(0), x)
    _, grown = lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 1.1), (0, x))
    either = lax.cond(total > 0, lambda v: v / 3, lambda v: v, x)
    return total, parts, grown, either


def derivatives(x):
    return jax.grad(lambda v: jax.nn.relu(jnp.tanh(v)).sum())(x), jax.jvp(jnp.sin, (x,), (x,))


def library(x):
    square = jnp.outer(x, x) + 4 * jnp.eye(4)
    return jnp.linalg.solve(square, x), lax.associative_scan(jnp.add, x), x.at[::2].add(1.0)


ORACLE = {
    named_types: lambda x: x + 1 / 3,
    loops: lambda x: (
        x.sum(), np.cumsum([0, *x[:-1]]) * x, x * 1.1**3, x / 3,
    ),
    derivatives: lambda x: (np.where(x > 0, 1 - np.tanh(x) ** 2, 0), np.sin(x), x * np.cos(x)),
    library: lambda x: (
        np.linalg.solve(np.outer(x, x) + 4 * np.eye(4), x), np.cumsum(x), np.add(x, [1, 0, 1, 0])
    ),
}  # fmt: skip


@pytest.mark.parametrize("program", ORACLE, ids=lambda f: f.__name__)
def test_every_operation_is_in_float64(program):
    expected = ORACLE[program](X.astype(np.float64))
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(evaluate(program, (X,), {}), expected, strict=True):
        assert got.dtype == np.float64
        # The literals of a program that names f32 are f32's.
        np.testing.assert_allclose(got, want, rtol=2e-7)


def test_sums_are_exact():
    """In f32 the small number is lost."""
    (got,) = evaluate(lambda x: (x + 1e8) - 1e8, (X,), {})
    np.testing.assert_allclose(got, X, atol=1e-7)


def test_random_numbers_are_those_of_the_programs_own_types():
    key = jax.random.key(3)
    (got,) = evaluate(lambda k: jax.random.uniform(k, (8,)), (key,), {})
    np.testing.assert_array_equal(got, np.asarray(jax.random.uniform(key, (8,)), np.float64))


DRAWN = [("gamma", jax.random.key), ("poisson", jax.random.PRNGKey)]


@pytest.mark.parametrize(("draw", "key"), thinned(DRAWN, kept=DRAWN[:1]))
def test_numbers_drawn_until_a_value_says_so_are_those_of_the_programs_own_types(draw, key):
    (got,) = evaluate(DRAWS[draw], (key(3),), {})
    np.testing.assert_allclose(got, DRAWS[draw](key(3)), rtol=1e-5, atol=1e-6)


DRAWS = {
    "gamma": lambda key: jax.random.gamma(key, 2.5, (64,)),
    "poisson": lambda key: jax.random.poisson(key, 30.5, (64,)),
}


def test_a_scan_that_draws_is_in_float64():
    def fn(key, x):
        return lax.scan(
            lambda c, k: (c + 1e8 - 1e8, jax.random.uniform(k)), x, jax.random.split(key)
        )

    got, _ = evaluate(fn, (jax.random.key(0), X), {})
    np.testing.assert_allclose(got, X, atol=1e-7)


def test_bits_are_those_of_the_programs_own_types():
    (got,) = evaluate(lambda x: lax.bitcast_convert_type(x, jnp.int32), (X,), {})
    np.testing.assert_array_equal(got, X.view(np.int32))


def test_integers_keep_their_types():
    (got,) = evaluate(lambda i: i * 3 + 1, (np.arange(4, dtype=np.int32),), {})
    assert got.dtype == np.int32


def test_64_bit_types_are_allowed_inside_only():
    evaluate(named_types, (X,), {})
    assert jnp.ones(3).dtype == np.float32 and not jax.config.jax_enable_x64


def test_with_other_numbers_a_program_is_not_compiled_again(monkeypatch):
    run, runs = float64._run, []
    monkeypatch.setattr(float64, "_run", lambda *given: runs.append(given) or run(*given))
    program = InFloat64(Traces(lambda x: x * 3))
    for given, times in ((X, 1), (X + 1, 1), (X[:2], 2)):
        (got,) = program((given,), {})
        np.testing.assert_allclose(got, given.astype(np.float64) * 3)
        assert len(runs) == times


def test_what_xla_has_no_code_for_at_its_quickest_is_compiled_as_usual():
    (got,) = evaluate(lambda x: lax.clamp(False, x, x), (np.array([True, False]),), {})
    np.testing.assert_array_equal(got, [True, False])


@pytest.mark.parametrize(
    ("program", "quickly"),
    [
        (lambda x: jnp.tanh(x) @ x, True),
        (lambda x: jnp.convolve(x, x), False),
        (jax.jit(jnp.cumsum), False),
        (lambda x: lax.scan(lambda c, v: (c, jnp.convolve(x, x)), x, x), False),
        (lambda x: jnp.broadcast_to(x, (1 << 19, 4)).sum(), False),
    ],
    ids=["product", "convolution", "within a call", "within a loop", "many elements"],
)
def test_what_runs_long_unless_it_is_optimized_is_optimized(program, quickly, monkeypatch):
    asked, jit = [], jax.jit

    def listening(fn, **options):
        compiled = jit(fn, **options)
        return lambda *given: (
            asked.append("xla_backend_optimization_level" in options["compiler_options"])
            or compiled(*given)
        )

    monkeypatch.setattr(float64.jax, "jit", listening)
    evaluate(program, (X,), {})
    assert asked == [quickly]


def test_an_error_of_checkify_has_the_same_number_whenever_its_program_is_traced():
    def indexed(x, i):
        checkify.check(i >= 0, "{i} is negative", i=i)
        return x[i]

    program = FoundProgram("indexed", "jax", 1, checkify.checkify(indexed), (X, -1))
    captured = capture(program)
    numbers = [int(run(captured.arguments)[1]) for run in (captured.exact, captured.eager)]
    assert numbers == [1, 1]


def test_an_equations_programs_are_found_among_its_parameters():
    jaxpr = jax.make_jaxpr(loops)(X).jaxpr
    inner = {eqn.primitive.name: len(list(jaxprs_within(eqn))) for eqn in jaxpr.eqns}
    assert {name: n for name, n in inner.items() if n} == {"scan": 1, "while": 2, "cond": 2}
