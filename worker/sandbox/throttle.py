"""What a run is said to wait for: only what has changed, and not too often."""

import time
from collections.abc import Callable

# In seconds.
_EVERY_S = 10.0


class Throttle:
    """Lets through the words of a wait that are new, at most every _EVERY_S."""

    def __init__(self) -> None:
        self._words, self._at = "", -1e9

    def news(self, words: Callable[[], str]) -> str:
        """The words, if they are others than the last ones; else "". They are asked for every
        _EVERY_S, and until there are any."""
        now = time.monotonic()
        if now < self._at + _EVERY_S:
            return ""
        before, self._words = self._words, words()
        if self._words:
            self._at = now
        return self._words if self._words != before else ""
