"""What an exercise wants held against a stored report, in a process apart."""

import msgspec

from webapp.runs.stored import decoded
from webapp.workshops.exercises import calls, checking
from webapp.workshops.exercises.checking import Result
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.kinds import Recompiles


class Checked(msgspec.Struct, frozen=True):
    """What each check saw, and how fast it was."""

    results: list[Result]
    speedup: float | None


class Told(msgspec.Struct, frozen=True):
    """What a run printed, and why it failed; None where it did not."""

    printed: str
    error: str | None


def checked(definition: bytes, stored: bytes) -> bytes:
    """The JSON of a Checked: the report of a run that has ended, by the JSON of a Definition."""
    wanted, whole = msgspec.json.decode(definition, type=Definition), decoded(stored)
    return msgspec.json.encode(
        Checked(checking.check(wanted, whole), checking.speedup(wanted, whole))
    )


def called(check: bytes, stored: bytes) -> bytes:
    """The JSON of a Seen: the report of the calls, by the JSON of a Recompiles."""
    return msgspec.json.encode(
        calls.judge(msgspec.json.decode(check, type=Recompiles), decoded(stored))
    )


def told(stored: bytes) -> bytes:
    """The JSON of a Told."""
    whole = decoded(stored)
    error = whole.error.message if whole.error else None
    return msgspec.json.encode(Told(whole.output.stdout, error))
