"""The connection of a request, from the pool that a process has. Django looks for it here."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from django.db.backends.postgresql import base
from psycopg import pq
from psycopg.conninfo import make_conninfo
from psycopg_pool import PoolTimeout

from webapp.databases import LOOK_S, SHARED_S

_WHERE = ("host", "port", "user", "dbname")
# A machine that is gone says nothing. libpq waits no less.
_SILENCE_S = 2


class DatabaseWrapper(base.DatabaseWrapper):
    """Waits while others have all connections, but not where nobody answers."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Raises psycopg.OperationalError, PoolTimeout if there is none in time."""
        until = time.monotonic() + SHARED_S
        while True:
            try:
                return super().get_new_connection(conn_params)
            except PoolTimeout:
                if time.monotonic() >= until or not _server.answers(conn_params):
                    raise


class _Server:
    """Asked once a second at most, whoever waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked_at, self._answered = 0.0, True

    def answers(self, params: Mapping[str, Any]) -> bool:
        """Whether there is a server, be it that it is about to start."""
        with self._lock:
            if time.monotonic() - self._asked_at > LOOK_S:
                self._answered = _ping(params) in (pq.Ping.OK, pq.Ping.REJECT)
                self._asked_at = time.monotonic()
            return self._answered


def _ping(params: Mapping[str, Any]) -> int:
    where = {name: params[name] for name in _WHERE if params.get(name)}
    return pq.PGconn.ping(make_conninfo("", **where, connect_timeout=_SILENCE_S).encode())


_server = _Server()
