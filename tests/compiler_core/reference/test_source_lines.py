"""From places in the snippet to captured operations."""

from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp

# Columns of captured operations count from 1.
LINES = SourceLines(
    (CapturedOp(0, "add", 4, 9), CapturedOp(1, "mul", 4, 13), CapturedOp(2, "sin", 5, 1))
)


def test_a_place_is_the_operations_at_its_column() -> None:
    assert LINES.at(4, 8) == [0] and LINES.at(4, 12) == [1]


def test_a_column_where_none_is_stands_for_its_line() -> None:
    assert LINES.at(4, 9) == LINES.at(4) == [0, 1]


def test_lines_without_operations_have_none() -> None:
    assert LINES.at(7, 0) == LINES.at(None) == []
