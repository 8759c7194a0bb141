"""Coming into a workshop, being in it, and going."""

import unicodedata
from itertools import chain, count
from typing import Protocol

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.utils import timezone

from webapp.errors import Refusal
from webapp.workshops import leading
from webapp.workshops.models import NAME, Seat, Workshop, expiry, living, named, seated
from webapp.workshops.wire import Door, Joining, NewWorkshop

# As many as the wall and the channel layer were built for.
MOST_SEATS = 200
# Of one person's; the others end.
MOST_KEPT = 20
_ASK = "Ask whoever leads the workshop."
REMOVED = Refusal(403, "You were removed from this workshop.", _ASK, "code")
_LEADS_ELSEWHERE = Refusal(
    403,
    "This leader link does not lead this workshop: it was cut short, or is another's.",
    "Copy it anew where you lead, or join as the others do.",
    "lead",
)


def open_workshop(wanted: NewWorkshop, owner: str) -> Workshop:
    """A new workshop, led by the person with this digest."""
    phrase = make_password(wanted.pass_phrase) if wanted.pass_phrase else ""
    with transaction.atomic():
        workshop = Workshop.objects.create(
            title=wanted.title, pass_phrase=phrase, options=wanted.options
        )
        Seat.objects.create(workshop=workshop, owner=owner, name=wanted.name, leads=True)
    return workshop


def find(code: str) -> Workshop | Refusal:
    """The workshop with this code."""
    return named(code).filter(living()).first() or Refusal(
        404,
        f'There is no workshop "{code[:40]}".',
        "Check the code with whoever leads it; a workshop is deleted 30 days after its last use.",
        "code",
    )


def seat_of(workshop: Workshop, owner: str) -> Seat | None:
    """Where the person with this digest sits; None if they are not in the workshop."""
    return seated(workshop).filter(owner=owner).first() if owner else None


def was_removed(workshop: Workshop, owner: str) -> bool:
    """Whether the person with this digest may not come in again."""
    return Seat.objects.filter(workshop=workshop, owner=owner, removed=True).exists()


def outside(workshop: Workshop, owner: str) -> Refusal:
    """What somebody is told who is not in the workshop."""
    if was_removed(workshop, owner):
        return REMOVED
    remedy = f"Join it first, at /w/{workshop.code}."
    return Refusal(403, "You are not in this workshop.", remedy, "code")


def door(workshop: Workshop, owner: str) -> Door:
    """What the workshop shows from outside."""
    return Door(
        code=workshop.code,
        title=workshop.title,
        leaders=_leaders(workshop),
        wants_pass_phrase=bool(workshop.pass_phrase),
        locked=workshop.locked,
        seated=seat_of(workshop, owner) is not None,
        removed=was_removed(workshop, owner),
        was_inside=Seat.objects.filter(workshop=workshop, owner=owner, removed=False).exists(),
    )


def _leaders(workshop: Workshop) -> list[str]:
    """The leader's second machine is another seat of the same name."""
    names = seated(workshop).filter(leads=True).order_by("pk").values_list("name", flat=True)
    return list(dict.fromkeys(names))


class Tries(Protocol):
    """The pass phrases that were tried at this door."""

    def refusal(self) -> Refusal | None:
        """Why another one is not looked at."""

    def was_wrong(self) -> None:
        """Counts one."""


def join(workshop: Workshop, wanted: Joining, owner: str, tries: Tries) -> Seat | Refusal:
    """A seat for the person with this digest: theirs where they had one, under the name that they
    now say, with a number where it is another's."""
    leads = leading.proves(workshop.code, wanted.lead)
    if wanted.lead and not leads:
        return _LEADS_ELSEWHERE
    before = Seat.objects.filter(workshop=workshop, owner=owner).first()
    refusal = None if leads else _closed(workshop, wanted, before, tries)
    if refusal is not None:
        return refusal
    name = wanted.name if leads else apart(workshop, owner, wanted.name)
    said = {"name": name, "left": False, "seen": timezone.now()}
    if leads:
        said |= {"leads": True, "removed": False}
    seat, _ = Seat.objects.update_or_create(workshop=workshop, owner=owner, defaults=said)
    Workshop.objects.filter(pk=workshop.pk).update(expires=expiry())
    return seat


