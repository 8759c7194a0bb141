"""Where errors are not located: too little time, or too large a program."""

import pytest

from compiler_core.pipeline import precision
from tests.compiler_core.pipeline.located import explored

pytestmark = pytest.mark.cpu

SMALL = """
# inputs: f32[24,64]
import torch
def f(x):
    return torch.softmax(x, -1)
"""


def test_where_time_is_over_it_says_so(monkeypatch):
    monkeypatch.setattr(precision, "_late", lambda c, time: "")
    monkeypatch.setattr(precision, "SECONDS", 0.0)
    found = explored(SMALL, monkeypatch)
    assert not found.errors and "1 of 1 left out" in found.stage.summary


def test_what_takes_long_to_compile_is_not_compiled_once_more(monkeypatch):
    monkeypatch.setattr(precision, "SECONDS", 0.0)
    found = explored(SMALL, monkeypatch)
    assert not found.errors
    assert (found.stage.status, "compiled once more" in found.stage.summary) == ("skipped", True)


def test_what_is_too_large_is_left_out_with_its_size(monkeypatch):
    monkeypatch.setattr(precision, "_MOST_ELEMENTS", 100)
    found = explored(SMALL, monkeypatch)
    assert not found.errors and found.stage.status == "skipped"
