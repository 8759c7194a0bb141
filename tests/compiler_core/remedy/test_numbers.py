"""A number that was taken from a tensor stays a tensor."""

import pytest

from compiler_core.remedy.change import Refused
from tests.compiler_core.remedy.remedying import TORCH, asked, changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s = x.sum().item()  # here", "s = x.sum()  # here"),
        ("s = float(x.sum()) * 2  # here", "s = x.sum() * 2  # here"),
        ("s = float(x.sum().item())  # here", "s = x.sum()  # here"),
        ("s = int(a + b)  # here", "s = (a + b)  # here"),
        ("é = 'ü', x.max().item()  # here", "é = 'ü', x.max()  # here"),
    ],
)
def test_a_number_stays_a_tensor(before, after):
    body = "def f(x):\n    {}\n    return x\n"
    assert changed(TORCH, body.format(before), "graph break") == body.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = (x * 2).cpu()  # here", "y = (x * 2)  # here"),
        ("y = x.relu().cpu() + 1  # here", "y = x.relu() + 1  # here"),
        ("y = ((x + 1).cpu() * 2).cpu()  # here", "y = ((x + 1) * 2)  # here"),
        ("y = (\n        x * 2\n    ).cpu()  # here", "y = (x * 2)  # here"),
        ("y = (x + 1).numpy()  # here", "y = (x + 1)  # here"),
        (
            "y = np.exp((x + 1).detach().cpu().numpy())  # here",
            "y = torch.exp((x + 1))  # here",
        ),
        ("y = torch.from_numpy(np.abs(x.numpy()) + 1) * 2  # here",
         "y = (torch.abs(x) + 1) * 2  # here"),
    ],
)  # fmt: skip
def test_parentheses_around_what_is_moved_stay(before, after):
    head = "import numpy as np\nimport torch\n"
    body = "def f(x):\n    {}\n    return x\n"
    assert changed(head, body.format(before), "graph break") == body.format(after)


def test_a_number_that_is_named_on_a_later_line():
    body = "def f(x):\n    s = (\n        x.sum()\n    ).item()  # here\n    return x * s\n"
    after = "def f(x):\n    s = x.sum()  # here\n    return x * s\n"
    assert changed(TORCH, body, "graph break") == after


def test_a_number_that_is_returned_is_left():
    found = asked("import torch\ndef f(x):\n    return x.sum().item()  # here\n", "graph break")
    assert isinstance(found, Refused) and "caller is given a number" in found.reason
