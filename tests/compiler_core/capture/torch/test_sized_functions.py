"""Programs whose sizes are symbols, through functions and views of torch that ask for numbers."""

import math

import pytest
import torch
from torch.nn import functional

from compiler_core.ir.eval_numpy import evaluate
from tests.compiler_core.capture.oracle import captured, to_numpy

BOTH = (("B", "D"),)
B = (("B", ""),)


def matrix(rows, columns):
    return torch.linspace(-2, 2, rows * columns).reshape(rows, columns)


def positions(x):
    n, d = x.shape
    angles = torch.arange(n)[:, None] * torch.exp(torch.arange(0, d, 2) / -d)
    table = torch.zeros(n, d)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    table[-1] = table[n // 2]
    return x + table


def chunks(x):
    a, b = x.chunk(2, 1)
    return a * b


def heads(x):
    b, d = x.shape
    return x.view(b, d // 4, 4).transpose(0, 1).reshape(b * (d // 4), -1).sum(-1)


def windows(x):
    return x.view(x.shape[0], x.shape[1] // 4, 4).mean(1)


TABLE = torch.linspace(-1, 1, 256).reshape(32, 8)


def from_a_table(x):
    n = x.shape[0]
    return x + TABLE[:n] + TABLE[None, ..., :n, :][0] * x[n // 2]


PROGRAMS = {
    "as many rows of a table": (from_a_table, B),
    "written into every other column": (positions, BOTH),
    "two equal chunks": (chunks, BOTH),
    "heads of a part": (heads, BOTH),
    "windows": (windows, BOTH),
    "evenly spaced": (lambda x: x * torch.linspace(-1, 1, x.shape[0])[:, None], B),
    "one of each": (lambda x: functional.one_hot(x[:, 0].long().abs(), x.shape[0]) * 2, B),
    "the diagonal": (lambda x: (x @ x.t()).diagonal(1), B),
    "an image of twice the size": (
        lambda x: functional.interpolate(x[None, None], scale_factor=2)[0, 0],
        BOTH,
    ),
    "half of the rows, rounded up": (lambda x: x[: math.ceil(x.shape[0] / 2)] * 2, B),
    "most of the rows": (lambda x: x[: math.trunc(x.shape[0] * 0.75)] * 2, B),
    "the middle": (lambda x: (x.median(0).values, x[:, 0].long().median()), B),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_capture_is_of_every_size(name):
    fn, names = PROGRAMS[name]
    made = captured("torch", fn, matrix(6, 8), sizes=names)
    assert (made.specialised, made.sizes) == ("", names)
    for rows, columns in ((6, 8), (4, 8), (9, 16 if names is BOTH else 8)):
        x = matrix(rows, columns)
        inputs = [x, *made.arguments[1:]]
        got = evaluate(made.graph_for(inputs), [to_numpy(each) for each in inputs])
        want = fn(x) if isinstance(fn(x), tuple) else (fn(x),)
        for ours, theirs in zip(got, want, strict=True):
            torch.testing.assert_close(torch.from_numpy(ours.copy()), theirs)


@pytest.mark.parametrize(
    "draw",
    [
        torch.rand,
        lambda n, d: torch.randn(n, 1) + torch.normal(0.0, 1.0, (d,)),
        lambda n, d: torch.randperm(n)[:, None] + torch.randint(0, 9, (d,)),
    ],
)
def test_numbers_are_drawn_for_every_size(draw):
    made = captured("torch", lambda x: x + draw(*x.shape), matrix(6, 8), sizes=BOTH)
    assert (made.specialised, made.sizes) == ("", BOTH)
    for rows, columns in ((6, 8), (9, 5)):
        x = matrix(rows, columns)
        torch.manual_seed(3)
        (got,) = evaluate(made.graph_for([x]), [to_numpy(x)])
        torch.manual_seed(3)
        torch.testing.assert_close(torch.from_numpy(got.copy()), x + draw(rows, columns))
