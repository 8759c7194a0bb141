"""Programs that torch.jit refuses, each by torch itself, in plain words."""

import pytest
import torch

from compiler_core.reference.torchscript.refused import refused

pytestmark = pytest.mark.cpu
PARAMETER = torch.nn.Parameter(torch.ones(3))
OPTIMIZER = torch.optim.SGD([PARAMETER])


def stepping(x):
    OPTIMIZER.step()
    return x


def unpacking(x):
    a, b = x
    return a + b


def with_a_lambda(x):
    twice = lambda y: y * 2  # noqa: E731
    return twice(x)


def reading_a_parameter(x):
    return x * PARAMETER


def checking(x):
    torch._check(x.shape[0] > 1)
    return x


REFUSED = [
    (torch.jit.script, stepping, "asks something of Python's own"),
    (torch.jit.script, unpacking, "how many names a tensor is unpacked into"),
    (torch.jit.script, with_a_lambda, "a part of Python alone, without Lambda"),
    (torch.jit.trace, reading_a_parameter, "one that records gradients"),
    (torch.jit.trace, checking, "torch._check takes no tensor"),
]


@pytest.mark.parametrize(("way", "function", "why"), REFUSED, ids=range(len(REFUSED)))
def test_what_torch_says_has_words(way, function, why) -> None:
    given = () if way is torch.jit.script else (torch.ones(3),)
    with pytest.raises(Exception) as raised:
        way(function, *given)
    found = refused(raised.value)
    assert why in found.why, raised.value
    assert found.remedy


def test_what_is_in_no_row_is_torchs_first_line() -> None:
    found = refused(ValueError("something else\nat length"))
    assert found.why == "ValueError: something else" and "torch.compile" in found.remedy
