"""What an exercise wants held against a stored report, in a process apart."""

import msgspec

from compiler_core import report
from webapp.runs.stored import decoded
from webapp.workshops.exercises import calls, checking, figures, reasons
from webapp.workshops.exercises.checking import Result
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.kinds import Recompiles


class Checked(msgspec.Struct, frozen=True):
    """What each check saw, and how fast it was."""

    results: list[Result]
    speedup: float | None


# By compiler, of each set of inputs the outputs.
Outputs = dict[str, list[list[report.Sample]]]


class CallOutputs(msgspec.Struct, frozen=True):
    """What the call that a run was asked for gives; where that is None, `why`."""

    outputs: Outputs | None
    why: str = ""


def checked(definition: bytes, is_other: bytes, stored: bytes) -> bytes:
    """The JSON of a Checked: the report of a run that has ended, by the JSON of a Definition, and
    by why the run is not the one that it is about, blank where it is."""
    wanted, whole = msgspec.json.decode(definition, type=Definition), decoded(stored)
    results = checking.check(wanted, whole, is_other.decode())
    return msgspec.json.encode(Checked(results, checking.speedup(wanted, whole)))


def called(check: bytes, stored: bytes) -> bytes:
    """The JSON of a Seen: the report of the calls, by the JSON of a Recompiles."""
    wanted = msgspec.json.decode(check, type=Recompiles)
    return msgspec.json.encode(calls.judge(wanted, decoded(stored)))


def wrong(definition: bytes, stored: bytes) -> bytes:
    """Why the report of a program by itself does not pass, by the JSON of a Definition."""
    wanted = msgspec.json.decode(definition, type=Definition)
    return figures.wrong(wanted, decoded(stored)).encode()


def call_outputs(stored: bytes) -> bytes:
    """The JSON of a CallOutputs."""
    whole = decoded(stored)
    programs = _asked_for(whole)
    outputs = programs[0].outputs if programs else {}
    if outputs.get("eager"):
        return msgspec.json.encode(CallOutputs(outputs))
    error = whole.error or next((p.error for p in programs if p.error), None)
    if error is not None:
        return msgspec.json.encode(CallOutputs(None, reasons.short(error.message)))
    given = "it gives other numbers at each call" if programs else "it ended before its outputs"
    return msgspec.json.encode(CallOutputs(None, given))


def _asked_for(whole: report.Report) -> list[report.Program]:
    """The programs of the call that the run was asked for."""
    return checking.called(whole, whole.options.inputs)
