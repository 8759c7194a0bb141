"""What is sent over a connection is read: who does not is hung up on, and so is who does slowly
where too many do.

Without this, an answer of megabytes that nobody reads stays in memory for as long as its reader
likes.
"""

import asyncio
import socket
from collections.abc import Callable

from webapp import environment
from webapp.address import network

_PROXIES = environment.number("FUSELAB_PROXIES", 0)

# Within so many seconds so many bytes are read, or all that there are.
UNREAD_S, LEAST_BYTES = 20.0, 2**16
# What the kernel keeps of a connection beside what is on its way. Of more, it would tell so late
# that somebody reads that a slow reader would seem to be none.
_KEPT_BYTES = 2**17
# Connections of a process that wait for their readers at a time: of each a third of a MiB is held.
MOST = 1000


class Crowd:
    """The connections that wait for their readers, at most `most` of them. Of more, that of the
    address with most of them that waits longest is hung up on: who is alone stays."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._all = most, 0
        # By address, the longest first, each with what hangs up on it.
        self._waiting: dict[str, dict[object, Callable[[], None]]] = {}

    def enter(self, who: str, which: object, hang_up: Callable[[], None]) -> None:
        """A connection of this address waits."""
        self._waiting.setdefault(who, {})[which] = hang_up
        self._all += 1
        if self._all > self._most:
            crowded = max(self._waiting, key=lambda each: len(self._waiting[each]))
            slowest = next(iter(self._waiting[crowded]))
            end = self._waiting[crowded][slowest]
            self.leave(crowded, slowest)
            end()

    def leave(self, who: str, which: object) -> None:
        """It waits no longer, or did not."""
        waiting = self._waiting.get(who, {})
        if waiting.pop(which, None) is not None:
            self._all -= 1
            if not waiting:
                del self._waiting[who]


crowd = Crowd()


def whose(transport: asyncio.Transport) -> str:
    """The address that a connection comes from; "" where only proxies in front know."""
    peer = transport.get_extra_info("peername")
    return "" if _PROXIES or not peer else network(peer[0])


class Unread:
    """Watches the writing of one connection of an address. `begin` is called when it has to wait
    for its reader, `end` when it goes on."""

    def __init__(
        self,
        transport: asyncio.Transport,
        seconds: float,
        loop: asyncio.AbstractEventLoop,
        who: str,
    ) -> None:
        self._transport, self._seconds, self._loop = transport, seconds, loop
        self._who = who
        self._timer: asyncio.TimerHandle | None = None
        # Whoever makes an answer waits until what came before is with the kernel.
        transport.set_write_buffer_limits(0)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _KEPT_BYTES)

    def begin(self) -> None:
        """Somebody has to read from now on."""
        self.end()
        self._wait()
        crowd.enter(self._who, self, self._transport.abort)

    def end(self) -> None:
        """All has been read."""
        crowd.leave(self._who, self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        left = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_later(self._seconds, self._look, left)

    def _look(self, before: int) -> None:
        if self._transport.get_write_buffer_size() > before - LEAST_BYTES:
            self._transport.abort()
        else:
            self._wait()
