"""One look at a workshop for all of its pages that ask at the same time: thirty pages hear of a
change at once, and what each is told of it is read once."""

import asyncio
import time
from collections import OrderedDict

from webapp.errors import Refusal
from webapp.live.database import in_database
from webapp.workshops import door, snapshot
from webapp.workshops.models import Seat
from webapp.workshops.snapshot import Look

# Workshops whose last look is remembered.
_AT_HAND = 50


class Looks:
    """The looks of one process, by the workshop's code."""

    def __init__(self) -> None:
        # What is looked at, and the look after it, which those wait for who came meanwhile: what is
        # being read may be older than what they heard.
        self._running: dict[str, asyncio.Task[Look | Refusal]] = {}
        self._next: dict[str, asyncio.Task[Look | Refusal]] = {}
        self._last: OrderedDict[str, Look] = OrderedDict()

    async def now(self, code: str) -> Look | Refusal:
        """The workshop as it is after this was called."""
        coming = self._next.get(code)
        if coming is None or coming.get_loop() is not asyncio.get_running_loop():
            coming = self._next[code] = asyncio.create_task(self._look(code))
        return await asyncio.shield(coming)

    async def lately(self, code: str, seconds: float) -> Look | Refusal:
        """The workshop as it was at most so long ago."""
        found = self._last.get(code)
        if found is not None and time.monotonic() - found.taken < seconds:
            return found
        return await self.now(code)

    async def _look(self, code: str) -> Look | Refusal:
        before = self._running.get(code)
        if before is not None and before.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([before])
        self._running[code] = self._next.pop(code)
        try:
            found = await _looked(code)
        finally:
            del self._running[code]
        if isinstance(found, Look):
            self._last[code] = found
            self._last.move_to_end(code)
            if len(self._last) > _AT_HAND:
                self._last.popitem(last=False)
        return found


@in_database
def _looked(code: str) -> Look | Refusal:
    workshop = door.find(code)
    return workshop if isinstance(workshop, Refusal) else snapshot.look(workshop)


def seat_in(found: Look | Refusal, who: str) -> Seat | Refusal:
    """Where the person with this digest sits, or why nowhere."""
    if isinstance(found, Refusal):
        return found
    outside = Refusal(403, "You are not in this workshop.", "Join it first.", "code")
    return found.seat_of(who) or (door.REMOVED if found.has_removed(who) else outside)


# Those of this process.
looks = Looks()
