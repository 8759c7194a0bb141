"""Whether the database can be written: reads go through while another holds the lock to write, and
where a disk is full."""

import contextlib
import threading
import time

from django.db import Error as DatabaseError
from django.db import connections
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


class _Attempt:
    """The latest attempt to write that a question has begun."""

    thread: threading.Thread | None = None


_beginning = threading.Lock()


def beat() -> float:
    """Writes, and returns the seconds that it took. Raises DatabaseError."""
    began = time.monotonic()
    if not Pulse.objects.filter(pk=_ROW).update(beats=F("beats") + 1):
        Pulse.objects.get_or_create(pk=_ROW)
    _Last.at = time.monotonic()
    return _Last.at - began


def is_writable() -> bool:
    """Whether the database takes what is written. Whoever asks waits for no lock: where an attempt
    has not come through within SLOW_S, it goes on without them."""
    asked = time.monotonic()
    if _wrote_since(asked - LATELY_S):
        return True
    with _beginning:
        if _Attempt.thread is None or not _Attempt.thread.is_alive():
            _Attempt.thread = threading.Thread(target=_try, name="pulse", daemon=True)
            _Attempt.thread.start()
        attempt = _Attempt.thread
    attempt.join(SLOW_S)
    return _wrote_since(asked)


def _wrote_since(then: float) -> bool:
    return _Last.at is not None and _Last.at > then


def _try() -> None:
    try:
        with contextlib.suppress(DatabaseError):
            beat()
    finally:
        connections.close_all()
