"""Snippets compile side by side, and each is measured while nothing else runs.

A batch of processes shares one file. Who compiles holds it with the others; who measures holds it
alone, which is granted when nobody compiles. So all of a batch compile first, and are then measured
one after the other.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compiler_core.measure.rest import Rest, no_rest


class Turns:
    """One process' part in a batch: `compiling` around all that it does, and `measuring`, a lease
    (compiler_core.pipeline.context.Lease), around each measurement within."""

    def __init__(self, path: Path) -> None:
        # A description of its own: locks of one that is shared with a parent would be one lock.
        self._file = path.open("a")

    @contextmanager
    def compiling(self) -> Iterator[None]:
        self._take(fcntl.LOCK_SH)
        try:
            yield
        finally:
            self._file.close()

    @contextmanager
    def measuring(self, device: str) -> Iterator[Rest]:
        # Linux gives up the shared hold before it waits for the other: two who ask both get it.
        self._take(fcntl.LOCK_EX)
        try:
            yield no_rest
        finally:
            self._take(fcntl.LOCK_SH)

    def _take(self, kind: int) -> None:
        fcntl.flock(self._file, kind)
