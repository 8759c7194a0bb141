"""The state of the service: what /api/v1/health, /healthz and /readyz answer."""

from collections.abc import Callable

import msgspec
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from redis.exceptions import RedisError

from webapp.runs import pulse, room, workers

# A worker proves itself every minute, beside what it is busy with.
LATELY_S = 180.0


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


def unready() -> list[str]:
    """Why a run that is asked for now would not be done; empty if it would: the database, Redis and
    the disk are well, what is written is taken, and a run has gone through a worker lately."""
    now = health()
    found = [name for name, well in (("the database", now.db), ("Redis", now.redis)) if not well]
    problems = [f"{name} does not answer" for name in found]
    if now.db and not pulse.is_writable():
        problems.append("the database takes nothing that is written")
    if room.free_bytes() < settings.DISK_FLOOR_MB * room.MIB:
        problems.append("there is too little free disk")
    if now.redis and not any(map(_proven, now.workers)):
        said = [f"worker {each.id}: {each.problem}" for each in now.workers if each.problem]
        problems += said or ["no worker has done a run lately"]
    return problems


def _proven(worker: workers.WorkerInfo) -> bool:
    return not worker.problem and worker.proven_s is not None and worker.proven_s < LATELY_S


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _answers(ask: Callable[[], None], failure: type[Exception]) -> bool:
    try:
        ask()
    except failure:
        return False
    return True
