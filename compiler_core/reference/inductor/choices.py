"""The candidates that TorchInductor has timed for an operation, where it is asked to
(mode="max-autotune"): its own templates in several sizes, and the library's kernel."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.reference.origins import Origin, ids_of, origin_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Row, Table

_COLUMNS = [
    Column("operation"),
    Column("of", about="What it reads."),
    Column("candidate"),
    Column("parameters", about="Of a template."),
    Column("time", "us", "As Inductor has timed it while compiling; none of one that failed."),
    Column("chosen"),
]
_ABOUT = (
    "Each candidate is run by itself, before it is known what is fused with it: the quickest is "
    "taken."
)


@dataclass(frozen=True)
class Candidate:
    """A kernel that max-autotune has timed; `ms` is infinite where it failed."""

    name: str
    parameters: str
    ms: float


@dataclass(frozen=True)
class Choice:
    """An operation with the types of its operands and its candidates, quickest first. `origin` is
    None if the snippet's operation is not known."""

    operation: str
    reads: str
    origin: Origin | None
    candidates: tuple[Candidate, ...]


def choice(name: str, reads: Sequence[Any], ms: dict[Any, float], node: Any) -> Choice:
    """Inductor's data of one choice as plain values. Candidates may be timed long after the
    operation was lowered; `node` is then another operation's, and the choice has no origin."""
    found = (Candidate(c.name, str(c.description or ""), time) for c, time in ms.items())
    own = node is not None and name in str(getattr(node, "target", ""))
    return Choice(
        name,
        ", ".join(map(_type, reads)),
        origin_of(node) if own else None,
        tuple(sorted(found, key=lambda each: each.ms)),
    )


def _type(node: Any) -> str:
    dtype = str(node.get_dtype()).removeprefix("torch.")
    return f"{dtype}[{','.join(map(str, node.get_size()))}]"


def tables(choices: Sequence[Choice], nodes: Sequence[report.CapturedOp]) -> list[Table]:
    """One table of all choices; empty if there are none."""
    lines = SourceLines(tuple(nodes))
    rows = [row for each in choices for row in _rows(each, lines)]
    return [Table("choices", _COLUMNS, rows, _ABOUT)] if rows else []


def _rows(choice: Choice, lines: SourceLines) -> Iterator[Row]:
    at = choice.origin
    ids = ids_of(lines, [at]) if at is not None else []
    for number, each in enumerate(choice.candidates):
        us = each.ms * 1e3 if math.isfinite(each.ms) else None
        cells: list[report.Cell] = [
            choice.operation, choice.reads, each.name, each.parameters, us, number == 0,
        ]  # fmt: skip
        yield Row(cells, ids, at.line if at is not None else None)
