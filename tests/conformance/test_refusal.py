"""Inputs that are errors are refused with the framework's own error."""

import pytest
import torch

from conformance.judge import judge
from conformance.sample import Sample

pytestmark = pytest.mark.cpu


def judged(fn, *args):
    return judge(Sample("error", "torch", fn, args, raises=True))


@pytest.mark.parametrize(
    ("fn", "error"),
    [
        (lambda x: x @ x, "RuntimeError"),
        (lambda x: x.sum(5), "IndexError"),
        (lambda x: torch.amax(x[:0], 0), "IndexError"),
        (lambda x: x[torch.tensor([7])], "IndexError"),
        (lambda x: torch.bitwise_or(1, x), "NotImplementedError"),
    ],
    ids=["shapes", "dimension", "other_error_when_traced", "value", "type"],
)
def test_a_program_that_torch_does_not_run(fn, error):
    assert judged(fn, torch.ones(2, 3)).reason == f"the program raises {error}"


def test_a_program_that_torch_runs_is_no_error():
    assert judged(torch.sin, torch.ones(2)).kind == "invalid"


def test_a_program_that_is_not_refused_is_wrong():
    # What is taken of an iterator is not put back before the next call, as a list is.
    first = iter([ValueError("only at first")])

    def once(x):
        if error := next(first, None):
            raise error
        return x + 1

    assert judged(once, torch.ones(2)).kind == "wrong"
