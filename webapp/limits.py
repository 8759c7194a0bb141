"""Refuses requests by their headers, before their bodies are read."""

from collections.abc import Awaitable, Callable
from typing import Any

from webapp import errors, policy
from webapp.errors import Refusal

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

_NO_LENGTH = Refusal(
    411, "The request does not say how long its body is.", "Send Content-Length.", "body"
)


def limited(inner: Application, max_bytes: int) -> Application:
    """`inner`, which never sees a request whose body is longer than `max_bytes`, or whose length is
    not declared."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        refusal = _refusal(dict(scope["headers"]), max_bytes)
        await (_refuse(refusal, send) if refusal else inner(scope, receive, send))

    return application


def _refusal(headers: dict[bytes, bytes], max_bytes: int) -> Refusal | None:
    if b"transfer-encoding" in headers:
        return _NO_LENGTH
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > max_bytes:
        return errors.too_large(max_bytes)
    return None


async def _refuse(refusal: Refusal, send: Any) -> None:
    told = {"content-type": "application/json", "connection": "close", **policy.headers("")}
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    start = {"type": "http.response.start", "status": refusal.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": errors.body(refusal)})
