"""Tables that stages produce: guards, phases, instructions and the like."""

from typing import Literal

import msgspec
from msgspec import field

Cell = str | int | float | bool | None
Unit = Literal["", "us", "ms", "bytes", "flops", "ratio"]


class Column(msgspec.Struct, frozen=True):
    """A column's title and the unit of its numbers; blank for text and for counts."""

    title: str
    unit: Unit = ""
    # One sentence on what is in it.
    about: str = ""


class Row(msgspec.Struct, frozen=True):
    """One cell for each column; None where there is no value."""

    cells: list[Cell]
    # Ids of the captured operations that the row concerns, the selection key.
    nodes: list[int] = field(default_factory=list)
    # The line of the snippet that the row concerns, 1-based.
    line: int | None = None


class Table(msgspec.Struct, frozen=True):
    """One table of a stage."""

    name: str
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    # One sentence on how to read it.
    about: str = ""
