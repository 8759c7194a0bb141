"""The registry of live workers in Redis, whose entries each worker renews every few seconds.

The web server reads in it which queue "auto" means, which versions a result will come from, and
whether any worker can take a run.
"""

import time
from collections.abc import Iterable
from functools import cache
from itertools import count
from typing import Any, cast

import msgspec
import redis
from django.conf import settings

from webapp.runs.queue import QUEUES, address

BEAT_SECONDS = 5
_EXPIRES_SECONDS = 3 * BEAT_SECONDS
# The ids of all workers that may be alive; what each last said, forgotten when it goes silent.
_IDS = "fuselab:workers"
_KEY = "fuselab:worker:{id}"
# What each entry was, and when it was first seen so, by a clock that nobody sets: Redis forgets by
# one that can be set back, and then keeps those of the dead.
_seen: dict[str, tuple[bytes, float]] = {}
_beats = count(1)


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One worker process: its queues, and everything that its results depend on."""

    # Random, and the same for as long as the worker's process lives.
    id: str
    queues: tuple[str, ...]
    # The name of each device that it has, by kind: "cpu", and "cuda" where there is a GPU. A worker
    # may serve the queue of a kind that it lacks all the same, to say so in the runs' reports.
    devices: dict[str, str]
    # Versions of Python, the frameworks and the compilers, where a run names no toolchain.
    toolchain: dict[str, str]
    # The same of each toolchain that a run may name, and what else is installed for further
    # compilers: the packages' versions by the environment's name.
    toolchains: dict[str, dict[str, str]] = {}
    extras: dict[str, dict[str, str]] = {}
    # How many begin at a time, and how long the latest ones took until their first IR, in seconds,
    # in the mean; 0 before the first.
    runs: int = 1
    beginning_s: float = 0.0
    # Why it takes no runs now; blank where it does. It serves no queue then, unless it only starts
    # its compiler. Seconds between a run that
    # went through and this heartbeat; None before the first.
    problem: str = ""
    proven_s: float | None = None

    def has(self, device: str) -> bool:
        """Whether it executes runs of the device's queue on such a device, rather than in its
        place."""
        return device in self.devices and device in self.queues

    def versions(self, toolchain: str) -> dict[str, str] | None:
        """The versions that a run has which names this toolchain, "" for none; None where the
        worker does not have it."""
        return self.toolchains.get(toolchain) if toolchain else self.toolchain


class _Entry(WorkerInfo, frozen=True, kw_only=True):
    """What Redis has of a worker."""

    # Another number with every heartbeat.
    beats: int


class _Task(msgspec.Struct):
    """What Celery puts into a queue, as far as it is read here."""

    headers: dict[str, Any]


@cache
def connection() -> redis.Redis:
    """The connection to Redis, which all threads of the process share."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3)


def beat(worker: WorkerInfo) -> None:
    """Renews the worker's entry; called at least every BEAT_SECONDS. Raises RedisError."""
    entry = msgspec.json.encode(_Entry(**msgspec.structs.asdict(worker), beats=next(_beats)))
    with connection().pipeline(transaction=True) as both:
        both.set(_KEY.format(id=worker.id), entry, ex=_EXPIRES_SECONDS)
        both.sadd(_IDS, worker.id)
        both.execute()


def leave(worker_id: str) -> None:
    """Removes the worker's entry before it expires."""
    connection().delete(_KEY.format(id=worker_id))


def alive() -> list[WorkerInfo]:
    """The workers whose entries have not expired, by id."""
    # The connection leaves answers as bytes, which its types do not know.
    ids = sorted(raw.decode() for raw in cast("set[bytes]", connection().smembers(_IDS)))
    if not ids:
        return []
    keys = [_KEY.format(id=each) for each in ids]
    entries = cast("list[bytes | None]", connection().mget(keys))
    if silent := [each for each, words in zip(ids, entries, strict=True) if not words]:
        # One that was only slow is added again by its next heartbeat.
        connection().srem(_IDS, *silent)
    said = {each: words for each, words in zip(ids, entries, strict=True) if words}
    return [
        msgspec.json.decode(words, type=WorkerInfo)
        for words in _spoken(said, time.monotonic()).values()
    ]


def _spoken(said: dict[str, bytes], now: float) -> dict[str, bytes]:
    """The entries that have changed within what a heartbeat may take, as far as this process has
    looked."""
    heard = {}
    for each, words in said.items():
        before = _seen.get(each, (b"", now))
        heard[each] = before if before[0] == words else (words, now)
    _seen.update(heard)
    for gone in [each for each in [*_seen] if each not in said]:
        _seen.pop(gone, None)
    return {each: words for each, words in said.items() if now - heard[each][1] < _EXPIRES_SECONDS}


def serving(queue: str, workers: Iterable[WorkerInfo]) -> list[WorkerInfo]:
    """The ones among `workers` that take runs of `queue`."""
    return [each for each in workers if queue in each.queues]


def waiting(known: Iterable[WorkerInfo] = ()) -> dict[str, int]:
    """The number of runs that wait in each queue, including those that name a toolchain of the
    workers `known`."""
    names = {"", *(name for each in known for name in each.toolchains)}
    return {queue: sum(_length(address(queue, name)) for name in names) for queue in QUEUES}


def tasks(place: str) -> list[str]:
    """The ids of the runs whose tasks are in a queue, the one that is taken next last."""
    return [
        msgspec.json.decode(raw, type=_Task).headers["id"]
        for raw in connection().lrange(place, 0, -1)
    ]


def _length(queue: str) -> int:
    return int(connection().llen(queue))
