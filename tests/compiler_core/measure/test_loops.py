"""Loops of many steps are computed in float64 by XLA, and by their operations elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

from compiler_core import report
from compiler_core.interop import arrays
from compiler_core.ir import eval_torch
from compiler_core.measure import loops
from compiler_core.measure.loops import Loops
from compiler_core.pipeline.order import explore
from tests.compiler_core.capture.oracle import captured

pytestmark = pytest.mark.cpu

X = np.linspace(-1, 1, 8, dtype=np.float32)


def _walk(x):
    def step(carry, _):
        x, key = carry
        key, own = jax.random.split(key)
        return (x * 0.9 + jax.random.normal(own, x.shape), key), jnp.argmax(x)

    return lax.scan(step, (x, jax.random.key(3)), None, length=40)[0][0], x


def _until(x):
    def inner(v):
        return lax.fori_loop(0, 3, lambda i, y: y + jnp.sin(y) / (i + 2), v)

    return lax.while_loop(lambda v: jnp.abs(v).sum() < 20, inner, x)


def _in_float64(graph, inputs, ways=None):
    more = {} if ways is None else {"each": ways.step, "regions": ways.run}
    return eval_torch.evaluate(graph, inputs, float_dtype=torch.float64, **more)


@pytest.mark.parametrize("program", [_walk, _until])
def test_both_ways_give_the_same(program, monkeypatch):
    result, told = captured("jax", program, X), list[str]()
    inputs = arrays.to_torch_all(result.arguments)
    by_operations = _in_float64(result.graph, inputs)
    monkeypatch.setattr(loops, "MANY", 20)
    ways = Loops(lambda operation: told.append(operation.op))
    for _ in range(2):  # what is compiled serves the second time
        for x, y in zip(_in_float64(result.graph, inputs, ways), by_operations, strict=True):
            assert x.dtype is y.dtype is torch.float64
            torch.testing.assert_close(x, y, rtol=1e-12, atol=1e-12)
    assert len(told) < 60


def test_what_xla_does_not_run_is_computed_by_its_operations(monkeypatch):
    result = captured("jax", _until, X)
    inputs = arrays.to_torch_all(result.arguments)
    monkeypatch.setattr(loops, "MANY", 20)
    monkeypatch.setattr(loops, "_by_xla", lambda _: lambda *_: 1 / 0)
    ways = Loops(lambda _: None)
    (x,), (y,) = _in_float64(result.graph, inputs, ways), _in_float64(result.graph, inputs)
    assert torch.equal(x, y)
    assert set(ways.refused.values()) == {"ZeroDivisionError: division by zero"}


def test_that_it_was_is_said_where_errors_are_located(monkeypatch):
    monkeypatch.setattr(loops, "MANY", 20)
    monkeypatch.setattr(loops, "_by_xla", lambda _: lambda *_: 1 / 0)
    source = """
import jax
import jax.numpy as jnp
from jax import lax

@jax.jit
def f(x):
    return lax.fori_loop(0, 20, lambda i, y: y + jnp.sin(y) / (i + 2), x)

f(jnp.linspace(-1, 1, 8))
"""
    seen = report.Report()
    explore(source, report.Options(compilers=("core",)), lambda e: report.apply(seen, e))
    (stage,) = [s for s in seen.programs[0].stages if s.name == "precision"]
    assert "1 loop computed in torch, as XLA refuses: ZeroDivisionError" in stage.summary
