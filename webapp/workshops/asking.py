"""Who sends a request of a workshop: their seat in it, or the refusal of those who have none."""

from typing import TypeVar

from django.http import HttpRequest

from webapp.errors import Refusal, Refused
from webapp.runs import owner, room
from webapp.workshops import door, kept
from webapp.workshops.models import Seat, Workshop

Found = TypeVar("Found")
# A longer body is a text, or a course, that is kept.
_SHORT_BYTES = 4096


def inside(request: HttpRequest, code: str) -> tuple[Workshop, Seat]:
    """The workshop, and the seat of whoever asks. Raises Refused (403, 404), and (503) where what
    they send has no room."""
    workshop: Workshop = known(door.find(code))
    who = owner.digest_of(request)
    seat = door.seat_of(workshop, who)
    if seat is None:
        raise Refused(door.outside(workshop, who))
    if len(request.body) > _SHORT_BYTES:
        keepable("what you sent")
    return workshop, seat


def keepable(what: str) -> None:
    """Raises Refused (503) where there is no room for `what`: on the disk, or in all workshops."""
    if refusal := room.disk(what) or kept.full(what):
        raise Refused(refusal)


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
