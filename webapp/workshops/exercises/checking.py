"""A run's report against the checks of an exercise: what each saw, in a sentence."""

from typing import Any

import msgspec

from compiler_core import report
from webapp.workshops.exercises import reasons
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import KINDS, Seen


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


def options(definition: Definition) -> dict[str, Any]:
    """The options of a run that has all that its checks read, and nothing that none of them does:
    `measure`, `insides` and `compilers`."""
    kinds = [KINDS[type(check)] for check in definition.check]
    named = {getattr(check, "compiler", "") for check in definition.check}
    compilers = [each.id for each in report.CHOICES if each.role == "own" or each.id in named]
    # What an exercise calls itself it looks into itself.
    looked = [check for check in definition.check if not getattr(check, "over", None)]
    insides = dict.fromkeys(inside for check in looked for inside in KINDS[type(check)].insides)
    measured = any(kind.measured for kind in kinds)
    return {"measure": measured, "insides": [*insides], "compilers": compilers}


def check(definition: Definition, whole: report.Report) -> list[Result]:
    """What each check of the exercise saw in a report of a run that has ended."""
    programs = [p for p in whole.programs if definition.program in ("", p.name)]
    missing = _missing(definition, whole, programs)
    return [
        Result(KINDS[type(each)].wants(each), *(missing or _over(each, programs, whole.options)))
        for each in definition.check
    ]


def _missing(
    definition: Definition, whole: report.Report, programs: list[report.Program]
) -> Seen | None:
    """Why nothing can be checked; None where something can."""
    if programs:
        return None
    if whole.error is not None:
        return Seen(False, f"The snippet failed: {reasons.short(whole.error.message)}.")
    if not whole.programs:
        return Seen(False, "The run has no program: it ended before one was found.")
    names = ", ".join(f'"{p.name}"' for p in whole.programs[:5])
    return Seen(False, f'The run has no program "{definition.program}", but {names}.')


def _over(wanted: Any, programs: list[report.Program], options: report.Options) -> Seen:
    """Of several programs the first that does not pass is told of."""
    seen = [_one(wanted, program, options) for program in programs]
    return next((each for each in seen if not each.passed), seen[0])


def _one(wanted: Any, program: report.Program, options: report.Options) -> Seen:
    if program.error is not None:
        told = f"at {program.error.stage}: {reasons.short(program.error.message)}"
        return Seen(False, f'"{program.name}" failed {told}.')
    return KINDS[type(wanted)].judge(wanted, program, options)


def speedup(definition: Definition, whole: report.Report) -> float | None:
    """The core's over eager, of the slowest program that the checks are about; None where one has
    none."""
    programs = [p for p in whole.programs if definition.program in ("", p.name)]
    timings = [p.timings.get("core") for p in programs]
    found = [t.speedup for t in timings if t is not None and t.verdict != "wrong result"]
    known = [each for each in found if each is not None and each > 0]
    return min(known) if known and len(known) == len(programs) else None
