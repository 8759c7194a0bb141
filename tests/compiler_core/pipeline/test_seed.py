"""Inputs of a seed, and what is told of the outputs for them."""

from functools import reduce

import msgspec
import pytest

from compiler_core import report
from compiler_core.pipeline.order import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

OWN = """import torch
@torch.compile
def f(x):
    return x, (x * 2).sum()
f(torch.zeros(4, 8))
"""
JAX = """import jax
f = jax.jit(lambda x: (x, (x * 2).sum()))
f(jax.numpy.zeros((4, 8)))
"""
PLAIN = "def f(x):\n    return x, (x * 2).sum()\n"
DRAWS = "import torch\ndef f(x):\n    return torch.nn.functional.dropout(x)\n"


def outputs(source, seed, inputs="f(f32[4,8])"):
    options = {"inputs": inputs, "seed": seed, "measure": False, "compilers": ["core"]}
    events = []
    explore(source, msgspec.convert(options, report.Options), events.append)
    [program] = reduce(report.apply, events, report.Report()).programs
    assert program.error is None
    return program.outputs


@pytest.mark.parametrize("source", [OWN, JAX, PLAIN], ids=["torch", "jax", "not called"])
def test_each_seed_draws_other_numbers_also_where_the_snippet_has_its_own(source):
    one, same, other = (outputs(source, seed) for seed in (1, 1, 2))
    assert one == same and one.keys() == {"eager", "core"}
    first, smaller = one["core"]
    assert [each.shape for each in first] == [[4, 8], []]
    assert first != other["core"][0]
    values = [float(value) for value in first[0].values]
    assert len(values) == 64 and len({*values}) > 8
    assert [float(value) * 128 for value in smaller[0].values] == values
    assert len(first[0].sums) == 32 and len(first[1].sums) == 1


def test_of_a_program_of_several_graphs_results_alone_are_told():
    breaks = (
        "import torch\ndef f(x):\n    if x.mean() > 0:\n        return x * 2\n    return x * 3\n"
    )
    assert {len(each) for each in outputs(breaks, 1)["core"]} == {1}


def test_one_row_of_many_that_is_wrong_is_seen():
    zeroed = "import torch\ndef f(x):\n    y = torch.softmax(x, -1)\n    {}\n    return y\n"
    right, wrong = (
        outputs(zeroed.format(line), 1, "f(f32[1024,64])")["core"][0][0]
        for line in ("pass", "y[7] = 0")
    )
    off = [abs(float(a) - float(b)) for a, b in zip(right.sums, wrong.sums, strict=True)]
    assert sum(each > 1e-4 for each in off) == 1 and sum(each == 0 for each in off) == 63


def test_nothing_is_told_without_a_seed_and_of_a_program_that_draws_itself():
    assert outputs(OWN, None) == {}
    assert outputs(DRAWS, 1) == {}
