"""Counts what a web process is asked, and what it answers."""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from webapp import metrics

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

_KINDS = (
    (re.compile(r"/static/"), "static"),
    (re.compile(r"/api/"), "api"),
    (re.compile(r"/(healthz|readyz)$"), "health"),
)


def kind(path: str) -> str:
    """What is asked for at `path`, of four kinds: addresses are anybody's to make up."""
    return next((name for pattern, name in _KINDS if pattern.match(path)), "page")


def metered(inner: Application) -> Application:
    """`inner`, of whose requests the times, statuses and bytes are counted."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        begun, of = time.perf_counter(), kind(scope["path"])
        status = "none"

        async def counted(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            metrics.count("fuselab_sent_bytes_total", len(message.get("body", b"")), kind=of)
            await send(message)

        try:
            await inner(scope, receive, counted)
        finally:
            took = time.perf_counter() - begun
            metrics.observe("fuselab_requests_seconds", took, kind=of, status=status)

    return application
