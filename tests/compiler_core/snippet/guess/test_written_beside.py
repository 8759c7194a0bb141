"""Shapes that people write beside their code."""

import ast

import pytest

from compiler_core.snippet.guess.said import with_said
from compiler_core.snippet.guess.usage import usages
from compiler_core.snippet.source import Source

pytestmark = pytest.mark.cpu

# A function, and the dimensions that are written of its parameters.
WRITTEN = {
    "def f(box1, box2):\n    # box1: (N, 4), box2: (M, 4), xyxy\n    return box1": {
        "box1": ("N", "4"), "box2": ("M", "4"),
    },
    "# logits: [B, T, V]\ndef f(logits):\n    return logits": {"logits": ("B", "T", "V")},
    "def f(x,  # (B, C, H, W)\n      t,\n      ):\n    return x": {"x": ("B", "C", "H", "W")},
    'def f(sims, rel):\n    """sims (Q, N), rel (Q, N) bool"""\n    return sims': {
        "sims": ("Q", "N"), "rel": ("Q", "N"),
    },
    'def f(x, y):\n    """Args:\n        x (torch.Tensor): predicted, of shape (N, C).\n'
    '        y (Tensor, optional): (N,)\n    Returns: a loss (N, 1)\n    """\n    return x': {
        "x": ("N", "C"), "y": ("N",),
    },
    'class A:\n    """x: (..., 3)"""\n    def g(self, x):\n        return x': {"x": ("N", "3")},
    # Coordinates, ranges and calls are no shapes; nor is what is written after the first statement.
    "def f(box, p):\n    # box: (x1, y1, x2, y2), p in [0, 1]\n    return box": {},
    "def f(x):\n    x = x[0]\n    # x: (B, T)\n    return x": {},
    "def f(x, T):\n    # a (T, B) tensor; x is fun (really)\n    return x": {},
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_dimensions_that_are_written(text):
    source = Source.parse(text)
    (code,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef))
    used = usages(code, [a.arg for a in code.args.args])
    said = with_said(used, code, source)
    assert {n: u.letters for n, u in said.items() if u.said} == WRITTEN[text]
