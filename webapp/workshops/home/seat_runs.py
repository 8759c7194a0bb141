"""Which runs were asked for at a seat, and when."""

from datetime import datetime

from webapp.runs.models import Run
from webapp.workshops.models import Seat, SeatRun

# Of one seat, the newest: a run every ten seconds for an hour and a half.
MOST = 500


def note(seat: Seat) -> None:
    """The run that is at the seat now is one of its runs from now on."""
    if not seat.run:
        return
    SeatRun.objects.get_or_create(seat=seat, run=seat.run)
    beyond = SeatRun.objects.filter(seat=seat).order_by("-pk").values_list("pk", flat=True)[MOST:]
    SeatRun.objects.filter(pk__in=list(beyond)).delete()


def runs(seat: Seat) -> list[tuple[Run, datetime]]:
    """Those of its runs that are still there and that its person asked for themselves, not only
    opened, the oldest first, without their reports; each with when it was asked for there, which of
    a run that others had asked for before is later than its beginning."""
    order = dict(SeatRun.objects.filter(seat=seat).order_by("pk").values_list("run", "at"))
    own = Run.objects.filter(pk__in=order, asks__owner=seat.owner).defer("report")
    found = {run.pk: run for run in own}
    return [(found[each], at) for each, at in order.items() if each in found]
