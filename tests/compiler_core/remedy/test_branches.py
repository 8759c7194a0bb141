"""A branch by a tensor's value becomes a choice between two values."""

import textwrap

import pytest

from compiler_core.remedy.change import Refused
from tests.compiler_core.remedy.remedying import JAX, TORCH, asked, changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "if x.sum() > 0:  # here\n    y = x * 2\nelse:\n    y = x - 1\n",
            "y = torch.where(x.sum() > 0, x * 2, x - 1)\n",
        ),
        (
            "if x.sum().item() > 0:  # here\n    x += 1\n",
            "x = torch.where(x.sum() > 0, x + 1, x)\n",
        ),
        (
            "if not (x > 0).all():  # here\n    y, = 1,\n",
            None,
        ),
        (
            "if not (x > 0).all():  # here\n    x = -x\n",
            "x = torch.where((x > 0).all(), x, -x)\n",
        ),
        (
            "if x.sum() > 0:  # here\n    return x\nreturn -x\n",
            "return torch.where(x.sum() > 0, x, -x)\n",
        ),
        (
            "y = x if x.sum() > 0 else -x  # here\n",
            "y = torch.where(x.sum() > 0, x, -x)  # here\n",
        ),
        ("if x.sum() > 0 and x.min() < 1:  # here\n    x = -x\n", None),
        ("if x.sum() > 0:  # here\n    a = x + 1\n    b = a * 2\n", None),
        ("if x.sum() > 0:  # here\n    x.add_(1)\n", None),
        # Another condition, whichever of the two it is asked for.
        (
            "if a > 0:\n    y = x\nelif b > 0:  # here\n    y = -x\nelse:\n    y = x + 1\n",
            "y = torch.where(a > 0, x, torch.where(b > 0, -x, x + 1))\n",
        ),
        (
            "if a > 0:  # here\n    y = x\nelse:\n    if b > 0:\n        z = -x\n",
            "y = torch.where(a > 0, x, y)\nz = torch.where(a > 0, z, torch.where(b > 0, -x, z))\n",
        ),
        # The second value would be chosen by what the first has become.
        ("if x.sum() > 0:  # here\n    x = x - 9\n    y = 2\nelse:\n    y = 1\n", None),
        ("if a > 0:  # here\n    return x\ny = 1\n", None),
        ("if a > 0:  # here\n    y = 1, 2\nelse:\n    y = 2, 1\n", None),
    ],
)
def test_an_if_becomes_where(before, after):
    head = TORCH + "def f(x):\n"
    found = asked(head + textwrap.indent(before, "    "), "graph break")
    if after is None:
        assert isinstance(found, Refused)
    else:
        assert found.source == head + textwrap.indent(after, "    ")


def test_of_jax_it_is_jax_numpys():
    before = "def f(x):\n    if x.sum() > 0:  # here\n        x = -x\n    return x\n"
    after = "def f(x):\n    x = jnp.where(x.sum() > 0, -x, x)\n    return x\n"
    assert changed(JAX, before, "failed") == after


def test_what_is_not_imported_is():
    source = "from torch import nn\ndef f(x):\n    return x if x.sum() > 0 else -x  # here\n"
    found = asked(source, "graph break", framework="torch")
    assert found.source.startswith("import torch\nfrom torch import nn\n")
