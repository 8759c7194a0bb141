"""An exported program's signature and its sizes, as tables."""

from collections.abc import Mapping
from typing import Any

from compiler_core.reference.export.sizes import where
from compiler_core.report import Column, Row, Table


def signature(exported: Any) -> Table:
    """The graph's inputs and outputs, and what each is in the program."""
    given = exported.graph_signature
    rows = [_row("input", s) for s in given.input_specs] + [
        _row("output", s) for s in given.output_specs
    ]
    columns = [
        Column("side"),
        Column("name"),
        Column("kind"),
        Column("of", about="The parameter, the buffer or the input that it is."),
    ]
    about = "Parameters, buffers and constants are inputs; what is written to is an output."
    return Table("graph signature", columns, rows, about)


def _row(side: str, spec: Any) -> Row:
    name = getattr(spec.arg, "name", str(spec.arg))
    return Row([side, name, spec.kind.name.lower().replace("_", " "), spec.target])


def ranges(exported: Any, names: Mapping[str, str]) -> Table | None:
    """The sizes that vary, by their names, with their bounds; None if none does."""
    found, places = exported.range_constraints, where(exported)
    rows = [
        Row([names.get(size, size), places.get(size), _end(r.lower), _end(r.upper)])
        for size, r in ((str(symbol), r) for symbol, r in found.items())
    ]
    columns = [Column("size"), Column("of"), Column("at least"), Column("at most")]
    about = "An exported program checks these of every call."
    return Table("range constraints", columns, rows, about) if rows else None


def _end(bound: Any) -> int | None:
    """None of an infinity, which torch has a sympy object of its own for."""
    return int(bound) if getattr(bound, "is_Integer", isinstance(bound, int)) else None
