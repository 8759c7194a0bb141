"""Comparisons of two runs that have ended, which never change: who opens one again, or has been
given its link, is answered without both reports being decoded once more (decision 118)."""

from webapp.lru import LruCache
from webapp.runs import views
from webapp.runs.models import FINAL, Run

# Of one web process; that of two GPTs of twelve blocks is of some KiB.
MOST_BYTES = 16 * 2**20
Pair = tuple[str, str]


def comparisons(most: int = MOST_BYTES) -> LruCache[Pair, bytes]:
    """None yet, by the ids of two runs in their order."""
    return LruCache(most, lambda pair, found: len("".join(pair)) + len(found))


def never_change(*runs: Run) -> bool:
    """Whether the reports of all of them are written."""
    return all(run.state in FINAL and views.is_listed(run) for run in runs)
