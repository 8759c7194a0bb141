"""Asks for the runs that checks are made by. Each is a run as any other, of the sandbox and in its
turn; nobody is given its id."""

import hashlib

import msgspec

from compiler_core import report
from webapp.errors import Refusal, Refused
from webapp.runs import create
from webapp.runs.wire import NewRun
from webapp.workshops.exercises.models import Exercise

# What takes most of a run is machine code for a GPU, which is there to be looked at.
_UNSEEN = {"target": report.NO_TARGET}
_TOO_LONG = Refusal(
    413,
    "The snippet is too long to be checked.",
    "Cut it down to the function that the exercise is about.",
    "run",
)


def ask(exercise: Exercise, source: str, wanted: report.Options, whose: str, check: str) -> str:
    """The id of a run of `source`, with what the room has pinned, but for no target; of those that
    `whose` and `check` name and that wait only the newest stays. Raises Refused where there is no
    room for it."""
    if len(source.encode()) > report.MAX_SOURCE_BYTES:
        raise Refused(_TOO_LONG)
    asked = msgspec.to_builtins(wanted) | exercise.workshop.options | _UNSEEN
    options = msgspec.convert(asked, report.Options)
    request = NewRun(source, options, editor=_editor(exercise, check))
    created, _ = create.create(request, _digest(whose))
    return str(created.pk)


def _editor(exercise: Exercise, check: str) -> str:
    """Another check of the same snippet waits beside this one, and does not take its place."""
    return _hashed(f"{exercise.pk} {check}")[:40]


def _digest(whose: str) -> str:
    """As of a person's token: who waits takes turns by it."""
    return _hashed(f"webapp.workshops.exercises {whose}")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
