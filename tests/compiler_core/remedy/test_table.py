"""Which remedy an entry has: one of its kind and place, whose text is Python, or none."""

import pytest

from compiler_core.remedy import table
from compiler_core.remedy.change import Changed, Refused
from tests.compiler_core.remedy.remedying import TORCH, asked, changed


def test_what_would_be_no_python_is_not_tried(monkeypatch):
    broken = {"graph break": (lambda request: Changed("y = (x", "something is left out"),)}
    monkeypatch.setitem(table._TABLES, "torch", broken)
    found = asked("import torch\nx = 1  # here\n", "graph break")
    assert isinstance(found, Refused) and "no Python" in found.reason


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("y = np.sqrt(x.numpy()) if flag else x", "x.numpy", "y = torch.sqrt(x) if flag else x"),
        ("y = x if flag else x / x.max().item()", "x.max", "y = x if flag else x / x.max()"),
        ("if flag: x = x / x.max().item()", "x.max", "if flag: x = x / x.max()"),
        ("y = x if x.sum() > 0 else -x", "x.sum", "y = torch.where(x.sum() > 0, x, -x)"),
    ],
)
def test_of_a_choice_what_the_entry_is_of_is_changed(before, at, after):
    head, line = TORCH + "import numpy as np\n", f"    {before}  # here\n"
    body = f"def f(x, flag):\n{line}    return x\n"
    new = changed(head, body, "host sync", column=line.index(at))
    assert new == body.replace(before, after)


def test_of_an_entry_that_nobody_knows_a_remedy_of_there_is_none():
    assert asked("import torch\ndef f(x):\n    return x  # here\n", "graph break") is None
    assert asked("import torch\ndef f(x):\n    return x  # here\n", "not fused") is None
