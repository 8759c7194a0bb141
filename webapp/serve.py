"""The web server: `python -m webapp.serve --host 127.0.0.1 --port 8000`.

uvicorn, with a time for a request's headers to arrive and one for its answer to be read, which it
does not have itself: without them whoever opens connections and sends or reads nothing holds them
for ever. What it refuses by itself has the headers that every answer has.
"""

import argparse
import asyncio
import ctypes
import os
from contextlib import suppress

import uvicorn
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from compiler_core.report import MAX_SOURCE_BYTES
from webapp import databases, environment, policy
from webapp.budget import Places
from webapp.short_messages import Sparing
from webapp.unread import UNREAD_S, Unread, whose

HEADERS_S = 10
# The bytes of a request's line and headers, each of which takes some more, and the requests that a
# connection may have sent before the first of them is answered: browsers send none.
_HEAD_BYTES, _EACH_BYTES, _AHEAD = 64 * 1024, 32, 16
# What a page sends over its WebSocket: at most a text that was pasted into a shared one. So many of
# them may wait while one is taken.
_FROM_SOCKETS = MAX_SOURCE_BYTES + 2**16
_WAITING = 4
# Of malloc.h.
_M_ARENA_MAX = -8
# Connections at a time, those of open pages among them; more are told 503.
_CONNECTIONS = 4000
# And of one address: whoever opens more, and sends nothing, would keep out everybody.
_places = Places(1000)


class _TooMuch(Exception):
    """More than a connection may send before it is answered."""


class Impatient(HttpToolsProtocol):
    """Hangs up on a connection whose next request's headers do not arrive, and on one whose answer
    is not read."""

    headers_s: float = HEADERS_S
    unread_s: float = UNREAD_S
    _patience: asyncio.TimerHandle | None = None
    # Of the head that arrives: what of it was read, and what has come without ending it.
    _head = _begun = 0
    _unread: Unread
    # Whose place it takes; "" where it takes none.
    _who = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        who = whose(transport)
        self._unread = Unread(transport, self.unread_s, self.loop, who)
        if who and not _places.take(who):
            return transport.abort()
        self._who = who
        self._wait()

    def pause_writing(self) -> None:
        self._unread.begin()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unread.end()
        super().resume_writing()

    def handle_websocket_upgrade(self) -> None:
        # Who reads a socket is asked by its pings; its places are counted as those of pages.
        self._unread.end()
        self._give_back()
        self.transport.set_write_buffer_limits()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        self.transport.write(policy.bad_request(msg))
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        awaited = self._patience
        super().data_received(data)
        if awaited is not None and awaited is self._patience:
            # The parser keeps what it has of a header until it has all of it.
            self._begun += len(data)
            if self._begun > _HEAD_BYTES:
                self.transport.abort()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= _AHEAD:
            raise _TooMuch
        self._head = self._begun = 0
        self._wait()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._take(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._take(_EACH_BYTES + len(name) + len(value))
        super().on_header(name, value)

    def _take(self, size: int) -> None:
        self._head += size
        if self._head > _HEAD_BYTES:
            raise _TooMuch

    def on_headers_complete(self) -> None:
        self._arrived()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        self._give_back()
        self._unread.end()
        super().connection_lost(exc)

    def _give_back(self) -> None:
        if self._who:
            _places.give_back(self._who)
            self._who = ""

    def _wait(self) -> None:
        self._arrived()
        self._patience = self.loop.call_later(self.headers_s, self.transport.close)

    def _arrived(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


def config(host: str, port: int) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        "webapp.asgi:application",
        host=host,
        port=port,
        http=Impatient,
        ws=Sparing,
        ws_max_size=_FROM_SOCKETS,
        ws_max_queue=_WAITING,
        limit_concurrency=_CONNECTIONS,
        # Pages that are open hold a WebSocket for ever: the end does not wait for them.
        timeout_graceful_shutdown=3,
        # Whom forwarded headers are believed of is FUSELAB_PROXIES and FUSELAB_HTTPS to say.
        proxy_headers=False,
        # Django's settings then say how its log is written.
        log_config=None if environment.text("FUSELAB_LOG", "lines") == "json" else LOGGING_CONFIG,
    )


def share_memory() -> None:
    """Memory that one thread of this process has freed is another's to take, where the C library is
    glibc: it gives up to eight times as many threads as there are processors memory of their own,
    each of which stays as large as it ever was."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def share_connections() -> None:
    """The requests of this process share a few connections to PostgreSQL."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    from django.conf import settings

    databases.share(settings.DATABASES["default"], settings.CONNECTIONS)


def main() -> None:
    """Serves until it is stopped."""
    share_memory()
    parser = argparse.ArgumentParser(prog="python -m webapp.serve", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    share_connections()
    uvicorn.Server(config(args.host, args.port)).run()


if __name__ == "__main__":
    main()
