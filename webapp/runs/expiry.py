"""Deletes runs that nobody shared 30 days after they were last requested, and ends runs that no
worker will end because their queue was lost.

`python manage.py expire_runs` does both. Each new run also does both if the last time is more than
ten minutes ago, so no scheduler is needed.
"""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone

from compiler_core import report
from webapp.runs import lifecycle
from webapp.runs.models import LIVE, Run, State

SWEEP_SECONDS = 600
# A sweep rides on somebody's request and takes no more than a moment of it.
SWEEP_RUNS = 200
# Longer than any queue is and any run may take.
LOST_AFTER = timedelta(hours=1)
_LOST = report.Failure(
    "queue", "The run was lost: no worker ended it within an hour.", remedy="Run it again."
)


def expire() -> int:
    """Deletes at most SWEEP_RUNS expired runs, the longest expired first; returns how many."""
    expired = Run.objects.filter(expires__lte=timezone.now(), shared=False).order_by("expires")
    ids = list(expired.values_list("pk", flat=True)[:SWEEP_RUNS])
    Run.objects.filter(pk__in=ids).delete()
    return len(ids)


def give_up_lost() -> int:
    """Ends at most SWEEP_RUNS runs that have been running for longer than LOST_AFTER; returns how
    many."""
    lost = Run.objects.filter(state__in=LIVE, created__lte=timezone.now() - LOST_AFTER)
    ids = list(lost.values_list("pk", flat=True)[:SWEEP_RUNS])
    return sum(lifecycle.end(run_id, State.FAILED, _LOST) for run_id in ids)


def sweep_if_due() -> int:
    """Does both, at most once in SWEEP_SECONDS among all web servers; returns how many runs it
    deleted or ended."""
    if not cache.add("runs-swept", True, SWEEP_SECONDS):
        return 0
    give_up_lost()
    return expire()
