"""What is sent over a connection is read: who does not is hung up on.

Without this, an answer of megabytes that nobody reads stays in memory for as long as its reader
likes.
"""

import asyncio
import socket

# Within so many seconds so many bytes are read, or all that there are.
UNREAD_S, LEAST_BYTES = 20.0, 2**16
# What the kernel keeps of a connection beside what is on its way. Of more, it would tell so late
# that somebody reads that a slow reader would seem to be none.
_KEPT_BYTES = 2**17


class Unread:
    """Watches the writing of one connection. `begin` is called when it has to wait for its reader,
    `end` when it goes on."""

    def __init__(
        self, transport: asyncio.Transport, seconds: float, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport, self._seconds, self._loop = transport, seconds, loop
        self._timer: asyncio.TimerHandle | None = None
        # Whoever makes an answer waits until what came before is with the kernel.
        transport.set_write_buffer_limits(0)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _KEPT_BYTES)

    def begin(self) -> None:
        """Somebody has to read from now on."""
        left = self._transport.get_write_buffer_size()
        self.end()
        self._timer = self._loop.call_later(self._seconds, self._look, left)

    def end(self) -> None:
        """All has been read."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, before: int) -> None:
        if self._transport.get_write_buffer_size() > before - LEAST_BYTES:
            self._transport.abort()
        else:
            self.begin()
