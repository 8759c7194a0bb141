"""A real sandbox around a compiler that does what the source says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from compiler_core.report import Event, Options, Report, apply
from webapp.runs import workers
from worker.sandbox.limits import MIB, Limits
from worker.sandbox.pause import Place
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import UNKNOWN, Host, Session
from worker.sandbox.turn import NOBODY, Lease, NoLease, Others

INSIDE = Path(__file__).parent / "inside"
LIMITS = Limits(deadline_s=10, memory_bytes=512 * MIB, tmp_bytes=16 * MIB, file_bytes=8 * MIB)


@dataclass(frozen=True)
class Outcome:
    report: Report
    events: list[Event]
    cancelled: bool

    @property
    def said(self) -> list[str]:
        return [notice.text for notice in self.report.notices]

    @property
    def stage(self) -> str | None:
        return self.report.error.stage if self.report.error else None

    @property
    def message(self) -> str:
        return self.report.error.message if self.report.error else ""


Deed = Callable[..., Outcome]


class OtherRuns:
    """Other runs that measure as long as `measures` says so."""

    def __init__(self, measures: Callable[[], bool] = lambda: True, words: str = "") -> None:
        self._measures, self._words = measures, words

    def measure(self) -> bool:
        return self._measures()

    def words(self) -> str:
        return self._words


def perform(
    server: ForkServer,
    source: str,
    *,
    limits: Limits = LIMITS,
    lease: Callable[[str], Lease] = lambda device: NoLease(),
    cancelled: Callable[[], bool] = lambda: False,
    others: Others = NOBODY,
    place: Place | None = None,
    host: Host = UNKNOWN,
) -> Outcome:
    request = Request(source, Options())
    session = Session(
        server,
        request,
        limits,
        lease=lease,
        cancelled=cancelled,
        others=others,
        place=place,
        host=host,
    )
    events = [event for batch in session.batches() for event in batch]
    return Outcome(reduce(apply, events, Report()), events, session.cancelled)


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer("deeds", extra=(INSIDE,)) as server:
        yield server


@pytest.fixture(scope="session")
def unconfined() -> Iterator[ForkServer]:
    """FUSELAB_SANDBOX=off-loopback-only: no walls, but limits, a deadline and an end."""
    with ForkServer("deeds", extra=(INSIDE,), isolate=False) as server:
        yield server


@pytest.fixture(scope="session")
def deed(server: ForkServer) -> Deed:
    def run(source: str, **options: Any) -> Outcome:
        return perform(server, source, **options)

    return run


@pytest.fixture
def empty_redis(redis_url: str) -> Iterator[None]:
    workers.connection().flushdb()
    yield
    workers.connection().flushdb()
