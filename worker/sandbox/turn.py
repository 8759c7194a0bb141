"""A run's turns at measuring: it waits for the lease of a device, has it for a while, and stands
still while another run has one."""

import enum
import time
from collections.abc import Callable
from typing import Protocol

from worker.sandbox.throttle import Throttle

# Whoever has measured lets others try first: they ask every LEASE_POLL_S (clock.py).
_AFTER_S = 0.1
_RENEWAL_S = 1.0
# How often it is asked whether another run measures.
_LOOK_S = 0.02
# Who stands still for less is told nothing.
_STILL_S = 1.0


class Lease(Protocol):
    """The right to measure on one device (worker/lease.py)."""

    def try_acquire(self) -> bool:
        """Whether it was free, and is held now."""

    def words(self) -> str:
        """What is before whoever waits for it, if that is known."""

    def renew(self) -> None:
        """Holds it for as long again; without this it ends by itself."""

    def rest(self) -> bool:
        """Lets others go first between two stretches of measuring, if any are to: whether it is
        held no more, and is to be taken again."""

    def release(self) -> None:
        """Lets another run have it."""


class NoLease:
    """A lease that is always granted, for processes in which nothing else measures."""

    def try_acquire(self) -> bool:
        return True

    def words(self) -> str:
        return ""

    def renew(self) -> None:
        pass

    def rest(self) -> bool:
        return False

    def release(self) -> None:
        pass


class Others(Protocol):
    """The other runs, for all of which this one stands still while they measure."""

    def measure(self) -> bool:
        """Whether any has a lease."""

    def words(self) -> str:
        """What is before whoever stands still."""


class Nobody:
    """No others."""

    def measure(self) -> bool:
        return False

    def words(self) -> str:
        return ""


NOBODY = Nobody()


class Said(enum.Enum):
    """What a look found that the runner, or who reads its report, has to be told."""

    NOTHING = enum.auto()
    GRANTED = enum.auto()
    OVER = enum.auto()
    STAND_STILL = enum.auto()
    GO_ON = enum.auto()


class Turn:
    """The turns of one run. `lease` returns the lease of a device, which may be kept for `most_s`
    seconds at a time: a run that kept one for longer measures from then on without any."""

    def __init__(self, lease: Callable[[str], Lease], others: Others, most_s: float) -> None:
        self._lease_of, self._others, self._most_s = lease, others, most_s
        self._lease: Lease = NoLease()
        self._overstayed, self._throttle = False, Throttle()
        self._since = self._renewed = self._looked = self._released = self._still = -1e9
        # For how long it has held it before it rested.
        self._held_s, self._rests = 0.0, False
        self.waits = self.holds = self.stands_still = False

    def ask(self, device: str) -> None:
        """The run wants to measure on this device."""
        if not self.holds:
            self._lease = NoLease() if self._overstayed else self._lease_of(device)
            self.waits, self._throttle, self._held_s = True, Throttle(), 0.0

    def rest(self) -> None:
        """Between two stretches of what it measures: others may go first."""
        self._rests = True

    def give_back(self) -> None:
        """The run has measured."""
        if self.holds:
            self.holds = False
            self._released = time.monotonic()
            self._lease.release()

    def end(self) -> None:
        """The run has ended: it measures no more, and is before nobody who waits to."""
        self.give_back()
        self.waits, self._lease = False, NoLease()

    def words(self) -> str:
        """What is before it while it waits or stands still, where that has changed lately; else
        ""."""
        if self.waits:
            return self._throttle.news(self._lease.words)
        if self.stands_still and time.monotonic() >= self._still + _STILL_S:
            return self._throttle.news(self._others.words)
        return ""

    def stand_still(self) -> None:
        """The run was stopped for another reason: others may measure meanwhile, and it goes on once
        nobody does."""
        self.give_back()
        self._stand(True)

    def look(self) -> Said:
        """Takes the lease that the run waits for, or renews or ends the one that it has; one thing
        at a time."""
        now = time.monotonic()
        if self._rests:
            return self._make_room(now)
        if self.holds:
            return self._keep(now)
        if self.stands_still or not self.waits:
            return self._look_at_others(now)
        if now < self._released + _AFTER_S or not self._lease.try_acquire():
            return self._look_at_others(now)
        self.waits, self.holds = False, not self._overstayed
        self._since, self._renewed = now - self._held_s, now
        return Said.GRANTED

    def _make_room(self, now: float) -> Said:
        self._rests = False
        if self.waits:
            return Said.NOTHING
        # Who has none any more, for they overstayed, asks for nothing.
        if not self.holds or not self._lease.rest():
            return Said.GRANTED
        self.holds, self.waits, self._held_s = False, True, now - self._since
        return Said.NOTHING

    def _keep(self, now: float) -> Said:
        if now > self._since + self._most_s and not self._overstayed:
            self._overstayed = True
            self.give_back()
            return Said.OVER
        if now > self._renewed + _RENEWAL_S:
            self._renewed = now
            self._lease.renew()
        return Said.NOTHING

    def _look_at_others(self, now: float) -> Said:
        if now < self._looked + _LOOK_S:
            return Said.NOTHING
        self._looked = now
        measured = self._others.measure()
        if measured == self.stands_still:
            return Said.NOTHING
        self._stand(measured)
        return Said.STAND_STILL if measured else Said.GO_ON

    def _stand(self, still: bool) -> None:
        self.stands_still, self._still = still, time.monotonic()
        if not self.waits:
            self._throttle = Throttle()
