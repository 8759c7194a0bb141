"""What is known of the workers: each says every few seconds that it lives and what it runs on.

The web server asks here where "auto" sends a run, which versions its result will come from, and
whether anybody is there to take it.
"""

from functools import cache

import msgspec
import redis
from django.conf import settings

from webapp.runs.queue import QUEUES

BEAT_SECONDS = 5
_EXPIRES_SECONDS = 3 * BEAT_SECONDS
_KEY = "fuselab:worker:{queue}"


class WorkerInfo(msgspec.Struct, frozen=True):
    """A worker's own words: its device and the versions that its results depend on."""

    queue: str
    device: str
    toolchain: dict[str, str]
    # Whether `device` is a GPU. A worker without one may serve the queue "cuda" all the same.
    gpu: bool = False


@cache
def connection() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3)


def beat(about: WorkerInfo) -> None:
    """Called by a worker at least every BEAT_SECONDS, once for each queue that it serves."""
    key = _KEY.format(queue=about.queue)
    connection().set(key, msgspec.json.encode(about), ex=_EXPIRES_SECONDS)


def alive() -> dict[str, WorkerInfo]:
    """The workers heard of in the last seconds, by queue."""
    found = connection().mget([_KEY.format(queue=queue) for queue in QUEUES])
    workers = [msgspec.json.decode(words, type=WorkerInfo) for words in found if words]
    return {about.queue: about for about in workers}


def waiting() -> dict[str, int]:
    """How many runs wait in each queue."""
    return {queue: int(connection().llen(queue)) for queue in QUEUES}
