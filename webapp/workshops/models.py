"""A workshop and its seats. The database has all that a page shows of them: who comes back, and a
web server that starts again, find it there."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from webapp.runs.models import ID_LENGTH
from webapp.workshops import code
from webapp.workshops.exercises.models import Attempt, Exercise, HintsSeen  # noqa: F401
from webapp.workshops.text.models import TextUpdate  # noqa: F401  Django looks for models here

# A place has the operations that the leader has chosen: a whole graph's, at times.
TITLE, NAME, COMMENT, PLACE, TAB = 80, 40, 500, 8192, 16


def expiry() -> datetime:
    """When a workshop in which something happens now expires."""
    return timezone.now() + timedelta(days=settings.RUN_DAYS)


class Workshop(models.Model):
    """A room. `leader` and the owners of seats are digests of tokens, as those of runs."""

    code = models.CharField(primary_key=True, max_length=code.LENGTH, default=code.new)
    title = models.CharField(max_length=TITLE)
    # Hashed as Django hashes passwords; blank: whoever has the code comes in.
    pass_phrase = models.CharField(max_length=128, blank=True)
    # What runs that are asked for in the room have, whatever the page says: device, target,
    # toolchain.
    options = models.JSONField(default=dict)
    locked = models.BooleanField(default=False)
    # Where the leader is: the path and fragment of a permalink; blank before the first run.
    place = models.CharField(max_length=PLACE, blank=True)
    # The id of the seat, of those who lead, that told of it; 0 before that.
    front = models.BigIntegerField(default=0)
    # Which of that seat's tabs did, as the tab calls itself; blank where none said.
    front_tab = models.CharField(max_length=TAB, blank=True)
    # The number of the snippet that was handed out last; 0: none yet.
    handed_out = models.PositiveIntegerField(default=0)
    # Whether seats see how far the others are with the exercises.
    board = models.BooleanField(default=False)
    expires = models.DateTimeField(default=expiry, db_index=True)
    # For good, whatever `expires` says.
    kept = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.code


def living() -> models.Q:
    """Which workshops there are: those that are kept, and those that have not expired."""
    return models.Q(kept=True) | models.Q(expires__gt=timezone.now())


class Seat(models.Model):
    """A person in a workshop. Who leaves or is removed keeps the row: the name of a removed person
    cannot be taken by coming in again."""

    workshop = models.ForeignKey(Workshop, on_delete=models.CASCADE, related_name="seats")
    owner = models.CharField(max_length=64)
    name = models.CharField(max_length=NAME)
    leads = models.BooleanField(default=False)
    # Not of this workshop any more; by the leader's will, not to come in again until they are let.
    left = models.BooleanField(default=False)
    removed = models.BooleanField(default=False)
    follows = models.BooleanField(default=False)
    # May write in the shared text, as leaders may.
    pen = models.BooleanField(default=False)
    # Seen by whoever leads, and by no other.
    muted = models.BooleanField(default=False)
    # Their text is another than that of the run at the seat.
    editing = models.BooleanField(default=False)
    # The run that was asked for last at this seat; it may be gone.
    run = models.CharField(max_length=ID_LENGTH, blank=True)
    # What the leader said of the work at it; blank once it was read.
    comment = models.CharField(max_length=COMMENT, blank=True)
    # When its page was last heard of.
    seen = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("workshop", "owner"), name="workshop_seat"),)

    def __str__(self) -> str:
        return f"{self.workshop_id} {self.name}"


class Deck(models.Model):
    """The course that a workshop has: its files as they were read, and how many pages are in them,
    0 where it is exercises alone; the page at which the leader is, from 0, how often a leader
    turned to one, and the how many-th course it is."""

    workshop = models.OneToOneField(
        Workshop, on_delete=models.CASCADE, primary_key=True, related_name="deck"
    )
    files = models.JSONField()
    pages = models.PositiveSmallIntegerField()
    page = models.PositiveSmallIntegerField(default=0)
    edition = models.PositiveIntegerField(default=1)
    turns = models.PositiveIntegerField(default=0)
    # What a leader ran last in each block where something is run: by "page block", both from 0.
    ran = models.JSONField(default=dict)
    # Whether the leader went to a page of it last, and to no run since.
    latest = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.workshop_id} {self.page + 1} of {self.pages}"


class SeatRun(models.Model):
    """A run that was asked for at a seat; the run may be gone."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="runs", db_index=False)
    run = models.CharField(max_length=ID_LENGTH)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("seat", "run"), name="workshop_seat_run"),)

    def __str__(self) -> str:
        return f"{self.seat_id} {self.run}"


class HandedOut(models.Model):
    """A snippet that a leader handed out to all seats, the how many-th, from 1."""

    workshop = models.ForeignKey(Workshop, on_delete=models.CASCADE, db_index=False)
    number = models.PositiveIntegerField()
    source = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("workshop", "number"), name="workshop_handed_out"),
        )
        ordering = ("number",)

    def __str__(self) -> str:
        return f"{self.workshop_id} {self.number}"


class SentBack(models.Model):
    """The text that came with the comment at a seat, until that was read. Apart from the seat,
    which is read whole for every look at the room."""

    seat = models.OneToOneField(
        Seat, on_delete=models.CASCADE, primary_key=True, related_name="sent_back"
    )
    source = models.TextField()

    def __str__(self) -> str:
        return str(self.seat_id)


def named(text: str) -> models.QuerySet[Workshop]:
    """The workshop with this code, as a query set of one or none; `text` may be any text."""
    return Workshop.objects.filter(pk=code.meant(text))


def seated(workshop: Workshop) -> models.QuerySet[Seat]:
    """Who is in the workshop, in the order of coming."""
    return Seat.objects.filter(workshop=workshop, left=False, removed=False).order_by("pk")


def came(workshop: Workshop) -> models.QuerySet[Seat]:
    """Who is in the workshop or has left it, and was not removed."""
    return Seat.objects.filter(workshop=workshop, removed=False).order_by("pk")


def seen_by(you: Seat) -> models.QuerySet[Seat]:
    """Those in the workshop of whom the person at the seat `you` is told: who is muted is seen by
    who leads, and by themselves."""
    hidden = models.Q(muted=True) & ~models.Q(pk=you.pk)
    everybody = seated(you.workshop)
    return everybody if you.leads else everybody.exclude(hidden)
