"""Deletes runs that nobody shared, and that no kept workshop has, 30 days after they were last
requested.

`python manage.py expire_runs` does it. Each new run also does it if the last time is more than ten
minutes ago, so no scheduler is needed.
"""

from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet
from django.utils import timezone

from webapp.runs.models import Run

SWEEP_SECONDS = 600
# A sweep rides on somebody's request and takes no more than a moment of it.
SWEEP_RUNS = 200
# Ids of runs that stay although nobody shared them, as other rooms know them.
SPARED: list[Callable[[], QuerySet[Any, Any]]] = []


def expire() -> int:
    """Deletes at most SWEEP_RUNS expired runs, the longest expired first; returns how many."""
    expired = Run.objects.filter(expires__lte=timezone.now(), shared=False).order_by("expires")
    for spared in SPARED:
        expired = expired.exclude(pk__in=spared())
    ids = list(expired.values_list("pk", flat=True)[:SWEEP_RUNS])
    Run.objects.filter(pk__in=ids).delete()
    return len(ids)


def sweep_if_due() -> int:
    """Does it at most once in SWEEP_SECONDS among all web servers; returns how many runs it
    deleted."""
    if not cache.add("runs-swept", True, SWEEP_SECONDS):
        return 0
    return expire()
