"""The database that the runs are in, and what befalls it alone: SQLite or PostgreSQL."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import psutil
import psycopg

from tests.postgresql import Postgresql, postgresql

# Who stands still, is locked out or away is so for so long.
AWAY_S = 8.0
_ASKED = "SELECT id, state, lost FROM runs_run"

Fault = tuple[str, Callable[[], Awaitable[None]]]


class Database(Protocol):
    """Where it is, what can befall it, and the runs that are in it: id, state, how often lost."""

    url: str

    @property
    def faults(self) -> tuple[Fault, ...]: ...

    def runs(self) -> list[tuple[str, str, int]]: ...


class Sqlite:
    """A file."""

    def __init__(self, file: Path) -> None:
        self._file, self.url = file, f"sqlite:///{file}"

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (("database locked", self._locked),)

    def runs(self) -> list[tuple[str, str, int]]:
        with closing(sqlite3.connect(self._file)) as rows:
            return list(rows.execute(_ASKED))

    async def _locked(self) -> None:
        """Somebody else writes to it, and does not end."""
        with closing(sqlite3.connect(self._file, timeout=5, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            await asyncio.sleep(AWAY_S)
            other.rollback()


class OfServer:
    """A server of its own."""

    def __init__(self, server: Postgresql) -> None:
        self._server, self.url = server, server.url

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (
            ("database locked", self._locked),
            ("row locked", self._row_locked),
            ("database killed", self._killed),
            ("database stopped", self._stopped),
            ("no connection left", self._taken),
        )

    def runs(self) -> list[tuple[str, str, int]]:
        with psycopg.connect(self.url) as rows:
            return [(run, state, lost) for run, state, lost in rows.execute(_ASKED)]

    async def _locked(self) -> None:
        """Nothing can be written to the table of runs, nor read."""
        await self._in_transaction("LOCK TABLE runs_run IN ACCESS EXCLUSIVE MODE")

    async def _row_locked(self) -> None:
        """Somebody holds the runs that there are."""
        await self._in_transaction("SELECT 1 FROM runs_run FOR UPDATE")

    async def _in_transaction(self, what: str) -> None:
        with psycopg.connect(self.url) as other:
            other.execute(what)
            await asyncio.sleep(AWAY_S)
            other.rollback()

    async def _killed(self) -> None:
        """As a machine that fails, and comes again."""
        self._server.stop()
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(self._server.start)

    async def _stopped(self) -> None:
        """All of it stands still."""
        assert self._server.process is not None
        whole = psutil.Process(self._server.process.pid)
        still = [whole, *whole.children(recursive=True)]
        for each in still:
            with suppress(psutil.NoSuchProcess):
                each.suspend()
        try:
            await asyncio.sleep(AWAY_S)
        finally:
            for each in still:
                with suppress(psutil.NoSuchProcess):
                    each.resume()

    async def _taken(self) -> None:
        """Somebody has all connections that the others leave."""
        mine: list[psycopg.Connection[tuple[object, ...]]] = []
        with suppress(psycopg.OperationalError):
            while True:
                mine.append(psycopg.connect(self.url))
        await asyncio.sleep(AWAY_S)
        for each in mine:
            each.close()


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Database]:
    """A file in `folder`."""
    yield Sqlite(folder / "runs.sqlite3")


@contextmanager
def on_postgresql(folder: Path) -> Iterator[Database]:
    """A server beside it. Raises NotThere."""
    with postgresql("max_connections=40") as server:
        yield OfServer(server)


KINDS = {"sqlite": on_sqlite, "postgresql": on_postgresql}
