"""Deletes workshops in which nothing has happened for 30 days, when a new one is opened; of one
that is kept the runs stay, too."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from webapp.workshops.models import SeatRun, Workshop


def sweep() -> int:
    """Deletes those that have expired; returns how many rows, their seats among them."""
    deleted, _ = Workshop.objects.filter(expires__lte=timezone.now(), kept=False).delete()
    return deleted


def kept_runs() -> QuerySet[Any, Any]:
    """The ids of what was run in workshops that are kept."""
    return SeatRun.objects.filter(seat__workshop__kept=True).values("run")
