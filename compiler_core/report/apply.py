"""Applies the events of a run to its report, one by one."""

from typing import Any

from compiler_core.report.events import (
    Event,
    Facts,
    Finished,
    Noticed,
    Printed,
    ProgramFailed,
    ProgramFound,
    SnippetFailed,
    StageBegan,
    StageDone,
    Started,
)
from compiler_core.report.graphs import Graph
from compiler_core.report.program import Program
from compiler_core.report.report import Report

# The fields of Facts that restrict which entries a list replaces, and those that replace.
_SCOPE = ("graph", "backend", "compiler")
_FACTS = tuple(n for n in Facts.__struct_fields__ if n not in ("program", *_SCOPE))


def apply(report: Report, event: Event) -> Report:
    """Applies `event` to `report`, which is changed in place and returned.

    Raises IndexError for a program that was not announced.
    """
    match event:
        case Started():
            report.snippet, report.toolchain = event.snippet, event.toolchain
            report.device, report.options = event.device, event.options
        case Printed(stream="stdout"):
            report.output.stdout += event.text
        case Printed():
            report.output.stderr += event.text
        case Noticed():
            report.notices.append(event.notice)
        case SnippetFailed():
            report.error, report.candidates = event.error, event.candidates
        case ProgramFound():
            if event.program != len(report.programs):
                raise IndexError(f"program {event.program} announced out of order")
            report.programs.append(_announced(event))
        case StageBegan():
            pass
        case StageDone():
            report.programs[event.program].stages.append(event.stage)
        case Facts():
            _replace(report.programs[event.program], event)
        case ProgramFailed():
            program = report.programs[event.program]
            program.status, program.error = "failed", event.error
        case Finished():
            report.protocol = event.protocol
    return report


def _announced(event: ProgramFound) -> Program:
    """A new program, with its root graph."""
    return Program(
        event.name,
        event.framework,
        event.entry,
        inputs=event.inputs,
        graphs=[Graph(name=event.name, line=event.entry.line)],
        backend=event.backend,
        assumed=event.assumed,
        called=event.called,
    )


def _replace(program: Program, event: Facts) -> None:
    for name in _FACTS:
        value = getattr(event, name)
        if isinstance(value, list):
            value = [e for e in getattr(program, name) if not _is_replaced(e, event)] + value
        if value is not None:
            setattr(program, name, value)


def _is_replaced(entry: Any, event: Facts) -> bool:
    """Whether the event's list replaces `entry`: whether it has the event's graph, backend and
    compiler, as far as these are given."""
    wanted = ((scope, getattr(event, scope)) for scope in _SCOPE)
    return all(value in (None, getattr(entry, scope, value)) for scope, value in wanted)


def failed(report: Report) -> bool:
    """Whether the snippet or one of its programs failed, so that the command line exits with 1."""
    return report.error is not None or any(p.status == "failed" for p in report.programs)
