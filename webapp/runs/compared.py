"""Comparisons of two runs that have ended, which never change: who opens one again, or has been
given its link, is answered without both reports being decoded once more."""

from collections import OrderedDict
from threading import Lock

from webapp.runs import views
from webapp.runs.models import FINAL, Run

# Of one web process; that of two GPTs of twelve blocks is of a tenth of a MiB.
MOST_BYTES = 16 * 2**20
Pair = tuple[str, str]


class Kept:
    """At most so many bytes; those that nobody asked for the longest go first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._bytes = most_bytes, 0
        self._of: OrderedDict[Pair, bytes] = OrderedDict()
        # Requests are answered in threads.
        self._lock = Lock()

    def of(self, pair: Pair) -> bytes | None:
        """What is kept of the two runs with these ids, in this order."""
        with self._lock:
            if pair in self._of:
                self._of.move_to_end(pair)
            return self._of.get(pair)

    def keep(self, pair: Pair, found: bytes) -> None:
        """Keeps it, unless it alone is more than is kept of all."""
        if len(found) > self._most:
            return
        with self._lock:
            self._bytes += len(found) - len(self._of.pop(pair, b""))
            self._of[pair] = found
            while self._bytes > self._most:
                self._bytes -= len(self._of.popitem(last=False)[1])


def never_change(*runs: Run) -> bool:
    """Whether the reports of all of them are written."""
    return all(run.state in FINAL and views.is_listed(run) for run in runs)
