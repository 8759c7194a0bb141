"""Who sends a request of a workshop: their seat in it, or the refusal of those who have none."""

from typing import TypeVar

from django.http import HttpRequest

from webapp.errors import Refusal, Refused
from webapp.runs import owner
from webapp.workshops import door
from webapp.workshops.models import Seat, Workshop

Found = TypeVar("Found")


def inside(request: HttpRequest, code: str) -> tuple[Workshop, Seat]:
    """The workshop, and the seat of whoever asks. Raises Refused (403, 404)."""
    workshop: Workshop = known(door.find(code))
    who = owner.digest_of(request)
    seat = door.seat_of(workshop, who)
    if seat is None:
        raise Refused(door.outside(workshop, who))
    return workshop, seat


def leading(request: HttpRequest, code: str) -> tuple[Workshop, Seat]:
    """The same, of somebody who leads it. Raises Refused (403, 404)."""
    workshop, seat = inside(request, code)
    if seat.leads:
        return workshop, seat
    remedy = "Ask them, or open a workshop of your own."
    raise Refused(Refusal(403, "This is for whoever leads the workshop.", remedy, "code"))


def known(found: Found | Refusal) -> Found:
    """`found`, unless it is a refusal. Raises Refused."""
    if isinstance(found, Refusal):
        raise Refused(found)
    return found
