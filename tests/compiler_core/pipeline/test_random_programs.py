"""Programs that draw random numbers: torch's calls in eager's order, JAX's as kernels."""

import jax
import jax.numpy as jnp
import pytest
import torch
import torch.nn.functional as F

from compiler_core import explore
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


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


def read_in_another_order(x):
    """What is drawn second is read first."""
    first, second = F.dropout(x, 0.5), torch.rand_like(x)
    return second - first


def partly_read(x):
    """What is drawn and not read moves the generator on all the same."""
    torch.rand_like(x)
    first = F.dropout(x, 0.5)
    torch.empty(7).normal_()
    return first - torch.rand_like(x)


def explored(fn, *args):
    (program,) = explore(fn, *args, fuselab_options=Options(measure=False)).programs
    return program


# How often each draws.
CALLS = {drawn_between: 2, in_memory_order: 3, alike: 4, read_in_another_order: 2, partly_read: 4}


def summary_of(program):
    return next(s.summary for s in program.stages if s.kind == "numerics")


@pytest.mark.parametrize("fn", CALLS, ids=lambda f: f.__name__)
def test_draws_are_eagers_with_the_same_seed(fn):
    program = explored(fn, torch.rand(64, 30))
    assert program.error is None and program.numerics["core"].ok
    assert "one seed" in summary_of(program)
    calls = [k for k in program.kernels if k.library and k.backend == "cpu"]
    assert {k.reason for k in calls} == {"draws random numbers"}
    assert len(calls) == CALLS[fn]


def test_dropout_of_jax_is_one_kernel():
    def dropout(key, x):
        return jnp.where(jax.random.bernoulli(key, 0.7, x.shape), x / 0.7, 0)

    given = jax.random.key(1), jnp.ones((64, 30))
    (program,) = explore(jax.jit(dropout), *given, fuselab_options=Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok
    assert [(k.backend, k.library) for k in program.kernels] == [("cpu", None), ("gpu", None)]


# -- the reference is in float64, with eager's own random numbers


def inexact(x):
    """Eager loses what is small in f32."""
    return F.dropout(x, 0.5, True) + 1e4 - 1e4 + torch.randn(64, 30) / 8, torch.randperm(9)


def trained(x):
    """Of several graphs, with a loss in between; normal_ and uniform_ write to what they get."""
    w = x.detach().clone().requires_grad_()
    noise = torch.empty(64, 30).normal_().add_(torch.empty(64, 30).uniform_(-1, 1))
    F.dropout(w * noise, 0.3, True).pow(2).sum().backward()
    return w.grad


@pytest.mark.parametrize("fn", [inexact, trained], ids=lambda f: f.__name__)
def test_both_errors_are_those_against_float64(fn):
    program = explored(fn, torch.rand(64, 30))
    eager, core = program.numerics["eager"], program.numerics["core"]
    assert eager.ok and core.ok and 0 < eager.max_abs_error < 1e-2
    assert core.max_abs_error < 2 * eager.max_abs_error and "twice eager's" in core.rule


def test_what_is_drawn_out_of_sight_is_held_against_eager():
    program = explored(lambda x: F.rrelu(x - 0.5, training=True) * 2, torch.rand(64, 30))
    assert program.numerics["core"].ok
    assert "rrelu_with_noise" in program.numerics["core"].rule
    assert "rrelu_with_noise" in summary_of(program)


def test_a_program_that_draws_other_numbers_in_float64_is_held_against_eager():
    def fn(x):
        draw = torch.randn if torch.ones(()).dtype is torch.float64 else torch.rand
        return x * draw(5)

    program = explored(fn, torch.rand(5))
    assert (
        program.numerics["core"].ok and "does not run in float64" in program.numerics["core"].rule
    )
