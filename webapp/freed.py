"""Memory that was freed goes back to the machine.

glibc keeps what one request has freed for the next one, and Python looks for what refers to itself,
as requests do with their bodies, ever more rarely: of what a crowd of large ones took, most stayed
with the process for ever.
"""

import ctypes
import gc
import os
from collections.abc import Callable
from pathlib import Path

LOOK_SECONDS = 5
# So much more than was left the last time is worth the tenth of a second that it may take.
MORE_BYTES = 2**25
_PAGE = os.sysconf("SC_PAGE_SIZE")


def held() -> int:
    """The bytes of memory that this process has; 0 where the machine does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def give_back() -> None:
    """Gives back what this process needs no more, where the C library is one that can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)


class Freed:
    """Looks whether the process has become larger, and once that is over has it give back what it
    can."""

    def __init__(
        self, held: Callable[[], int] = held, give_back: Callable[[], object] = give_back
    ) -> None:
        self._held, self._give_back = held, give_back
        # What was left the last time; what there was at the last look, and whether it was much.
        self._left = self._before = held()
        self._is_due = False

    def look(self) -> None:
        """Is called again and again."""
        now = self._held()
        if self._is_due and now < self._before + MORE_BYTES:
            self._give_back()
            self._left = now = self._held()
        self._is_due = now >= self._left + MORE_BYTES
        self._before = now
