"""The snippets that whoever leads hands out to all seats."""

from itertools import accumulate

from django.db import transaction
from django.db.models.functions import Length

from webapp.errors import Refusal
from webapp.runs.title import title
from webapp.workshops.models import HandedOut, Workshop
from webapp.workshops.wire import HandOut, HandOutEntry

# Of one room, the newest: one every other minute for an hour and a half.
MOST = 50
# What they may have together, the newest as many as that is.
MOST_SIGNS = 2**20


def hand_out(workshop: Workshop, source: str) -> None:
    """Hands the snippet out; it is kept beside those before it. What was handed out last is not
    handed out again: all have been offered it."""
    with transaction.atomic():
        now = Workshop.objects.select_for_update().get(pk=workshop.pk)
        last = HandedOut.objects.filter(workshop=now, number=now.handed_out).first()
        if last is not None and last.source == source:
            return
        workshop.handed_out = now.handed_out = now.handed_out + 1
        now.save(update_fields=["handed_out"])
        HandedOut.objects.create(workshop=now, number=now.handed_out, source=source)
        HandedOut.objects.filter(workshop=now, number__lt=_oldest(now)).delete()


def _oldest(workshop: Workshop) -> int:
    """The number of the oldest that is kept."""
    newest = HandedOut.objects.filter(workshop=workshop).order_by("-number")
    sizes = newest.annotate(size=Length("source")).values_list("number", "size")[:MOST]
    taken = accumulate(size for _, size in sizes)
    kept = [number for (number, _), all_ in zip(sizes, taken, strict=True) if all_ <= MOST_SIGNS]
    return kept[-1]


def listed(workshop: Workshop) -> list[HandOutEntry]:
    """Those that are kept, the newest first."""
    every = HandedOut.objects.filter(workshop=workshop).order_by("-number")
    return [HandOutEntry(each.number, title(each.source), each.at) for each in every]


def find(workshop: Workshop, number: int) -> HandOut | Refusal:
    """The one of this number."""
    found = HandedOut.objects.filter(workshop=workshop, number=number).first()
    if found is not None:
        return HandOut(found.number, found.source)
    message = f"No snippet of number {number} was handed out here, or it is kept no more."
    return Refusal(404, message, "See the list of what was handed out.", "number")
