"""Tells the pages that are in a group of the channel layer that something changed, from any thread.

What a process tells goes through one loop in a thread of its own, and one connection to Redis; a
loop and a connection for each message took longer than to store what it is about. Nobody waits for
it, not even while Redis is away: a group is told once, however much has changed meanwhile.
"""

import asyncio
import logging
import threading
from functools import cache

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


class _Notifier:
    """Sends messages one after the other, each as soon as it may."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # Groups and kinds of message that are to be sent, in order, each once.
        self._waiting: dict[tuple[str, str], None] = {}
        self._asked = asyncio.Event()
        threading.Thread(target=self._live, name="groups", daemon=True).start()

    def notify(self, group: str, kind: str) -> None:
        """Sends a message to a group, soon; may be called from any thread."""
        self._loop.call_soon_threadsafe(self._note, group, kind)

    def _note(self, group: str, kind: str) -> None:
        self._waiting[group, kind] = None
        self._asked.set()

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._send_all())

    async def _send_all(self) -> None:
        while await self._asked.wait():
            self._asked.clear()
            while self._waiting:
                group, kind = next(iter(self._waiting))
                # What changes from here on is told again.
                del self._waiting[group, kind]
                await _send(group, kind)


async def _send(group: str, kind: str) -> None:
    try:
        await get_channel_layer().group_send(group, {"type": kind})
    except (RedisError, OSError) as error:
        log.warning("%s: could not tell its pages: %s", group, error)
    except Exception:
        # Whatever it is, the next message is another one.
        log.exception("%s: could not tell its pages", group)


_notifier = cache(_Notifier)


def notify(group: str, kind: str) -> None:
    """Has the pages in a group told; returns at once. What cannot be sent is logged: pages look for
    themselves."""
    _notifier().notify(group, kind)
