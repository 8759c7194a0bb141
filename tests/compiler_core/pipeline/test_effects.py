"""What a JAX program does for an effect alone is told, and shown once."""

from functools import reduce

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

PLAIN = """# inputs: f32[4]
import jax
import jax.numpy as jnp

def f(x):
    jax.debug.print("size {}", x.size)
    return jnp.tanh(x)
"""
CALLED = """
import jax
import jax.numpy as jnp

@jax.jit
def f(xs):
    def step(c, x):
        jax.debug.callback(lambda v: print("step"), x)
        return c + x, c

    return jax.lax.scan(step, 0.0, xs)

f(jnp.ones(3))
"""


@pytest.mark.parametrize(
    ("source", "called", "line", "printed"),
    [(PLAIN, "jax.debug.print", 6, "size 4\n"), (CALLED, "jax.debug.callback", 8, "step\n" * 3)],
    ids=["plain", "called by the snippet, in a loop"],
)
def test_an_effect_is_told_and_its_text_shown_once(
    source: str, called: str, line: int, printed: str
) -> None:
    events: list[report.Event] = []
    explore(source, report.Options(measure=False, device="cpu", target="sm_90"), events.append)
    found = reduce(report.apply, events, report.Report())
    assert [p.status for p in found.programs] == ["ok"]
    (notice,) = found.notices
    assert notice.level == "warning" and notice.line == line
    assert notice.text.startswith(f"`{called}` is left out of what is compiled")
    assert found.output.stdout == printed
