"""What the leader says of somebody's work, and the text that is sent back with it."""

from django.db.models import Sum
from django.db.models.functions import Length

from webapp.errors import Refusal
from webapp.workshops.models import Seat, SentBack, Workshop, seated

# Of all seats of a room together, until they are read.
MOST_SIGNS = 2**20
_UNREAD = Refusal(
    422,
    f"The texts that were sent back in this workshop and not read yet would have more than "
    f"{MOST_SIGNS:,} characters.",
    "Wait until some have been read, or take some of these comments back.",
    "sent_back",
)


def comment(workshop: Workshop, seat_id: int, text: str) -> Refusal | None:
    """Sends the person at this seat what the leader has to say of their work; "" takes it back."""
    if (seat := _other(workshop, seat_id)) is None:
        return _nobody(seat_id)
    seat.comment = text
    seat.save(update_fields=["comment"])
    if text == "":
        read(seat)
    return None


def send_back(workshop: Workshop, seat_id: int, source: str) -> Refusal | None:
    """Sends a text with it, in the place of one that was not read yet."""
    if (seat := _other(workshop, seat_id)) is None:
        return _nobody(seat_id)
    others = SentBack.objects.filter(seat__workshop=workshop).exclude(seat=seat)
    taken = others.aggregate(sum=Sum(Length("source")))["sum"] or 0
    if taken + len(source) > MOST_SIGNS:
        return _UNREAD
    SentBack.objects.update_or_create(seat=seat, defaults={"source": source})
    return None


def sent_back(seat: Seat) -> str:
    """The text that the person at this seat was sent; "" for none."""
    return SentBack.objects.filter(seat=seat).values_list("source", flat=True).first() or ""


def read(seat: Seat) -> None:
    """What was said of it was read, and what came with it is theirs by now, or not wanted."""
    SentBack.objects.filter(seat=seat).delete()


def _other(workshop: Workshop, seat_id: int) -> Seat | None:
    return seated(workshop).filter(pk=seat_id, leads=False).first()


def _nobody(seat_id: int) -> Refusal:
    remedy = "Choose one of those who are in; leaders are not commented on."
    return Refusal(404, f"There is no seat {seat_id} to comment on.", remedy, "seat")
