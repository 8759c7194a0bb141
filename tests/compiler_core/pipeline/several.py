"""Snippets whose programs are several graphs, through the whole pipeline."""

from functools import cache, reduce

from compiler_core import report
from compiler_core.pipeline.order import explore


@cache
def events_of(source: str, measure: bool = False) -> tuple[report.Event, ...]:
    events: list[report.Event] = []
    options = report.Options(measure=measure, device="cpu", target="sm_90")
    explore(source, options, events.append)
    return tuple(events)


@cache
def program_of(source: str, measure: bool = False) -> report.Program:
    (program,) = reduce(report.apply, events_of(source, measure), report.Report()).programs
    assert program.status == "ok", program.error
    return program
