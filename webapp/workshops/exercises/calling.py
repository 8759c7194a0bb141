"""The run in which an exercise calls somebody's function, as calls.py composes it."""

from collections.abc import Sequence

import msgspec

from webapp.apart import asking as apart
from webapp.runs import views
from webapp.runs.models import FINAL, Run
from webapp.workshops.exercises import asking, calls, judged
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Recompiles
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Seat


def begin(seat: Seat, exercise: Exercise, check: Recompiles, run: Run, _: bool) -> list[str]:
    """Asks for the run; its id. Raises Refused where there is no room for it."""
    wanted = calls.options(run.source)
    composed, whose = calls.snippet(run.source, check), f"calls of seat {seat.pk}"
    return [asking.ask(exercise, composed, wanted, whose, f"{check.function} {check.over}")]


def seen(_: Exercise, check: Recompiles, runs: Sequence[str]) -> Seen | None:
    """What came of it; None while the run goes on."""
    # An attempt from before may have a second one, which is looked at no more.
    run = Run.objects.filter(pk=runs[0]).first()
    if run is None:
        return Seen(False, "The run that calls it is gone, check another one.")
    if run.state not in FINAL:
        return None
    found = apart.done(judged.called, msgspec.json.encode(check), views.stored(run))
    return msgspec.json.decode(found, type=Seen)
