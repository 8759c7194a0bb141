"""The state of the service: what /api/v1/health and /healthz answer."""

from collections.abc import Callable

import msgspec
from django.db import Error as DatabaseError
from django.db import connection
from redis.exceptions import RedisError

from webapp.runs import workers


class Health(msgspec.Struct, frozen=True):
    """`ok`: the database and Redis answer. `workers` are those whose heartbeat has not expired;
    `waiting` are the runs in each queue."""

    ok: bool
    db: bool
    redis: bool
    workers: list[workers.WorkerInfo]
    waiting: dict[str, int]


def health() -> Health:
    """The present state: whether the database and Redis answer, which workers are alive, and what
    waits."""
    db = _answers(_ask_database, DatabaseError)
    try:
        heard = workers.alive()
        waiting = workers.waiting(heard)
    except RedisError:
        return Health(False, db, False, [], {})
    return Health(db, db, True, heard, waiting)


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _answers(ask: Callable[[], None], failure: type[Exception]) -> bool:
    try:
        ask()
    except failure:
        return False
    return True
