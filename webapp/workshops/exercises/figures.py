"""The figures of a program that was compiled by itself against the checks of an exercise: those of
the core alone, and none that goes by the names of operations, which are others there."""

from collections.abc import Iterator

from compiler_core import report
from webapp.workshops.exercises import checking
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import KINDS, Seen
from webapp.workshops.exercises.kinds import Bytes, Error, Kernels, LibraryCalls


def wrong(wanted: Definition, whole: report.Report) -> str:
    """What a check saw that does not pass; blank where all do."""
    return next((seen.says for seen in _seen(wanted, whole) if not seen.passed), "")


def _seen(wanted: Definition, whole: report.Report) -> Iterator[Seen]:
    for check in wanted.check:
        if isinstance(check, Kernels | LibraryCalls | Bytes | Error) and check.compiler == "core":
            for program in checking.called(whole, wanted.call):
                yield KINDS[type(check)].judge(check, program, whole.options)
