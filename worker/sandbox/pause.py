"""The pause of a run between its first IR and what follows: it stands still until there is a place
to go on."""

import contextlib
import os
from collections.abc import Callable
from io import FileIO
from selectors import EVENT_READ, BaseSelector
from typing import Protocol

from worker.sandbox.throttle import Throttle
from worker.sandbox.turn import Said

_RING = (1).to_bytes(8, "little")


class Place(Protocol):
    """A run's place among those that compute (worker/places.py)."""

    def shown(self, wake: Callable[[], None]) -> bool:
        """Its first IR is told; whether it may go on at once. If not, `wake` is called when it may,
        from any thread."""

    def may_go_on(self) -> bool:
        """Whether it need not wait any longer."""

    def words(self) -> str:
        """What it waits for."""


class NoPlace:
    """The place of a run that waits for nobody."""

    def shown(self, wake: Callable[[], None]) -> bool:
        return True

    def may_go_on(self) -> bool:
        return True

    def words(self) -> str:
        return ""


class Pause:
    """The pause of one run. `waits`: it is to stand still."""

    def __init__(self, place: Place) -> None:
        self.waits = False
        self._place, self._asked = place, False
        self._throttle = Throttle()
        self._bell: FileIO | None = None

    def ask(self) -> None:
        """The runner has told its first IR and asks whether to go on."""
        self._asked = True

    def look(self) -> Said:
        """What the runner is to be told: to stand still, or that it may go on."""
        if self.waits and self._place.may_go_on():
            self.waits = False
            return Said.GRANTED
        if not self._asked:
            return Said.NOTHING
        self._asked = False
        if self.waits:
            return Said.NOTHING
        self._bell = self._bell or FileIO(os.eventfd(0), "r+")
        self.waits = not self._place.shown(self._ring)
        return Said.STAND_STILL if self.waits else Said.GRANTED

    def listen(self, selector: BaseSelector) -> None:
        """Has the selector return when there is a place."""
        if self._bell:
            selector.register(self._bell, EVENT_READ, lambda: True)

    def listen_no_more(self, selector: BaseSelector) -> None:
        """Ends what `listen` began."""
        if self._bell and self._bell in selector.get_map():
            selector.unregister(self._bell)

    def close(self) -> None:
        """Closes its file, when the run is over."""
        if self._bell:
            self._bell.close()

    def _ring(self) -> None:
        # One that is closed is no longer heard.
        with contextlib.suppress(ValueError):
            if self._bell:
                self._bell.write(_RING)

    def words(self) -> str:
        """What a run that waits waits for, where that has changed lately; else ""."""
        return self._throttle.news(self._place.words) if self.waits else ""
