"""Who may write in the shared text: whoever leads, and whoever was given the pen."""

from django.db.models import Q, QuerySet

from webapp.errors import Refusal
from webapp.workshops.models import Seat, Workshop, seated

_WRITES = Q(leads=True) | Q(pen=True)


def holds(seat: Seat) -> bool:
    """Whether this person may write."""
    return seat.leads or seat.pen


def holders(code: str) -> QuerySet[Seat]:
    """Who may write in the workshop with this code."""
    return seated(Workshop(pk=code)).filter(_WRITES)


def give(workshop: Workshop, seat_id: int, pen: bool) -> Refusal | None:
    """Gives the person at this seat the pen, or takes it."""
    others = seated(workshop).filter(pk=seat_id, leads=False)
    if pen and others.filter(muted=True).exists():
        return Refusal(422, "This person is muted.", "Unmute them first.", "pen")
    if others.update(pen=pen):
        return None
    return Refusal(
        404, f"There is no seat {seat_id} to give the pen to.", "Leaders always have it.", "seat"
    )