def called(workshop: Workshop, seat: Seat | None, name: str) -> Refusal | None:
    """Why the person at this seat, or a new one, may not have this name: it is a leader's. In the
    shared text and on the board a name is all that is seen of a person."""
    if seat is not None and (seat.leads or seat.name == name):
        return None
    leaders = Seat.objects.filter(workshop=workshop, leads=True).values_list("name", flat=True)
    if _alike(name) not in map(_alike, leaders):
        return None
    remedy = "Take another name; whoever leads from a second machine comes by the leader link."
    return Refusal(422, f'"{name}" is the name of who leads this workshop.', remedy, "name")


def apart(workshop: Workshop, owner: str, name: str) -> str:
    """What the person with this digest is called who says this name: "Sam (2)" where a seat of
    another is called Sam. Those who lead are one person at several machines."""
    seats = Seat.objects.filter(workshop=workshop)
    others = seats.exclude(owner=owner)
    if seats.filter(owner=owner, leads=True).exists():
        others = others.filter(leads=False)
    taken = set(map(_alike, others.values_list("name", flat=True)))
    numbered = (f"{name[: NAME - 6]} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if _alike(each) not in taken)


def _alike(name: str) -> str:
    """The same for names that are read as one."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def _closed(
    workshop: Workshop, wanted: Joining, before: Seat | None, tries: Tries
) -> Refusal | None:
    """Why somebody may not come in."""
    if before is not None and before.removed:
        return REMOVED
    if refusal := called(workshop, before, wanted.name):
        return refusal
    # Who has been inside has said the pass phrase, and comes back through a locked door.
    if before is not None:
        return None
    if workshop.locked:
        return Refusal(403, "The door of this workshop is locked.", _ASK, "code")
    if workshop.pass_phrase and (refusal := _unproven(workshop, wanted, tries)):
        return refusal
    if seated(workshop).count() >= MOST_SEATS:
        return Refusal(403, f"All {MOST_SEATS} seats are taken.", _ASK, "code")
    return None


def _unproven(workshop: Workshop, wanted: Joining, tries: Tries) -> Refusal | None:
    """Why the pass phrase that somebody says does not open the door."""
    if not wanted.pass_phrase:
        return Refusal(403, "A pass phrase is wanted.", _ASK, "pass_phrase")
    if refusal := tries.refusal():
        return refusal
    if check_password(wanted.pass_phrase, workshop.pass_phrase):
        return None
    tries.was_wrong()
    return Refusal(403, "The pass phrase is another.", _ASK, "pass_phrase")


def leave(seat: Seat) -> None:
    """Gives the seat up; its person may come again."""
    Seat.objects.filter(pk=seat.pk).update(left=True, follows=False, pen=False)


def set_removed(workshop: Workshop, seat_id: int, removed: bool) -> Refusal | None:
    """Removes the person at this seat, or lets them back in to it."""
    return remove(workshop, seat_id) if removed else let_back(workshop, seat_id)


def let_back(workshop: Workshop, seat_id: int) -> Refusal | None:
    """The person at this seat, who was removed, has it again, with all its work."""
    if Seat.objects.filter(workshop=workshop, pk=seat_id, removed=True).update(removed=False):
        return None
    remedy = "Those who were removed are at the end of the list of seats."
    return Refusal(404, f"There is no seat {seat_id} of anybody who was removed.", remedy, "seat")


def remove(workshop: Workshop, seat_id: int) -> Refusal | None:
    """The person at this seat is out at once, and may not come again before they are let."""
    others = seated(workshop).filter(pk=seat_id, leads=False)
    if others.update(removed=True, follows=False, pen=False):
        return None
    return Refusal(404, f"There is no seat {seat_id} to remove.", "Leaders stay.", "seat")


def mute(workshop: Workshop, seat_id: int, muted: bool) -> Refusal | None:
    """The others see the person at this seat no more, nor what they write; or see them again."""
    others = seated(workshop).filter(pk=seat_id, leads=False)
    if others.update(muted=muted, **({"pen": False} if muted else {})):
        return None
    return Refusal(404, f"There is no seat {seat_id} to mute.", "Leaders are not muted.", "seat")


def keep(workshop: Workshop, seat: Seat, kept: bool) -> Refusal | None:
    """The workshop is there for good; or for 30 days again."""
    led = Workshop.objects.filter(seats__owner=seat.owner, seats__leads=True, kept=True)
    if kept and led.exclude(pk=workshop.pk).count() >= MOST_KEPT:
        message = f"You keep {MOST_KEPT} workshops already."
        return Refusal(422, message, "Let one of them end.", "kept")
    return None
