"""The runs that compare somebody's function with the reference's over hidden inputs. Each is a run
as any other, of the sandbox and in its turn; nobody is given its id."""

import hashlib
from typing import Any, NamedTuple

import msgspec

from compiler_core import report
from webapp.errors import Refusal, Refused
from webapp.runs import create, views
from webapp.runs.models import FINAL, Run
from webapp.runs.wire import NewRun
from webapp.workshops.exercises import hidden, reasons
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Equal
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Seat

_TOO_LONG = Refusal(
    413,
    "The snippet is too long to be compared over hidden inputs.",
    "Cut it down to the function that the exercise is about.",
    "run",
)


class Pair(NamedTuple):
    """The ids of the two runs."""

    mine: str
    reference: str


def begin(seat: Seat, exercise: Exercise, check: Equal, source: str) -> Pair:
    """Asks for both runs; that of the reference is the same for all seats. Raises Refused where
    there is no room for them."""
    key, pinned = _key(exercise, check), exercise.workshop.options
    options = msgspec.convert({"measure": False, "compilers": ["core"], **pinned}, report.Options)

    def ask(text: str, owner: str) -> str:
        composed = hidden.snippet(text, key, check.function, check.inputs, exercise.right)
        if len(composed.encode()) > report.MAX_SOURCE_BYTES:
            raise Refused(_TOO_LONG)
        made, _ = create.create(NewRun(composed, options, editor="check"), _digest(owner))
        return made.pk

    mine = ask(source, f"seat {seat.pk}")
    return Pair(mine, ask(exercise.right, f"exercise {exercise.pk}"))


def seen(exercise: Exercise, check: Equal, pair: Pair) -> Seen | None:
    """What came of it; None while one of the two goes on."""
    runs = {run.pk: run for run in Run.objects.filter(pk__in=pair)}
    if any(run.state not in FINAL for run in runs.values()):
        return None
    key = _key(exercise, check)
    mine, right = (_told(runs.get(each), key) for each in pair)
    if isinstance(right, str):
        return Seen(False, f"The reference came to nothing, tell whoever leads: {right}.")
    if isinstance(mine, str):
        return Seen(False, f"Over hidden inputs it came to nothing: {mine}.")
    apart = hidden.difference(mine, right, check.tolerance)
    if apart:
        return Seen(False, f"Over hidden inputs it is not the reference: {apart}.")
    return Seen(True, f"Over {len(right)} sets of hidden inputs it is equal to the reference.")


def _told(run: Run | None, key: str) -> Any:
    """What a run printed of the outputs, or why it did not, in words."""
    if run is None:
        return "the run is gone, check another one"
    whole = views.whole(run)
    found = hidden.outputs(whole.output.stdout, key)
    if found is not None:
        return found
    return reasons.short(whole.error.message) if whole.error else "it ended before its outputs"


def _key(exercise: Exercise, check: Equal) -> str:
    return f"{exercise.pk} {check.function} {check.inputs}"


def _digest(owner: str) -> str:
    """As of a person's token: who waits takes turns by it."""
    return hashlib.sha256(f"webapp.workshops.exercises {owner}".encode()).hexdigest()
