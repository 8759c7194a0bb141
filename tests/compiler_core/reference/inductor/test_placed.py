"""Where a recorded call comes from, written as torch writes it, is read back as it was."""

import linecache

import pytest

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.reference.inductor.placed import trace_of
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import FILE

pytestmark = pytest.mark.null

TEXT = "def f(x):\n    return x + (x * 2)\n"


@pytest.mark.parametrize("line, column", [(1, 1), (2, 5), (2, 12), (2, 17)])
def test_line_and_column_of_an_operation_survive(monkeypatch, line, column) -> None:
    monkeypatch.setitem(linecache.cache, FILE, (len(TEXT), None, TEXT.splitlines(True), FILE))
    place_of.cache_clear()
    assert place_of(trace_of(CapturedOp(0, "mul", line, column))) == (line, column)
