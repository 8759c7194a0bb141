"""What one address may ask of a web process in a while, and how many sockets it may hold.

Each request has a weight, by what it costs here, and is paid from a budget that fills again.
"""

import asyncio
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from threading import Lock

# The first that matches; in about milliseconds of a processor.
_WEIGHTS = (
    (re.compile(r"/(static/|healthz$|readyz$)"), 0),
    (re.compile(r"/api/v1/runs/[^/]+/card$"), 30),
    (re.compile(r"/api/v1/runs/[^/]+$"), 10),
    (re.compile(r"/ws/"), 5),
    (re.compile(r"/"), 2),
)
# What it costs to begin a process apart for two reports, which is paid where one is begun.
COMPARED = 40
# What a MiB of an answer costs beside that, in the same milliseconds: to be sent; to be compressed
# first; to be decoded, of what a run said. And what a MiB of a request's body costs to be read.
SENT_MIB, PACKED_MIB, DECODED_MIB, READ_MIB = 20, 45, 250, 60
# What a request may take beside what was paid for it, and how often the whole budget may be owed.
USUAL_MS, _DEBTS = 50, 10
# Addresses that are remembered; who is forgotten has a whole budget again.
_REMEMBERED = 10_000


def weight(path: str) -> int:
    """What a request for `path` costs."""
    return next((cost for pattern, cost in _WEIGHTS if pattern.match(path)), 1)


class Budgets:
    """`per_s` is what an address gets back in a second, `most` what it has at most."""

    def __init__(
        self, per_s: float, most: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_s, self._most, self._clock = per_s, most, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        # Requests are answered in threads.
        self._lock = Lock()

    def pay(self, who: str, cost: float) -> float:
        """0 if `who` has paid; else after how many seconds they can."""
        with self._lock:
            return self._pay(who, cost)

    def owe(self, who: str, cost: float) -> None:
        """Takes what was spent already, of whoever has less as well: nothing is paid before they
        have that again; at most so much as makes them wait for _DEBTS times what there is."""
        with self._lock:
            self._pay(who, 0)
            left, at = self._left[who]
            self._left[who] = (max(left - cost, -_DEBTS * self._most), at)

    def charge(self, who: str, cost: float) -> float:
        """The same of a cost that may be more than anybody has at once: then all of that."""
        return self.pay(who, min(cost, self._most))

    def _pay(self, who: str, cost: float) -> float:
        now = self._clock()
        left, at = self._left.pop(who, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_s)
        paid = left >= cost
        self._left[who] = (left - cost if paid else left, now)
        if len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        return 0.0 if paid else (cost - left) / self._per_s


class Purse:
    """The budget of whom a request comes from, of which its answer is paid by its size."""

    def __init__(self, budgets: Budgets, who: str) -> None:
        self._budgets, self._who = budgets, who
        self._given = 0.0

    def charge(self, cost: float) -> float:
        """0 if it is paid; else after how many seconds it can be."""
        wait = self._budgets.charge(self._who, cost)
        self._given += 0 if wait else cost
        return wait

    def took(self, spent: float) -> None:
        """So many milliseconds of a processor went to the request: what is unusual and was not paid
        yet is owed."""
        if (more := spent - self._given - USUAL_MS) > 0:
            self._budgets.owe(self._who, more)

    def spent(self, cost: float) -> None:
        """So much went to what one message over a socket asked for, which paid for its bytes alone:
        what is unusual is owed, and no further message is taken before."""
        if cost > USUAL_MS:
            self._budgets.owe(self._who, cost)

    async def paid(self, cost: float) -> None:
        """Waits until it is paid."""
        while wait := self.charge(cost):
            await asyncio.sleep(wait)


class Places:
    """At most `most` places at a time for each address."""

    def __init__(self, most: int) -> None:
        self._most, self._taken = most, Counter[str]()

    def take(self, who: str) -> bool:
        """Takes a place for an address; whether there was one left."""
        if self._taken[who] >= self._most:
            return False
        self._taken[who] += 1
        return True

    def give_back(self, who: str) -> None:
        """Gives back a place that was taken."""
        self._taken[who] -= 1
        if not self._taken[who]:
            del self._taken[who]
