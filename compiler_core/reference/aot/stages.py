"""The records of AOTAutograd as stages of the report, and its findings."""

from collections.abc import Iterator, Sequence

from compiler_core import report
from compiler_core.reference.aot.records import Again, Divided, Kept, Write
from compiler_core.reference.fx_text import Line
from compiler_core.reference.inductor.stages import Naming, graph_text
from compiler_core.reference.origins import Origin
from compiler_core.report import Column, Finding, Row, Table
from compiler_core.wording import counted

NO_GRADIENTS = "no input or parameter records gradients, so there is no backward pass"
_REMEDY = (
    "torch.utils.checkpoint.checkpoint around the lines that compute it has the backward pass "
    "compute it again"
)
# A saved value has an entry in the why-list if it is at least this share of all saved bytes, and
# has at least so many.
_LARGE_SHARE, _LARGE_BYTES = 0.1, 16 * 1024
_MOST_FINDINGS = 5


def text_stage(naming: Naming, base: str, lines: Sequence[Line], note: str = "") -> report.Stage:
    """The stage of one graph's text."""
    count = sum(" = " in text and not text.endswith(" = input") for text, _ in lines)
    summary = "; ".join(filter(None, [counted(count, "operation"), note]))
    return naming.stage(base, [graph_text(naming, "graph", lines)], summary=summary)


def writes_stage(naming: Naming, graph: Divided) -> report.Stage:
    """The stage of in-place writes."""
    rows = [_write(naming, each) for each in graph.writes]
    table = Table("writes in place", [Column("what"), Column("became")], rows)
    summary = f"{counted(len(rows), 'write')} in place made functional"
    return naming.stage("functionalization", tables=[table], summary=summary)


def _write(naming: Naming, write: Write) -> Row:
    return Row([write.what, write.became], *_place(naming, write.origin))


def partition_stage(naming: Naming, graph: Divided) -> report.Stage:
    """The stage of saved and recomputed values."""
    own = [k for k in graph.kept if not k.given and not k.of]
    values = counted(len(own), "value")
    summary = f"{graph.stored_bytes:,} bytes in {values} kept for the backward pass"
    if graph.again:
        summary += f"; {counted(len(graph.again), 'operation')} computed again in it"
    tables = [_kept_table(naming, graph.kept), _again_table(naming, graph.again)]
    return naming.stage("partition", tables=[t for t in tables if t.rows], summary=summary)


_COLUMNS = [Column("value"), Column("operation"), Column("type"), Column("size", "bytes")]


def _kept_table(naming: Naming, kept: Sequence[Kept]) -> Table:
    columns = [
        *_COLUMNS,
        Column("view of", about="A view of a value that is kept or given anyway is counted there."),
        Column("why"),
    ]
    # What is there anyway comes last, and is the most in number.
    ordered = sorted(kept, key=lambda k: (k.given, bool(k.of), -k.bytes))
    rows = [
        Row([k.name, k.op, k.type, k.bytes, k.of, k.why], *_place(naming, k.origin))
        for k in ordered
    ]
    return Table("kept for backward", columns, rows)


def _again_table(naming: Naming, again: Sequence[Again]) -> Table:
    rows = [Row([a.name, a.op, a.type, a.bytes, a.why], *_place(naming, a.origin)) for a in again]
    about = "What the backward pass computes once more instead of reading it from memory."
    return Table("computed again", [*_COLUMNS, Column("why")], rows, about)


def _place(naming: Naming, origin: Origin | None) -> tuple[list[int], int | None]:
    return ([], None) if origin is None else (naming.ids([origin]), origin.line)


def findings(naming: Naming, graph: Divided) -> Iterator[Finding]:
    """A finding for each of the largest values saved for the backward pass."""
    least = max(_LARGE_BYTES, _LARGE_SHARE * graph.stored_bytes)
    large = [k for k in graph.kept if k.bytes >= least and not k.given and not k.of]
    for each in sorted(large, key=lambda k: -k.bytes)[:_MOST_FINDINGS]:
        nodes, line = _place(naming, each.origin)
        yield Finding(
            "kept for backward", "aot",
            f"{each.type} of {each.op} is kept for the backward pass", each.why, _REMEDY, line,
            None if each.origin is None else each.origin.column - 1,
            nodes=nodes, bytes=each.bytes, raw=each.name,
        )  # fmt: skip
