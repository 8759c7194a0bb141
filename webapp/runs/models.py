"""A run of a snippet, the events that its worker has sent, and the texts in them."""

import re
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

# No letter that is easily taken for another, and no sign that ends a word: ids are read aloud.
_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz"
ID_LENGTH = 24
_ID = re.compile(f"[{_ALPHABET}]{{{ID_LENGTH}}}")


class State(models.TextChoices):
    """The states of a run (lifecycle.py)."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = (State.QUEUED, State.RUNNING)
FINAL = (State.DONE, State.FAILED, State.CANCELLED)


def new_id() -> str:
    """An id of 120 random bits, which cannot be guessed."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(ID_LENGTH))


def id_of(digest: bytes) -> str:
    """The id that a digest of ID_LENGTH bytes stands for: of a run that is the same everywhere."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest)


def expiry() -> datetime:
    """When a run that is requested now expires, unless it is shared."""
    return timezone.now() + timedelta(days=settings.RUN_DAYS)


class Run(models.Model):
    """A snippet, its options, state and report: what a permalink shows."""

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id, editable=False)
    source = models.TextField()
    # What the source is called; blank of an early version's.
    title = models.CharField(max_length=80, blank=True)
    # What it came to (verdict.py); blank until it has ended, and of an early version's.
    verdict = models.CharField(max_length=240, blank=True)
    options = models.JSONField()
    # "cpu" or "cuda": the queue, and the device kind of the key.
    queue = models.CharField(max_length=8, default="cpu")
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    # The report from the moment the run ends, without its texts, as JSON in gzip; until then it
    # comes from the events. Of an early version: plain, with its texts.
    report = models.BinaryField(default=b"")
    # report.form() of the version that began the run: of its events, and of its report.
    form = models.CharField(max_length=16, blank=True)
    # Bytes that its texts, its events and its report take.
    stored = models.PositiveBigIntegerField(default=0)
    # Bytes that its source takes, also where it is cancelled before it begins.
    source_bytes = models.PositiveIntegerField(default=0)
    last_seq = models.PositiveIntegerField(default=0)
    # The id of the worker that has it, and what it raises while it does; how often the run was
    # begun, and how often it lost its worker (lifecycle.py, reconcile.py).
    worker = models.CharField(max_length=24, blank=True)
    beats = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    lost = models.PositiveSmallIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    # None: kept for good.
    expires = models.DateTimeField(null=True, default=expiry, db_index=True)
    shared = models.BooleanField(default=False)
    # Digest of the token of whoever made it, whose room it takes; the token itself is theirs only.
    owner = models.CharField(max_length=64, blank=True, db_index=True)
    # Digest of the address that it was asked for from, whose room it takes; blank of what the
    # service asks for itself, and of an early version's.
    address = models.CharField(max_length=64, blank=True, db_index=True)
    # Equal for requests that share one run; blank where nothing is known to share.
    key = models.CharField(max_length=64, blank=True, db_index=True)

    class Meta:
        indexes = (
            # Those that wait or run are few among many; and when a person was last served.
            models.Index(fields=("state", "created"), name="run_state"),
            models.Index(fields=("owner", "started"), name="run_served"),
        )

    def __str__(self) -> str:
        return f"{self.id} ({self.state})"

    @property
    def url(self) -> str:
        """The path of its permalink."""
        return f"/r/{self.id}"

    @property
    def seconds(self) -> float:
        """How long it has taken, from the request for it to its end, or until now; 0 where the
        clock was set back meanwhile."""
        took = (self.finished or timezone.now()) - self.created
        return max(0.0, round(took.total_seconds(), 3))


def named(run_id: str) -> models.QuerySet[Run]:
    """The run with this id, as a query set of one or none; `run_id` may be any text."""
    return Run.objects.filter(pk=run_id) if _ID.fullmatch(run_id) else Run.objects.none()


def of_attempt(runs: models.QuerySet[Run], attempt: int | None) -> models.QuerySet[Run]:
    """Those of `runs` that run at this attempt; None: all of them."""
    return runs if attempt is None else runs.filter(attempt=attempt, state=State.RUNNING)


class RunAsk(models.Model):
    """Somebody's asking for this run, who made it or was given it for the same request. What they
    do to it they do to their own asking: it ends, goes, and expires when nobody's is left."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="asks", db_index=False)
    # Digest of their token.
    owner = models.CharField(max_length=64)
    waits = models.BooleanField(default=True)
    # Which of their editors it came from, in whatever words; blank where they did not say.
    editor = models.CharField(max_length=40, blank=True)
    # What they call it; blank where the source's title is enough.
    name = models.CharField(max_length=80, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "owner"), name="run_asked"),)
        indexes = (models.Index(fields=("owner",), name="run_asker"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.owner[:8]}"


class RunText(models.Model):
    """A text of a run, stored once however many of its stages have it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="texts", db_index=False)
    sha256 = models.CharField(max_length=64)
    # JSON of a compiler_core.report.Text in gzip: it is sent as it is.
    content = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "sha256"), name="run_text"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.sha256}"


class RunArtifact(models.Model):
    """An entry of the list of artifacts of a run that has ended."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="artifacts", db_index=False)
    place = models.PositiveIntegerField()
    path = models.TextField()
    # The text that it is; blank of an empty one.
    sha256 = models.CharField(max_length=64, blank=True)
    # JSON of a webapp.runs.wire.ArtifactEntry.
    entry = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "path"), name="run_path"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.path}"


class RunCard(models.Model):
    """The picture of a run that stands beside its link (card.py)."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="card")
    # Digest of the token of whoever put it there; blank of an early version's.
    owner = models.CharField(max_length=64, blank=True)
    picture = models.BinaryField()

    def __str__(self) -> str:
        return self.run_id


class RunEvent(models.Model):
    """One event of a run, and its sequence number, from 1."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    # JSON of one compiler_core.report.Event.
    payload = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "seq"), name="run_seq"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq}"


class Pulse(models.Model):
    """One row, which whoever wants to know whether the database can be written counts up."""

    beats = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.beats)
