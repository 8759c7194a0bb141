"""Deletes workshops in which nothing has happened for 30 days, when a new one is opened."""

from django.utils import timezone

from webapp.workshops.models import Workshop


def sweep() -> int:
    """Deletes those that have expired; returns how many rows, their seats among them."""
    deleted, _ = Workshop.objects.filter(expires__lte=timezone.now(), kept=False).delete()
    return deleted
