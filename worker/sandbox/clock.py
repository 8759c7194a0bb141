"""The periodic tasks of a run: cancellation, batches of events, the
deadline."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

BATCH_S = 0.025
CANCEL_POLL_S = 0.2
LEASE_POLL_S = 0.02
# There may be a hundred that stand still between their first IR and the rest; they are woken.
PAUSE_POLL_S = 1.0
# Storing a batch takes some milliseconds.
_STORED_S = 1.0
# After a runner's end everything that it wrote is there to read, and no more comes.
_DRAIN_S = 2.0


class Clock:
    """Which of these tasks are due. All times are seconds of the monotonic clock."""

    def __init__(self, deadline_s: float) -> None:
        now = time.monotonic()
        self._last = now
        self._left = self._patience = deadline_s
        self._flushed = self._cancel = now - BATCH_S
        self._ended = 0.0
        # What of the time up to the deadline was one of `pause`, beyond what is let pass.
        self.paused_s = 0.0

    def timeout(self, waits_for_lease: bool, events_pending: bool, pauses: bool) -> float:
        """Seconds to wait for output of the runner until the next task is due."""
        if pauses and not events_pending:
            return PAUSE_POLL_S
        if waits_for_lease:
            return LEASE_POLL_S
        if events_pending:
            return max(0.0, self._flushed + BATCH_S - time.monotonic())
        return BATCH_S

    def pause(self) -> None:
        """The time since the last call does not count towards the deadline; in all, at most as much
        as the deadline itself."""
        now = time.monotonic()
        if self._patience > 0:
            self._patience -= now - self._last
            self._last = now
        else:
            self.paused_s += now - self._last

    def stop(self) -> None:
        """The time since the last call does not count towards the deadline, however much it is."""
        self._last = time.monotonic()

    @contextmanager
    def passing_on(self) -> Iterator[None]:
        """A batch is passed on meanwhile, and stored: where that takes as long as while a database
        is locked, it is not the run that takes it."""
        began = time.monotonic()
        yield
        if time.monotonic() - began > _STORED_S:
            self.stop()

    def past_deadline(self) -> bool:
        """Whether the deadline has passed."""
        now = time.monotonic()
        self._left -= now - self._last
        self._last = now
        return self._left <= 0

    def batch_due(self) -> bool:
        """Whether a batch of events should be passed on."""
        due = time.monotonic() >= self._flushed + BATCH_S
        if due:
            self._flushed = time.monotonic()
        return due

    def cancel_due(self) -> bool:
        """Whether it is time to check for cancellation."""
        due = time.monotonic() >= self._cancel + CANCEL_POLL_S
        if due:
            self._cancel = time.monotonic()
        return due

    def drained(self, ended: bool) -> bool:
        """Whether the runner ended long enough ago that all of its output has been read. A stream
        that is still open then is held by a process outside of the runner."""
        self._ended = self._ended or (time.monotonic() if ended else 0.0)
        return ended and time.monotonic() > self._ended + _DRAIN_S
