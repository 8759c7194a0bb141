"""Whether a function gives what the reference does: the reference is run on the inputs of
the run that is checked. It is a run as any other, of the sandbox and in its turn; nobody is given
its id."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from compiler_core import report
from webapp.apart import asking as apart
from webapp.runs import views
from webapp.runs.models import FINAL, Run
from webapp.workshops.exercises import asking, judged, outputs
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Equal
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Seat

_TITLES = {each.id: each.title for each in report.COMPILERS if each.role == "reference"}


class Pair(NamedTuple):
    """The ids of the two runs."""

    mine: str
    reference: str


def begin(seat: Seat, exercise: Exercise, _: Equal, run: Run) -> Pair:
    """Asks for the reference's run. Raises Refused where there is no room for it."""
    made = msgspec.convert(run.options, report.Options)
    # What the framework itself gives is right.
    wanted = report.Options(inputs=made.inputs, seed=made.seed, measure=False, compilers=())
    whose = f"reference for seat {seat.pk}"
    return Pair(run.pk, asking.ask(exercise, exercise.right, wanted, whose, "reference"))


def seen(exercise: Exercise, check: Equal, of: Sequence[str]) -> Seen | None:
    """What came of it; None while the reference's run goes on."""
    pair = Pair(*of)
    runs = {run.pk: run for run in Run.objects.filter(pk__in=pair)}
    if any(run.state not in FINAL for run in runs.values()):
        return None
    mine, right = (_told(runs.get(each)) for each in pair)
    if isinstance(right, str):
        return Seen(False, f"The reference came to nothing, tell whoever leads: {right}.")
    if isinstance(mine, str):
        return Seen(False, f"Over hidden inputs it came to nothing: {mine}.")
    for compiler, each in mine.items():
        if wrong := outputs.difference(each, right["eager"], check.tolerance):
            by = f", compiled by {_TITLES[compiler]}," if compiler in _TITLES else ""
            return Seen(False, f"Over hidden inputs it is{by} not the reference: {wrong}.")
    count = len(right["eager"])
    return Seen(True, f"Over {count} sets of hidden inputs it is equal to the reference.")


def _told(run: Run | None) -> judged.Outputs | str:
    """The outputs by each compiler, or why there are none, in words."""
    if run is None:
        return "the run is gone, check another one"
    said = msgspec.json.decode(apart.done(judged.told, views.stored(run)), type=judged.Told)
    return said.why if said.outputs is None else said.outputs
