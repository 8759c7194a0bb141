"""The fork servers of a worker: its own, which is always warm, and one for each other toolchain
while it is needed.

A warm server holds both frameworks in memory. A toolchain's server therefore starts with the first
run that names the toolchain, and ends when no run has named it for a while, or when another one is
needed and there is no room for both.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from compiler_core.environments import Toolchain
from worker.sandbox.server import ForkServer, ServerUnavailable

log = logging.getLogger(__name__)

IDLE_S = 600.0


@dataclass
class _Other:
    server: ForkServer
    users: int = 0
    idle_since: float = 0.0


class Servers:
    """`make` creates the server of a toolchain, or the worker's own for None, without starting it.
    There are at most `warm` servers of other toolchains, unless more are in use at once; each is
    ended `idle_s` seconds after its last run."""

    def __init__(
        self,
        make: Callable[[Toolchain | None], ForkServer],
        toolchains: Mapping[str, Toolchain],
        *,
        warm: int,
        idle_s: float = IDLE_S,
    ) -> None:
        self._make, self._toolchains = make, toolchains
        self._warm, self._idle_s = warm, idle_s
        self._own = make(None)
        self._others: dict[str, _Other] = {}
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def start(self) -> None:
        """Starts the worker's own server."""
        self._own.start()

    def close(self) -> None:
        """Ends all servers."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            others, self._others = [*self._others.values()], {}
        for server in (self._own, *(each.server for each in others)):
            server.close()

    @property
    def problem(self) -> str:
        """Why the worker's own server forks no runners now; "" where it does."""
        return self._own.problem

    @property
    def takes_runs(self) -> bool:
        """Whether a run that begins now does not wait for the worker's own server: that is warm, or
        fails to start again and again, which the run is to say."""
        return self._own.warm or self._own.gives_up

    @property
    def others(self) -> list[str]:
        """The names of the toolchains whose servers are running."""
        with self._lock:
            return sorted(self._others)

    @contextmanager
    def lent(self, name: str) -> Iterator[ForkServer]:
        """Context with the server of a toolchain ("": the worker's own), which runs at least until
        the context ends. Raises ServerUnavailable if this worker does not have the toolchain."""
        if not name:
            yield self._own
            return
        other = self._taken(name)
        try:
            yield other.server
        finally:
            self._given_back(other)

    def _taken(self, name: str) -> _Other:
        if name not in self._toolchains:
            raise ServerUnavailable(f"the worker has no toolchain {name!r}")
        with self._lock:
            surplus = [] if name in self._others else self._surplus(coming=1)
            if name not in self._others:
                self._others[name] = self._started(name)
            other = self._others[name]
            other.users += 1
        _end(surplus)
        return other

    def _started(self, name: str) -> _Other:
        log.info("the toolchain %s is wanted", name)
        server = self._make(self._toolchains[name])
        server.start()
        return _Other(server)

    def _given_back(self, other: _Other) -> None:
        with self._lock:
            other.users -= 1
            other.idle_since = time.monotonic()
            surplus = self._surplus()
            self._schedule_end()
        _end(surplus)

    def _surplus(self, coming: int = 0) -> list[_Other]:
        """Removes and returns the unused servers beyond `warm`, the longest unused first; `coming`
        more are about to start."""
        idle = sorted(
            (name for name, each in self._others.items() if not each.users),
            key=lambda name: self._others[name].idle_since,
        )
        over = max(0, len(self._others) + coming - self._warm)
        return [self._others.pop(name) for name in idle[:over]]

    def _schedule_end(self) -> None:
        if self._timer is None and any(not each.users for each in self._others.values()):
            self._timer = threading.Timer(self._idle_s, self._end_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_idle(self) -> None:
        with self._lock:
            self._timer = None
            last = time.monotonic() - self._idle_s
            idle = [
                name
                for name, each in self._others.items()
                if not each.users and each.idle_since <= last
            ]
            ended = [self._others.pop(name) for name in idle]
            self._schedule_end()
        _end(ended)


def _end(others: list[_Other]) -> None:
    for each in others:
        each.server.close()
