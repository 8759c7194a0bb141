"""Whether the database can be written: reads go through while another holds the lock to write, and
where a disk is full."""

import threading
import time

from django.db import Error as DatabaseError
from django.db.models import F

from webapp.runs.models import Pulse

# A write that took so long waited for a lock: others may have waited in vain meanwhile.
SLOW_S = 2.0
# Whoever has written within so many seconds need not try.
LATELY_S = 12.0
_ROW = 1


class _Last:
    """When this process wrote last, by its own clock; None if it has not."""

    at: float | None = None


_trying = threading.Lock()


def beat() -> float:
    """Writes, and returns the seconds that it took. Raises DatabaseError."""
    began = time.monotonic()
    if not Pulse.objects.filter(pk=_ROW).update(beats=F("beats") + 1):
        Pulse.objects.get_or_create(pk=_ROW)
    _Last.at = time.monotonic()
    return _Last.at - began


def is_writable() -> bool:
    """Whether the database takes what is written. While one asks it, others are told that it does
    not answer."""
    if _Last.at is not None and time.monotonic() - _Last.at < LATELY_S:
        return True
    if not _trying.acquire(blocking=False):
        return False
    try:
        beat()
    except DatabaseError:
        return False
    finally:
        _trying.release()
    return True
