"""The rows that a shared text is made of."""

from django.db import models


class TextUpdate(models.Model):
    """A change of a workshop's shared text as Yjs encodes one, or many that were squashed into one.
    Numbers rise within a workshop, and none comes twice."""

    workshop = models.ForeignKey("workshops.Workshop", on_delete=models.CASCADE, related_name="+")
    payload = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.workshop_id} {self.pk}"
