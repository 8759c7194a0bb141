"""The exercises of a workshop, and how far each seat is with them."""

from django.db import models
from django.utils import timezone

from webapp.runs.models import ID_LENGTH

NAME = 40


class Exercise(models.Model):
    """An exercise as its author's files have it; `toml` says what is wanted (definition.py)."""

    workshop = models.ForeignKey(
        "workshops.Workshop", on_delete=models.CASCADE, related_name="exercises"
    )
    name = models.CharField(max_length=NAME)
    place = models.PositiveIntegerField()
    toml = models.TextField()
    # What is put into the editor; an answer that passes; what outputs are compared with.
    start = models.TextField()
    answer = models.TextField(blank=True)
    reference = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("workshop", "name"), name="workshop_exercise"),
        )
        ordering = ("place", "pk")

    def __str__(self) -> str:
        return f"{self.workshop_id} {self.name}"

    @property
    def right(self) -> str:
        """The snippet whose outputs are right."""
        return self.reference if self.reference.strip() else self.answer


class HintsSeen(models.Model):
    """How many hints of an exercise were opened at a seat."""

    seat = models.ForeignKey("workshops.Seat", on_delete=models.CASCADE, related_name="hints")
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="seen")
    count = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("seat", "exercise"), name="workshop_hints"),)

    def __str__(self) -> str:
        return f"{self.seat_id} {self.exercise_id} {self.count}"


class Attempt(models.Model):
    """A run that is a seat's answer to an exercise."""

    seat = models.ForeignKey("workshops.Seat", on_delete=models.CASCADE, related_name="attempts")
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="attempts")
    # It may be gone.
    run = models.CharField(max_length=ID_LENGTH)
    # Checks that were passed, of how many; as a checking.Result of each.
    passed = models.PositiveSmallIntegerField()
    of = models.PositiveSmallIntegerField()
    results = models.JSONField()
    # Of each check that runs of its own make, by its place: their ids.
    pairs = models.JSONField(default=dict)
    # The core's speed-up over eager; None where it was not measured.
    speedup = models.FloatField(null=True)
    # Not judged to the end: its run goes on, or what that is compared by.
    is_open = models.BooleanField(default=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("seat", "exercise", "run"), name="workshop_attempt"),
        )
        indexes = (
            models.Index(
                fields=("is_open",), condition=models.Q(is_open=True), name="workshop_open_attempts"
            ),
        )
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.seat_id} {self.exercise_id} {self.run}"
