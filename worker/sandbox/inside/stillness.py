"""Processes that have to stand still do so.

A process can be let go on from within: one that ends continues whom it leaves alone in a group, and
its death may be told by SIGCONT. Whoever goes on is stopped again; a run that does so for long is
ended, for it disturbs what another measures, and its deadline does not come nearer meanwhile.
"""

import contextlib
import signal
from collections.abc import Iterator, Sequence

from worker.sandbox import protocol
from worker.sandbox.inside import processes

_SIGNALS = {protocol.FREEZE: signal.SIGSTOP, protocol.THAW: signal.SIGCONT}
# How often it is looked, in milliseconds: at processes that go on, and at such as stand still, of
# which there may be many and which take nothing meanwhile.
WATCH_MS, _STILL_MS = 100, 2000
# The looks at which somebody may go on. A process that ends while all are stopped is not stopped,
# and may have gigabytes to give back.
_MOST_STRAYS = 20


class Stillness:
    """Stops the processes of one run, and lets them go on. `isolate`: they are all of a PID
    namespace."""

    def __init__(self, isolate: bool) -> None:
        self._isolate, self._wanted = isolate, False
        self._strays = 0
        self.look_again_ms = WATCH_MS

    def obey(self, command: bytes) -> None:
        """Stops all processes, or lets them go on."""
        if number := _SIGNALS.get(command):
            self._wanted, self._strays = command == protocol.FREEZE, 0
            self.look_again_ms = WATCH_MS
            processes.signal_all(number, self._isolate)

    @contextlib.contextmanager
    def for_a_moment(self) -> Iterator[None]:
        """All stand still meanwhile."""
        processes.signal_all(signal.SIGSTOP, self._isolate)
        try:
            yield
        finally:
            if not self._wanted:
                processes.signal_all(signal.SIGCONT, self._isolate)

    def is_broken(self, running: Sequence[int]) -> bool:
        """Whether `running` went on for too long while they had to stand still; those that go on
        are stopped again."""
        if not self._wanted:
            return False
        goes_on = any(map(processes.goes_on, running))
        self.look_again_ms = WATCH_MS if goes_on else _STILL_MS
        if goes_on:
            self._strays += 1
            processes.signal_all(signal.SIGSTOP, self._isolate)
        return self._strays > _MOST_STRAYS
