"""A run's report against the checks of an exercise: what each saw, in a sentence."""

import re
from typing import Any

import msgspec

from compiler_core import inputs, report
from webapp.workshops.exercises import reasons
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import KINDS, Seen

# How values are drawn is no part of a call that was made.
_DRAWN = re.compile(r"~\w+\([^()]*\)")


class Result(msgspec.Struct, frozen=True):
    """What became of one check: `wants` what is to be reached and `says` what was seen, both in
    words; `pending` while that is not over."""

    wants: str
    passed: bool
    says: str
    pending: bool = False


def wants(definition: Definition) -> list[str]:
    """What each check wants, in words."""
    return [KINDS[type(check)].wants(check) for check in definition.check]


def check(definition: Definition, whole: report.Report, is_other: str = "") -> list[Result]:
    """What each check of the exercise saw in a report of a run that has ended; `is_other` says why
    that is not the run of the exercise's call, where it is not."""
    programs = called(whole, definition.call)
    missing = is_other or ("" if programs else _missing(definition, whole))
    return [
        Result(KINDS[type(each)].wants(each), *(_failed(missing) or _over(each, programs, whole)))
        for each in definition.check
    ]


def called(whole: report.Report, call: str) -> list[report.Program]:
    """The programs that were called so."""
    wanted = _plain(str(inputs.calls(call)[0]))
    return [p for p in whole.programs if _plain(p.called) == wanted]


def _plain(call: str) -> str:
    return _DRAWN.sub("", call).replace(" ", "")


def _failed(says: str) -> Seen | None:
    return Seen(False, says) if says else None


def _missing(definition: Definition, whole: report.Report) -> str:
    """Why nothing can be checked."""
    if whole.error is not None:
        return f"The snippet failed: {reasons.short(whole.error.message)}."
    if not whole.programs:
        return "The run has no program: it ended before one was found."
    names = ", ".join(p.called or f'"{p.name}"' for p in whole.programs[:5])
    return f"The run called {reasons.short(names)}, and the exercise is about {definition.call}."


def _over(wanted: Any, programs: list[report.Program], whole: report.Report) -> Seen:
    """Of several programs the first that does not pass is told of."""
    seen = [_one(wanted, program, whole.options) for program in programs]
    return next((each for each in seen if not each.passed), seen[0])


def _one(wanted: Any, program: report.Program, options: report.Options) -> Seen:
    if program.error is not None:
        where = f"at {program.error.stage}: {reasons.short(program.error.message)}"
        return Seen(False, f'"{program.name}" failed {where}.')
    return KINDS[type(wanted)].judge(wanted, program, options)


def speedup(definition: Definition, whole: report.Report) -> float | None:
    """The core's over eager, of the slowest program that the checks are about; None where one has
    none."""
    programs = called(whole, definition.call)
    timings = [p.timings.get("core") for p in programs]
    found = [t.speedup for t in timings if t is not None and t.verdict != "wrong result"]
    known = [each for each in found if each is not None and each > 0]
    return min(known) if known and len(known) == len(programs) else None
