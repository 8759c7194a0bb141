"""A tensor that is several arguments at once stays one when data are drawn anew."""

from typing import Any

import pytest
import torch

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured
from compiler_core.measure import run
from compiler_core.measure.runnable import eager
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

SAME = """
import torch

@torch.compile
def f(a, b):
    {body}

x = torch.linspace(-1, 2, 12).reshape(3, 4)
f({call})
"""
BODIES = {
    "one graph": "return a + 2 * b",
    "several graphs": "return a + b if a.sum() > 0 else a - b",
}


def drawn(body: str, call: str) -> tuple[Captured, list[Any]]:
    captured = capture(explore(SAME.format(body=BODIES[body], call=call)).programs[0])
    return captured, captured.fresh(1)


@pytest.mark.parametrize("body", BODIES)
def test_the_same_tensor_twice(body: str) -> None:
    captured, (a, b) = drawn(body, "x, x")
    assert a is b and not torch.equal(a, captured.arguments[0])


@pytest.mark.parametrize("body", BODIES)
def test_a_view_of_another_argument(body: str) -> None:
    _, (a, b) = drawn(body, "x, x[1]")
    assert torch.equal(a[1], b) and a[1].data_ptr() == b.data_ptr()


@pytest.mark.parametrize("call", ["x, x", "x, x[1]"])
def test_eager_agrees_with_the_reference_on_drawn_data(call: str) -> None:
    captured, inputs = drawn("one graph", call)
    checked = run.check({"eager": eager(captured, "torch")}, captured, inputs)
    assert checked["eager"].ok and checked["eager"].max_abs_error < 1e-6


CLOSED_OVER = """
import torch

x = torch.linspace(-1, 2, 12).reshape(3, 4)

@torch.compile
def f(a):
    return a + 2 * x

f(x)
"""


def test_what_is_closed_over_as_well_is_the_argument_on_drawn_data() -> None:
    captured = capture(explore(CLOSED_OVER).programs[0])
    (a,) = inputs = captured.fresh(1)
    assert not torch.equal(a, captured.arguments[0])
    torch.testing.assert_close(captured.eager(inputs)[0], 3 * a)
    torch.testing.assert_close(captured.exact(inputs)[0], 3 * a.double())
    torch.testing.assert_close(captured.eager(captured.arguments)[0], 3 * captured.arguments[0])
