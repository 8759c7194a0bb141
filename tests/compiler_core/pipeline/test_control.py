"""Loops and branches end to end: captured, planned, run as C, and as right as JAX."""

from functools import reduce

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

rng = np.random.default_rng(0)
xs = rng.standard_normal((20, 4, 8), dtype=np.float32)
w = rng.standard_normal((8, 8), dtype=np.float32) / 4


def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(x + h @ w)
        return h, h

    return lax.scan(step, jnp.zeros((4, 8)), xs)
"""
PROGRAMS = {
    "gradient of a scan": "jax.jit(jax.grad(lambda w: rnn(w, xs)[1].mean()))(w)",
    "batched scan": "jax.jit(jax.vmap(lambda x: rnn(w, x)[1], in_axes=1))(xs[:, None])",
    "fori_loop": "jax.jit(lambda n, x: lax.fori_loop(0, n, lambda i, v: v * 0.9 + i, x))(7, xs[0])",
    "switch": (
        "jax.jit(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v @ w], x))(2, xs[0])"
    ),
    "gradient of a cond": (
        "jax.jit(jax.grad(lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.exp, x).sum()))(xs[0])"
    ),
    "loop in a loop": (
        "jax.jit(lambda x: lax.scan(lambda c, v: "
        "(lax.while_loop(lambda u: jnp.abs(u).max() > 1, lambda u: u / 2, c + v), c), x[0], x))(xs)"
    ),
}


def program_of(call: str) -> report.Program:
    events: list[report.Event] = []
    explore(HEAD + call + "\n", report.Options(measure=False, device="cpu"), events.append)
    (program,) = reduce(report.apply, events, report.Report()).programs
    return program


@pytest.mark.parametrize("name", thinned(PROGRAMS, kept=PROGRAMS.keys() - {"gradient of a cond"}))
def test_it_reaches_the_end_natively_and_is_right(name: str) -> None:
    program = program_of(PROGRAMS[name])
    assert program.status == "ok", program.error
    assert program.numerics["core"].ok, program.numerics["core"].error
    assert {k.library for k in program.kernels} <= {None, "matmul"}
    assert {k.schedule.strategy for k in program.kernels if k.backend == "cpu"}.isdisjoint(
        {"host", "library", "torch", "onednn"}
    )


@pytest.mark.usefixtures("measured_briefly")
def test_times_of_eager_loops_are_said_to_contain_compiling():
    source = f"{HEAD}\njax.jit(lambda x: lax.fori_loop(0, 3, lambda i, v: v * 0.9, x))(xs[0])\n"
    events: list[report.Event] = []
    explore(source, report.Options(device="cpu"), events.append)
    found = reduce(report.apply, events, report.Report())
    assert "every loop and branch compiled anew at each call" in found.protocol
