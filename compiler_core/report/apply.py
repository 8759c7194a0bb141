"""Events applied to a report, one by one."""

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
from compiler_core.report.program import Program
from compiler_core.report.report import Report

_FACTS = tuple(name for name in Facts.__struct_fields__ if name != "program")


def apply(report: Report, event: Event) -> Report:
    """`report` with `event` folded in; the report is changed in place and returned.

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
            report.programs.append(
                Program(event.name, event.framework, event.entry, inputs=event.inputs)
            )
        case StageBegan():
            pass
        case StageDone():
            report.programs[event.program].stages.append(event.stage)
        case Facts():
            program = report.programs[event.program]
            for name in _FACTS:
                value = getattr(event, name)
                if value is not None:
                    setattr(program, name, value)
        case ProgramFailed():
            program = report.programs[event.program]
            program.status, program.error = "failed", event.error
        case Finished():
            report.protocol = event.protocol
    return report


def failed(report: Report) -> bool:
    """Whether the snippet or one of its programs failed: exit code 1 of the command line."""
    return report.error is not None or any(p.status == "failed" for p in report.programs)
