"""What the leader says of somebody's work, and the text that is sent back with it."""

from webapp.errors import Refusal
from webapp.workshops.models import Seat, SentBack, Workshop, seated


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
