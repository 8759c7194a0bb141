"""What a forward pass saves for its backward pass."""

import math
import re
from collections.abc import Sequence
from typing import Any

from compiler_core import report
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import columns
from compiler_core.snippet.source import is_own
from compiler_core.wording import counted

Residual = tuple[Any, str]

_PLACE = re.compile(r" from (?P<file>\S+?):(?P<line>\d+):(?P<column>\d+)(?: \(.*\))?$")
_COLUMNS = [
    report.Column("kept"),
    report.Column("size", "bytes"),
    report.Column("is", about="In JAX's words."),
]
_ABOUT = (
    "What the forward pass keeps for the backward pass. jax.checkpoint around a function keeps its "
    "arguments instead, and computes the rest again."
)


def table(kept: Sequence[Residual], lines: SourceLines) -> report.Table:
    """The table, the largest values first."""
    ordered = sorted(kept, key=lambda each: -size(each[0]))
    return report.Table("residuals", _COLUMNS, [_row(*each, lines) for each in ordered], _ABOUT)


def summary(kept: Sequence[Residual]) -> str:
    """The bytes that are saved in addition to arguments, which exist anyway."""
    computed = [aval for aval, origin in kept if "argument" not in origin]
    total = sum(map(size, computed))
    results = counted(len(computed), "result")
    return f"{columns.size(total)} of {results} kept for the backward pass" if kept else ""


def size(aval: Any) -> int:
    """The bytes of an abstract value."""
    return math.prod(aval.shape) * int(aval.dtype.itemsize)


def _row(aval: Any, origin: str, lines: SourceLines) -> report.Row:
    cells: list[report.Cell] = [aval.str_short(short_dtypes=True), size(aval), origin]
    place = _PLACE.search(origin)
    if place is None or not is_own(place["file"]):
        return report.Row(cells)
    line, column = int(place["line"]), int(place["column"])
    text = _PLACE.sub(f" at line {line}", origin)
    return report.Row([*cells[:2], text], lines.at(line, column), line)
