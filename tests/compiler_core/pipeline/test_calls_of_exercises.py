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
ALIKE = Recompiles(0, "f", ["f32[8,4]", "f32[8,4]"])
OUTSIDE = 'not all of its work is compiled: what runs outside is "{}".'
MODULE = """import torch
class Twice(torch.nn.Module):
    def forward(self, x):
        return 2 * x
"""
NESTED = """import torch
@torch.compile
def g(x):
    return x.exp()
@torch.compile
def f(x):
    return g(x) + g(2 * x)
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
        (
            NUMBERS,
            TORCH.format(given="t").replace("@torch.compile", ""),
            "nothing is compiled: let it call",
        ),
        (NUMBERS, "import torch\n", "it came to nothing: NameError: the snippet has no function f"),
        (SIZES, JAX, "1 recompile: "),
        (ALIKE, JAX, "0 recompiles."),
        (
            ALIKE,
            f"{JAX}g = f\ndef f(x):\n    g(x)\n    return x.sum(0)\n",
            OUTSIDE.format("reduce_sum"),
        ),
        (ALIKE, f"{MODULE}f = torch.compile(Twice())\n", "0 recompiles."),
        (ALIKE, f"{MODULE}f = Twice()\nf.compile()\n", "0 recompiles."),
        (
            ALIKE,
            f"{MODULE}g = torch.compile(Twice())\ndef f(x):\n    g(x)\n    return 2 * x\n",
            OUTSIDE.format("mul"),
        ),
        (ALIKE, NESTED, "0 recompiles."),
    ],
    ids=[
        *("a number", "a tensor", "not compiled", "no function", "JAX", "JAX, alike"),
        *("JAX, thrown away", "a module", "a module in place", "beside a module", "nested"),
    ],
)
def test_what_is_compiled_again_over_the_calls_is_said(check, source, says):
    found = seen(check, source)
    assert says in found.says
    assert found.passed == says.startswith("0 ")
