"""The processes of a run, as the machine sees them."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from compiler_core.report import Options
from tests.worker.conftest import LIMITS
from worker.sandbox.limits import Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session


def family(server: ForkServer) -> set[int]:
    """The processes in the sandbox, as the machine sees them."""
    assert server.pid is not None
    before = None
    # One that ends while it is looked at hands its children on: two looks have to agree.
    while before != (found := _below(server.pid)):
        before = found
    return set(filter(alive, found))


def _below(pid: int) -> list[int]:
    """A process and all below it, those among them that have ended too."""
    found = [pid]
    for each in found:
        with suppress(FileNotFoundError, ProcessLookupError):
            for task in Path(f"/proc/{each}/task").glob("*/children"):
                found += map(int, task.read_text().split())
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def stand_still(server: ForkServer) -> None:
    """Stops a server and its runners: also those that are forked while this looks for them, of
    which some would go on and others not."""
    before = set[int]()
    # bubblewrap itself goes on, to be ended.
    while new := family(server) - before - {server.pid}:
        for pid in new:
            os.kill(pid, signal.SIGSTOP)
        before |= new


class Running:
    """A run under way, and the processes that it is made of."""

    def __init__(self, server: ForkServer, source: str, limits: Limits = LIMITS) -> None:
        server.wait()
        self._server, self._before = server, family(server)
        self._stop = False
        session = Session(server, Request(source, Options()), limits, cancelled=lambda: self._stop)
        self._batches = session.batches()

    def __enter__(self) -> set[int]:
        next(self._batches)
        return family(self._server) - self._before

    def __exit__(self, *_: object) -> None:
        self._stop = True
        for _ in self._batches:
            pass
