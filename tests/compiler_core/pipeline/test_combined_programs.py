"""Programs of scans and of reductions of tuples, from torch and from JAX: right, and kernels on
both devices, without a library."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core import report
from compiler_core.api.explore import explore
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


def running(x):
    top, place = x.cummax(1)
    return x.cumsum(1).tanh(), top, place, x.flip(1).cumsum(1).flip(1), x.cumsum(0)


def places(x):
    least, where = x.min(1)
    return x.argmax(1), least, where, x.argmin()


def statistics(x):
    return torch.var_mean(x, 1), torch.softmax(x, 1)


def of_jax(x):
    return (
        jnp.cumsum(x, 1), jax.lax.cummax(x, 1, reverse=True), jnp.argmax(x, 1),
        jnp.var(x, 1), jax.nn.softmax(x, 1),
    )  # fmt: skip


PROGRAMS = {
    "running": (running, (40, 300)),
    "places": (places, (40, 300)),
    "statistics": (statistics, (40, 300)),
    "rows of 100,000": (statistics, (4, 100_000)),
}


def explored(fn, x):
    (program,) = explore(fn, x, fuselab_options=report.Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok
    assert {k.backend for k in program.kernels} == {"cpu", "gpu"}
    assert [k.library for k in program.kernels] == [None] * len(program.kernels)
    return program


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_torch(name):
    fn, shape = PROGRAMS[name]
    explored(fn, torch.randn(shape, generator=torch.Generator().manual_seed(1)))


def test_an_arg_max_beside_a_variance_is_not_taken_for_an_online_softmax():
    x = torch.randn((8, 5000), generator=torch.Generator().manual_seed(1))
    program = explored(lambda x: (x.argmax(1), *torch.var_mean(x, 1)), x)
    reasons = [c.reason for k in program.kernels if k.backend == "cpu" for c in k.candidates]
    assert any("a running mean has not the digits of two passes" in r for r in reasons)
    assert not any("exponential" in r for r in reasons)


def test_of_jax():
    x = np.random.default_rng(1).standard_normal((40, 300)).astype(np.float32)
    explored(jax.jit(of_jax), jnp.asarray(x))


@pytest.mark.parametrize("axis", thinned([0, 1], kept=(0,)))
def test_an_associative_scan_of_jax(axis):
    def scans(x):
        add, both = jax.lax.associative_scan(lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1]), (x, x),
                                             axis=axis)  # fmt: skip
        return add, both, jax.lax.associative_scan(jnp.maximum, x, axis=axis)

    explored(jax.jit(scans), jnp.asarray(np.random.default_rng(2).random((7, 11), np.float32)))


def test_a_softmax_over_long_rows_is_the_online_pair_on_a_gpu_and_three_walks_in_c():
    """The model says why: fewer passes over the data are a candidate of both."""
    program = explored(lambda x: torch.softmax(x, 1), torch.randn(4, 100_000))
    texts = {s.backend: s.artifacts[0].text for s in program.stages if s.name in ("c", "triton")}
    assert "combine_fn=online_softmax" in texts["gpu"]
    assert texts["cpu"].count("#pragma omp simd") == 3
    chosen = {k.backend: k.schedule for k in program.kernels}
    assert chosen["gpu"].reason.startswith("2 passes instead of 3: ")
    (left,) = (
        c for c in program.kernels[0].candidates if c.reason.startswith("2 passes instead of 3")
    )
    own = next(c for c in program.kernels[0].candidates if c.chosen)
    assert left.cost_us > own.cost_us
