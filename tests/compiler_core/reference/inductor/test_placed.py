"""Where a recorded call comes from, written as torch writes it, is read back as it was."""

import linecache

import pytest

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.reference.inductor.placed import trace_of
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import FILE

pytestmark = pytest.mark.null

TEXT = "def f(x):\n    return x + (x * 2)\n"


@pytest.mark.parametrize("line, column, end", [(1, 1, 2), (2, 5, 23), (2, 12, 23), (2, 17, 22)])
def test_line_and_columns_of_an_operation_survive(monkeypatch, line, column, end) -> None:
    monkeypatch.setitem(linecache.cache, FILE, (len(TEXT), None, TEXT.splitlines(True), FILE))
    place_of.cache_clear()
    assert place_of(trace_of(CapturedOp(0, "mul", line, column, end=end))) == (line, column, end)
