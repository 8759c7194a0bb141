"""Deletes runs that nobody shared, 30 days after they were last asked for.

`python manage.py expire_runs` does it at any time. Nobody has to: each new run does it too where
that has not happened for an hour, so no scheduler is needed beside the web server.
"""

from django.core.cache import cache
from django.utils import timezone

from webapp.runs.models import Run

SWEEP_SECONDS = 3600
# A sweep rides on somebody's request and takes no more than a moment of it.
SWEEP_RUNS = 200


def expire(limit: int | None = None) -> int:
    """Deletes at most `limit` expired runs, the longest expired first; returns how many."""
    expired = Run.objects.filter(expires__lte=timezone.now(), shared=False).order_by("expires")
    ids = list(expired.values_list("pk", flat=True)[:limit])
    Run.objects.filter(pk__in=ids).delete()
    return len(ids)


def sweep_if_due() -> int:
    """A sweep at most once in SWEEP_SECONDS, however many web servers there are."""
    if not cache.add("runs-swept", True, SWEEP_SECONDS):
        return 0
    return expire(SWEEP_RUNS)
