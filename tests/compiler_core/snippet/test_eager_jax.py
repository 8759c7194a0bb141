"""What JAX compiles for a snippet's own operations is optimized less, with the same numbers, and
is not what is measured."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler

from compiler_core.reference.xla import anew
from compiler_core.snippet import eager_jax
from compiler_core.snippet.source import Source
from tests.compiler_core.snippets import explore
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

_OF_JAX = Source.parse("import jax")
# XLA's own, which the tests' environment changes.
_USUAL = {"xla_backend_optimization_level": 3, "xla_llvm_disable_expensive_passes": False}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, bool]]]:
    """The name of each module that XLA is given, which is each, and whether it is to be compiled
    quickly."""
    found: list[tuple[str, bool]] = []
    real = compiler.backend_compile_and_load

    def compile_(backend, module, devices, options, *rest):
        overrides = dict(options.env_option_overrides)
        name = str(module.operation.attributes["sym_name"]).strip('"')
        found.append((name, "xla_backend_optimization_level" in overrides))
        return real(backend, module, devices, options, *rest)

    monkeypatch.setattr(compiler, "backend_compile_and_load", compile_)
    with anew.compiling():
        yield found


def test_what_draws_is_compiled_quickly_and_what_the_snippet_compiles_is_not(asked):
    explore(
        """
        import jax

        @jax.jit
        def doubled(x):
            return x * 2 + x.shape[0]

        doubled(jax.random.normal(jax.random.key(3), (31, 17)))
        """
    )
    assert ("jit__normal", True) in asked and ("jit_doubled", False) in asked


DRAWN = ["normal", "uniform", "exponential", "truncated_normal", "gamma"]


@pytest.mark.parametrize("name", thinned(DRAWN, kept=("normal", "truncated_normal")))
def test_numbers_drawn_are_the_same_to_the_last_bit(name):
    rest = {"truncated_normal": (-2.0, 2.0), "gamma": (2.0,)}.get(name, ())

    def draw():
        return getattr(jax.random, name)(jax.random.key(5), *rest, shape=(211, 3))

    usual = np.asarray(jax.jit(draw).lower().compile(_USUAL)())
    with eager_jax.compiled_quickly(_OF_JAX):
        np.testing.assert_array_equal(draw(), usual)


def test_what_was_compiled_quickly_is_not_used_afterwards(asked):
    x = jnp.ones((3, 37))
    with eager_jax.compiled_quickly(_OF_JAX):
        jnp.tanh(x)
    jnp.tanh(x)
    assert [quickly for name, quickly in asked if name == "jit_tanh"] == [True, False]
