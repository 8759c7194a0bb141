"""An exercise calls somebody's function itself: what is compiled again over its calls is said."""

from functools import reduce

import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore
from webapp.workshops.exercises import calls
from webapp.workshops.exercises.kinds import Recompiles

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

NUMBERS = Recompiles(0, "f", ["f32[8,4], 0.9", "f32[8,4], 0.7", "f32[8,4], 0.5"])
SIZES = Recompiles(0, "f", ["f32[8,4]", "f32[16,4]"])
TORCH = """import torch
@torch.compile
def scaled(x, t):
    return x.exp() / t
def f(x, t):
    return scaled(x, {given})
f(torch.ones(2, 2), 1.0)
"""
JAX = """import jax
f = jax.jit(lambda x: x.sum(0))
"""


def seen(check, source):
    events = []
    explore(calls.snippet(source, check), calls.options(source), events.append)
    return calls.judge(check, reduce(report.apply, events, report.Report()))


@pytest.mark.parametrize(
    ("check", "source", "says"),
    [
        (NUMBERS, TORCH.format(given="t"), "1 recompile: scaled is compiled again: t was 0.9 and"),
        (NUMBERS, TORCH.format(given="torch.tensor(t)"), "0 recompiles."),
        (NUMBERS, TORCH.format(given="t").replace("@torch.compile", ""), "nothing is compiled."),
        (NUMBERS, "import torch\n", "it came to nothing: NameError: the snippet has no function f"),
        (SIZES, JAX, "1 recompile: "),
    ],
    ids=["a number", "a tensor", "not compiled", "no function", "JAX"],
)
def test_what_is_compiled_again_over_the_calls_is_said(check, source, says):
    found = seen(check, source)
    assert says in found.says
    assert found.passed == says.startswith("0 ")
