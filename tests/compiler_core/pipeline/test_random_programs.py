"""Programs that draw random numbers: torch's calls in eager's order, JAX's as kernels."""

import jax
import jax.numpy as jnp
import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]


def drawn_between(x):
    """What the first draw needs could share a kernel with what needs the second."""
    base = x.tanh()
    first = torch.bernoulli(base.abs())
    second = torch.rand_like(x)
    return first, base * second


def in_memory_order(x):
    """Draws follow the memory of what they are for, which here is no row-major one."""
    return F.dropout(x.t().exp(), 0.5), torch.rand_like(x.t()), torch.bernoulli(x.t().abs())


def alike(x):
    return F.dropout(x, 0.3, True) + F.dropout(x, 0.3, True), torch.rand(3) - torch.rand(3)


@pytest.mark.parametrize("fn", [drawn_between, in_memory_order, alike], ids=lambda f: f.__name__)
def test_draws_are_eagers_with_the_same_seed(fn):
    (program,) = explore(fn, torch.rand(64, 30), fuselab_options=Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok
    assert "same seed" in program.numerics["core"].rule
    calls = [k for k in program.kernels if k.library and k.backend == "cpu"]
    assert {k.reason for k in calls} == {"draws random numbers"}
    assert len(calls) == {drawn_between: 2, in_memory_order: 3, alike: 4}[fn]


def test_dropout_of_jax_is_one_kernel():
    def dropout(key, x):
        return jnp.where(jax.random.bernoulli(key, 0.7, x.shape), x / 0.7, 0)

    given = jax.random.key(1), jnp.ones((64, 30))
    (program,) = explore(jax.jit(dropout), *given, fuselab_options=Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok
    assert [(k.backend, k.library) for k in program.kernels] == [("cpu", None), ("gpu", None)]
