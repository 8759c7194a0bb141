"""The runs that compare somebody's function with the reference's over hidden inputs. Each is a run
as any other, of the sandbox and in its turn; nobody is given its id."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from compiler_core import report
from webapp.apart import asking as apart
from webapp.runs import views
from webapp.runs.models import FINAL, Run
from webapp.workshops.exercises import asking, hidden, judged, reasons
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Equal
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Seat


class Pair(NamedTuple):
    """The ids of the two runs."""

    mine: str
    reference: str


def begin(seat: Seat, exercise: Exercise, check: Equal, source: str) -> Pair:
    """Asks for both runs; that of the reference is the same for all seats. Raises Refused where
    there is no room for them."""
    key, wanted = _key(exercise, check), report.Options(measure=False, compilers=("core",))

    def ask(text: str, whose: str) -> str:
        composed = hidden.snippet(text, key, check.function, check.inputs, exercise.right)
        return asking.ask(exercise, composed, wanted, whose, key)

    mine = ask(source, f"seat {seat.pk}")
    return Pair(mine, ask(exercise.right, f"exercise {exercise.pk}"))


def seen(exercise: Exercise, check: Equal, of: Sequence[str]) -> Seen | None:
    """What came of it; None while one of the two goes on."""
    pair = Pair(*of)
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
    said = msgspec.json.decode(apart.done(judged.told, views.stored(run)), type=judged.Told)
    found = hidden.outputs(said.printed, key)
    if found is not None:
        return found
    return reasons.short(said.error) if said.error is not None else "it ended before its outputs"


def _key(exercise: Exercise, check: Equal) -> str:
    return f"{exercise.pk} {check.function} {check.inputs}"
