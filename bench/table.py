"""Rows as a table for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from bench.record import NAMES, RIVALS, WITHIN, Row


def to_text(rows: Sequence[Row], totals: dict[str, Any]) -> str:
    return "\n".join(_lines(rows, totals))


def _lines(rows: Sequence[Row], totals: dict[str, Any]) -> Iterator[str]:
    yield from _compilations(rows)
    if any(r.times for r in rows):
        yield ""
        yield from _times(rows, totals)
    for r in rows:
        yield from (f"{r.label}: {problem}" for problem in r.problems)


def _compilations(rows: Sequence[Row]) -> Iterator[str]:
    yield "Graphs, launches (generated, by a library, the framework's own), and the core's numbers"
    yield from _table(
        ["program", "graphs", "generated", "library", "framework", "native", "numbers"],
        [[r.label, *_counts(r), r.verdict] for r in rows],
    )


def _counts(row: Row) -> list[str]:
    core = row.made
    if core is None:
        return [""] * 5
    counts = (core.graphs, core.kernels, sum(core.library.values()), core.outside)
    return [*map(str, counts), f"{row.summary['native_share']:.0%}"]


def _times(rows: Sequence[Row], totals: dict[str, Any]) -> Iterator[str]:
    names = [n for n in NAMES if any(n in r.times for r in rows)]
    compiling = [n for n in names if n in ("core", *RIVALS)]
    yield "Run time, microseconds a call; the last column is the best of the others / core"
    yield from _table(
        ["program", *names, "best/core", ""],
        [[r.label, *(_number(r.us(n)) for n in names), _number(r.lead, 2), _mark(r)]
         for r in rows],
    )  # fmt: skip
    yield ""
    yield "Compiling, milliseconds: capture + from the graph (first call, all of it)"
    yield from _table(
        ["program", *compiling],
        [[r.label, *(_compiling(r, n) for n in compiling)] for r in rows],
    )
    yield ""
    yield from _summary(totals)


def _summary(totals: dict[str, Any]) -> Iterator[str]:
    means = ", ".join(f"{n} {_number(v, 2)}" for n, v in totals["eager_over"].items() if v)
    yield f"geometric mean of eager / compiler: {means}"
    yield f"geometric mean of the best rival / core: {_number(totals['best_rival_over_core'], 2)}"
    yield (
        f"core within {WITHIN - 1:.0%} of the best of the others, or ahead, on "
        f"{totals['within_10_percent_or_ahead']} of {totals['programs']}; "
        f"ahead on {totals['ahead']}"
    )
    ratios = ", ".join(f"{n} {_number(v, 1)}" for n, v in totals["compile_over_core"].items() if v)
    yield f"geometric mean of compiling from the graph, rival / core: {ratios}"


def _mark(row: Row) -> str:
    if row.lead is None:
        return "?"
    return "ahead" if row.lead > 1 else "within 10 %" if row.lead * WITHIN >= 1 else "behind"


def _compiling(row: Row, name: str) -> str:
    t = row.times.get(name)
    if t is None:
        return ""
    return f"{_number(t.capture_ms)} + {_number(t.compile_ms)} ({_number(t.first_call_ms)})"


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    for each in (head, *rows):
        numbers = (c.rjust(w) for c, w in zip(each[1:], widths[1:], strict=True))
        yield "  ".join([each[0].ljust(widths[0]), *numbers]).rstrip()
