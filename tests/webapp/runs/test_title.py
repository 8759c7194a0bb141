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
        ("def f(:", "f"),
        ("import torch\nx = 1\nclass Net:\n    def forward(self): ...\ndef f(x): ...", "Net, f"),
        ("", "A snippet"),
        ('"""', "A snippet"),
        ("x" * 200, "x" * LONGEST),
        ('"""a\u202eb\u0007c"""', "a<U+202E>b<U+0007>c"),
        ('"""\u200b\u2067"""', "<U+200B><U+2067>"),
        ("x = 1 # \x1b[31m" + "\u202e" * 200, "x = 1 # <U+001B>[31m" + 7 * "<U+202E>" + "<U+2"),
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
