"""What a snippet is called, found without parsing it."""

import time

import pytest

from webapp.runs.title import LONGEST, title


@pytest.mark.parametrize(
    ("source", "called"),
    [
        ('"""Softmax & more"""\nx = 1\n', "Softmax & more"),
        ("# inputs: f32[4]\n\n'''\nAttention\nwith heads.\n'''\nimport torch\n", "Attention"),
        ('r"A product" \nx = 1', "A product"),
        ("import torch\nfrom torch import nn\n# a remark\nx = 1\n", "x = 1"),
        ("import torch\n", "A snippet"),
        ("def f(:", "def f(:"),
        ("", "A snippet"),
        ('"""', "A snippet"),
        ("x" * 200, "x" * LONGEST),
        ('"""a\u202eb\u0007c"""', "abc"),
    ],
)
def test_titles(source, called):
    assert title(source) == called


@pytest.mark.parametrize("sign", ['f"{x}" ', "(", '"', "\\", "[1," * 10, "\n#"])
def test_a_source_that_takes_a_parser_seconds_takes_no_time(sign):
    source = sign * (250_000 // len(sign))
    start = time.process_time()
    title(source)
    assert time.process_time() - start < 0.1
